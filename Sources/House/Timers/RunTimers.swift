import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import Pairing
import Synchronization

/// Carries timers out when it is time: each as the device that made it, with what that one may do then.
final class RunTimers: Sendable {
    /// While the server behind the hub does not answer.
    private static let pause = 10.0
    /// The clock may be set.
    private static let longestPause = 30.0

    private let store: TimerStore
    private let servers: HouseServers
    private let poller: StatePoller
    private let guests: GuestRights
    private let approved: @Sendable (Fingerprint) -> ApprovedDevice?
    private let knowsDevices: @Sendable () -> Bool
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let tell: @Sendable (MessageDraft) async -> Void
    private let looking = Mutex<RecurringLook?>(nil)

    /// - Parameters:
    ///   - approved: the device with this fingerprint, if it is let in now.
    ///   - knowsDevices: false until the gate has said which devices there are.
    init(
        _ store: TimerStore, servers: HouseServers, poller: StatePoller, guests: GuestRights,
        approved: @escaping @Sendable (Fingerprint) -> ApprovedDevice?,
        knowsDevices: @escaping @Sendable () -> Bool, log: ServeLog,
        clock: @escaping @Sendable () -> Date, tell: @escaping @Sendable (MessageDraft) async -> Void
    ) {
        (self.store, self.servers, self.poller, self.guests) = (store, servers, poller, guests)
        (self.approved, self.knowsDevices) = (approved, knowsDevices)
        (self.log, self.clock, self.tell) = (log, clock, tell)
    }

    func now() -> Date { clock() }

    func start() {
        looking.withLock { looking in
            looking = RecurringLook(remembering: false) { [weak self] hasFailed in
                await self?.look(&hasFailed)
            }
            looking?.look()
        }
    }

    /// Looks again, soon.
    func look() { looking.withLock { $0 }?.look() }

    func stop() async { await looking.withLock { $0 }?.stop() }

    private func look(_ hasFailed: inout Bool) async -> Double? {
        do throws(DatabaseError) {
            var left = RunTimers.longestPause
            for timer in try await store.all() {
                switch timer.verdict(at: clock()) {
                case .waits: left = min(left, max(0.01, timer.due.timeIntervalSince(clock())))
                case .missed:
                    try await store.remove(timer)
                    await tell("was not set in time: the hub came to it too late", timer)
                case .runs:
                    if try await !carryOut(timer) { left = min(left, RunTimers.pause) } else { left = 0.01 }
                }
            }
            hasFailed = false
            return left
        } catch {
            if !hasFailed { log.error("timers do not run: \(describing(error))") }
            hasFailed = true
            return RunTimers.longestPause
        }
    }

    /// - Returns: false if it is to be tried again.
    private func carryOut(_ timer: HouseTimer) async throws(DatabaseError) -> Bool {
        guard knowsDevices() else { return false }
        guard let maker = Fingerprint(timer.by).flatMap(approved) else {
            try await store.remove(timer)
            await tell("was not set: \"\(timer.name)\", which made its timer, is let in no more", timer)
            return true
        }
        if let proviso = timer.proviso {
            let states = await poller.report(isNew: true).states
            guard proviso.holds(states.state) else {
                try await store.remove(timer)
                await tell("was not set: what it waited for does not hold", timer)
                return true
            }
        }
        let cause = SceneCause.time(of: maker)
        if !RoleTable.allows(cause.role, Capability.open) {
            switch await guests.ask(about: timer.device) {
            case .allowed: break
            case .unknown: return false
            case .guarded:
                try await store.remove(timer)
                await tell("was not set: guests leave it alone", timer)
                return true
            }
        }
        do {
            let house = servers.whole(as: cause.sender)
            try await house.set(timer.activator, of: timer.device, to: timer.state)
        } catch let error as ServerError where error.isLasting {
            try await store.remove(timer)
            await tell("was not set: \(message(of: error))", timer)
            return true
        } catch {
            log.info("a timer waits for the server: \(describing(error))")
            return false
        }
        poller.orderPassed()
        try await store.remove(timer)
        if let next = timer.next(at: clock()) { _ = try await store.put(next) }
        return true
    }

    private func tell(_ words: String, _ timer: HouseTimer) async {
        let name = poller.name(of: timer.device, timer.activator) ?? timer.device
        await tell(
            MessageDraft(
                kind: .notification, text: "\"\(name)\" \(words)", device: timer.device,
                activator: timer.activator))
    }
}

extension ServerError {
    /// True if trying again changes nothing: the appliance is gone, or does not take this.
    fileprivate var isLasting: Bool {
        if case .refused(let status, _, _, _) = self { (400..<500).contains(status) } else { false }
    }
}
