import FoundationEssentials
import Pairing

/// Whether the hub's keys are still those that are served: they change when the owner gives it another one,
/// and when the term of the old one is over.
final class KeyWatch: Sendable {
    /// How often the time is looked at.
    private static let interval = Duration.seconds(60)

    private let state: HubState
    private let served: Hub
    private let log: ServeLog
    private let clock: @Sendable () -> Moment
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let looking: Task<Void, Never>

    init(
        _ state: HubState, served: Hub, log: ServeLog, clock: @escaping @Sendable () -> Moment
    ) {
        (self.state, self.served, self.log, self.clock) = (state, served, log, clock)
        guard served.statement != nil else {
            looking = Task {}
            return
        }
        looking = Task {
            while (try? await Task.sleep(for: KeyWatch.interval)) != nil {
                do {
                    // What it deletes is seen as every change of the directory.
                    try ChangeKey(state: state).endTerm(now: clock().wall)
                } catch {
                    log.warning(
                        .fault, "the old key's term is over, and it is still there: \(describing(error))")
                }
            }
        }
    }

    /// Looks at the files; call it when something in the directory has changed.
    func look() {
        // A fault is told when the hub starts again; this one serves on.
        guard let directory = try? state.open(),
            let hub = try? HubState.hub(in: directory, at: clock().wall)
        else { return }
        let isBehind = (try? ChangeKey(state: state).isBehind(in: directory)) ?? false
        guard
            isBehind || (hub.pin, hub.old, hub.next) != (served.pin, served.old, served.next)
        else { return }
        news.continuation.yield()
    }

    func changed() async {
        for await _ in news.stream { return }
    }

    func stop() {
        looking.cancel()
        news.continuation.finish()
    }
}
