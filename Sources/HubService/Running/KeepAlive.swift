package import NIOCore
import Pairing

/// Tells the service manager that the hub is alive, each time that a round through all that serves has ended:
/// every event loop does what a request does first, it looks a device up; then a task runs, as for every
/// pairing. If one of them hangs, no round ends, and systemd restarts the hub.
///
/// A hub that cannot read its keyfile is alive: it refuses everybody, and a restart would not mend it.
package final class KeepAlive: Sendable {
    private let rounds: RepeatedTask?

    /// Begins if the service manager waits for it.
    ///
    /// - Parameter look: what each event loop does in a round.
    package init(_ manager: ServiceManager, _ loops: [any EventLoop], look: @escaping @Sendable () -> Void) {
        guard let time = manager.watchdogTime, let first = loops.first else {
            rounds = nil
            return
        }
        // A third: one round may be late, and the next is still in time.
        rounds = first.scheduleRepeatedAsyncTask(initialDelay: .zero, delay: TimeAmount(time / 3)) { _ in
            EventLoopFuture.andAllSucceed(loops.map { $0.submit(look) }, on: first).flatMap {
                first.makeFutureWithTask { _ = manager.notify(.alive) }
            }
        }
    }

    package func stop() { rounds?.cancel() }
}
