import FoundationEssentials
import Pairing
import Synchronization

/// The line that `systemctl status` shows of the hub:
///
///     Kitchen hub on port 8000; 3 devices are paired; pairing open until 14:05
///
/// It is updated when a file has changed, and when a code or an approval expires.
final class ServiceStatus: Sendable {
    /// How soon to look again at files that could not be read, in seconds.
    private static let retry: Double = 60

    private let manager: ServiceManager
    private let isReady = Mutex(false)
    private let looks: RecurringLook?

    /// Tells nothing before the first ``look()``, nor if no service manager listens.
    init(
        _ manager: ServiceManager, _ hub: Hub, port: UInt16, state: HubState, register: DeviceRegister,
        clock: @escaping @Sendable () -> Moment
    ) {
        self.manager = manager
        guard manager.listens else {
            looks = nil
            return
        }
        looks = RecurringLook(remembering: String?.none) { told in
            let (text, next) = ServiceStatus.look(hub, port, state, register, at: clock())
            if text != told { manager.notify(.status(text)) }
            told = text
            return next
        }
    }

    /// Tells that the hub serves, and then how it stands.
    func tellReady() {
        manager.notify(.ready)
        isReady.withLock { $0 = true }
        look()
    }

    /// Looks again, soon. Before the hub is ready, nothing is told: files may change even then.
    func look() {
        if isReady.withLock({ $0 }) { looks?.look() }
    }

    func stop() async { await looks?.stop() }

    /// The line, and in how many seconds to look again; nil if only a file can change it.
    private static func look(
        _ hub: Hub, _ port: UInt16, _ state: HubState, _ register: DeviceRegister, at now: Moment
    ) -> (text: String, next: Double?) {
        do {
            let paired = try register.pairedCount(at: now.wall)
            let tickets = try HubState.tickets(in: state.open()) ?? Tickets()
            let codes = OpenCodes.look(tickets, in: state, at: now)
            let next = [codes.nextLook, paired.nextExpiry.map { max(1, $0.timeIntervalSince(now.wall)) }]
            let text = text(
                hub.settings.name, port, paired: paired.count, openUntil: codes.openUntil, now: now.wall)
            return (text, next.compactMap(\.self).min().map { min($0, 3600) })
        } catch {
            return ("\(hub.settings.name) on port \(port); \(describing(error))", retry)
        }
    }

    /// - Parameter openUntil: when the last of the codes that let in one device expires; nil if none is out.
    static func text(
        _ name: PeerName, _ port: UInt16, paired: Int, openUntil: Date?, now: Date
    ) -> String {
        let devices = paired == 1 ? "1 device is paired" : "\(paired) devices are paired"
        let pairing = openUntil.map { "open until \(LocalTime($0).text(seenAt: now))" } ?? "closed"
        return "\(name) on port \(port); \(devices); pairing \(pairing)"
    }
}
