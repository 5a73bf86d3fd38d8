import GatewayRules
import Home
import Identity
import Synchronization

/// Asks the upstream for its appliances to find out what it is and, after it has not answered, whether it
/// answers again. One question is under way at a time.
final class UpstreamProbe: Sendable {
    private let calls: UpstreamCalls
    private let link: UpstreamLink
    private let looking = Mutex<RecurringLook?>(nil)
    /// True if the next look only sets the pause before the first probe.
    private let isPausing = Mutex(false)
    private let asking = Mutex<Task<Void, Never>?>(nil)

    init(_ calls: UpstreamCalls, _ link: UpstreamLink) { (self.calls, self.link) = (calls, link) }

    /// Begins with the first question, unless somebody has said what the upstream takes.
    func start() {
        guard link.upstream != nil else { return }
        looking.withLock {
            $0 = RecurringLook(remembering: ()) { [weak self] _ in await self?.probe() ?? nil }
        }
        if link.concurrency == nil { look() }
    }

    /// Asks at once.
    func look() { looking.withLock { $0 }?.look() }

    /// Asks after a pause.
    func lookLater() {
        isPausing.withLock { $0 = true }
        look()
    }

    func stop() async {
        let last = looking.withLock { $0.take() }
        asking.withLock { $0 }?.cancel()
        await last?.stop()
    }

    /// - Returns: in how many seconds to ask again; nil: when there is a reason.
    private func probe() async -> Double? {
        let pauses = isPausing.withLock { isPausing in
            defer { isPausing = false }
            return isPausing
        }
        if !pauses {
            let task = Task { [calls, link] in
                do throws(UpstreamCallError) {
                    let reply = try await calls.poll(ControlRequest.devices.target, isProbe: true)
                    link.note(UpstreamKind(reply))
                } catch {
                    // Noted where it happened.
                }
            }
            asking.withLock { $0 = task }
            await task.value
        }
        return link.turns.nextProbe()
    }
}
