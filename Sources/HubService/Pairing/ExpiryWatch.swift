import FoundationEssentials
import Pairing

/// Sees to it that an approval that has run out stays so: writes down that its time has come, and lets the
/// open connections be looked at. It looks when the keyfile changes, when the next approval expires, and
/// every hour.
///
/// Written down is the time, not the approval: one line for all. Once a day also while nothing has expired,
/// so that a clock that is set back while the hub is off is seen to be behind by a day at most. A hub whose
/// approvals have no expiry writes nothing.
final class ExpiryWatch: Sendable {
    /// The longest that one look is enough for, in seconds: somebody may set the clock.
    static let longest: Double = 3600
    /// After a look at files that could not be read or written, in seconds.
    static let retry: Double = 60

    /// What a look comes to.
    struct Outlook: Equatable {
        /// What is to be written down, or nil.
        let note: Moment?
        /// An approval has run out since the time that is written down.
        let hasExpired: Bool
        /// In how many seconds to look again; nil if nothing expires.
        let next: Double?

        /// - Parameters:
        ///   - expiries: of all approvals, those that are over too.
        ///   - seen: the latest moment in the keyfile.
        ///   - known: the latest that the clocks have said.
        init(_ expiries: [Date], seen: Moment?, known: Moment, at now: Moment) {
            guard !expiries.isEmpty, let time = now.wall(notBefore: [seen, known]) else {
                (note, hasExpired) = (nil, false)
                next = expiries.isEmpty ? nil : ExpiryWatch.retry
                return
            }
            let written = seen?.wall ?? .distantPast
            hasExpired = expiries.contains { $0 <= time && $0 > written }
            let coming = expiries.filter { $0 > time }.min()
            let isOld = coming != nil && time.timeIntervalSince(written) >= 86_400
            note = hasExpired || isOld ? Moment(wall: time, boot: now.boot) : nil
            next = coming.map { min(ExpiryWatch.longest, $0.timeIntervalSince(time) + 0.01) }
        }
    }

    private let looks: RecurringLook

    /// Looks for the first time.
    ///
    /// - Parameter onExpiry: called when an approval has run out.
    init(
        _ devices: DeviceAccess, _ pairing: PairDevice, log: ServeLog,
        onExpiry: @escaping @Sendable () -> Void
    ) {
        looks = RecurringLook(remembering: ()) { _ in
            await ExpiryWatch.look(devices, pairing, log, onExpiry)
        }
        looks.look()
    }

    /// Looks again, soon.
    func look() { looks.look() }

    func stop() async { await looks.stop() }

    /// In how many seconds to look again.
    private static func look(
        _ devices: DeviceAccess, _ pairing: PairDevice, _ log: ServeLog, _ onExpiry: () -> Void
    ) async -> Double? {
        do {
            let (expiries, seen) = try devices.register.expiries()
            let (now, known) = devices.time()
            let outlook = Outlook(expiries, seen: seen, known: known, at: now)
            if outlook.hasExpired { onExpiry() }
            guard let note = outlook.note else { return outlook.next }
            do {
                try await pairing.see(note)
                return outlook.next
            } catch {
                log.warning(
                    .fault, "cannot write down the time, by which approvals expire: \(describing(error))")
                return min(retry, outlook.next ?? retry)
            }
        } catch {
            return retry  // every look-up says why
        }
    }
}
