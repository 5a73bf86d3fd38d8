import FoundationEssentials
import Pairing

/// Whether somebody can pair with a code for one device now: what "pairing open" in a reply to a probe says.
struct OpenCodes: Equatable {
    /// The longest that an answer is taken for true while a code is out, in seconds. Wrong proofs void a
    /// code, and the wall clock, which decides over codes from before a restart, may be set. Neither
    /// causes an event.
    static let longest: Double = 30

    let isOpen: Bool
    /// When the last of them expires, by the wall clock, in whole seconds; nil if none is open.
    let openUntil: Date?
    /// In how many seconds to look again; nil if no code is out.
    let nextLook: Double?

    /// - Parameter latest: the latest moment in the hub's files; only asked for if it matters.
    init(_ tickets: Tickets, attempts: FailedAttempts, latest: @autoclosure () -> Date?, at now: Moment) {
        let out = tickets.tickets.filter {
            $0.kind == .once && $0.remaining(at: now) ?? 0 > 0
                && IssuedCode.end(of: $0, in: tickets, attempts) == nil
        }
        let open = out.filter { !$0.isExpired(at: now, latest: latest()) }
        isOpen = !open.isEmpty
        openUntil = open.compactMap { $0.remaining(at: now) }.max().map { seconds in
            Date(timeIntervalSince1970: (now.wall.timeIntervalSince1970 + seconds).rounded())
        }
        // By the clock that decides. A timer may ring a little early by another.
        let next = out.compactMap { $0.remaining(at: now) }.min()
        nextLook = next.map { min(OpenCodes.longest, $0 + 0.01) }
    }

    private init(isOpen: Bool, nextLook: Double?) {
        (self.isOpen, openUntil) = (isOpen, nil)
        self.nextLook = nextLook
    }

    /// The same, with the rest read from the hub's files. While one has a fault, no device can pair.
    static func look(_ tickets: Tickets, in state: HubState, at now: Moment) -> OpenCodes {
        do {
            let directory = try state.open()
            let attempts = try HubState.attempts(in: directory) ?? FailedAttempts()
            let latest = try latest(tickets, attempts, in: directory, at: now)
            return OpenCodes(tickets, attempts: attempts, latest: latest, at: now)
        } catch {
            return OpenCodes(isOpen: false, nextLook: OpenCodes.longest)
        }
    }

    /// The latest moment in the hub's files, as far as it may matter for these codes. The devices are read
    /// only for a code from before a restart.
    static func latest(
        _ tickets: Tickets, _ attempts: FailedAttempts, in directory: borrowing ProtectedDirectory,
        at now: Moment
    ) throws -> Date? {
        let devices =
            tickets.tickets.contains { $0.kind == .once && $0.boot?.id != now.boot?.id }
            ? try HubState.devices(in: directory) : nil
        return [tickets.latest, attempts.latest, devices?.latest].compactMap(\.self).max()
    }
}
