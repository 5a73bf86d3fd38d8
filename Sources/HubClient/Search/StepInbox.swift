import Discovery
import Synchronization

/// Steps that wait until the search looks. With 200 hubs an mDNS stack says hundreds of things, each a moment
/// after the other; to wake the search for each costs more than the search itself.
///
/// Holds at most ``HubBrowser/maximumUnread`` steps; the threat is a host that announces thousands of
/// services.
final class StepInbox: Sendable {
    private let steps = Mutex<[SearchState.Step]>([])

    enum Addition { case first, further, refused }

    /// Adds a step, from any thread; it is refused if the inbox is full.
    func add(_ step: SearchState.Step) -> Addition {
        steps.withLock { steps in
            guard steps.count < HubBrowser.maximumUnread else { return .refused }
            steps.append(step)
            return steps.count == 1 ? .first : .further
        }
    }

    /// All that wait, in the order in which they were added.
    func take() -> [SearchState.Step] {
        steps.withLock { steps in
            defer { steps = [] }
            return steps
        }
    }
}
