import HubClient
import Identity
import JSON
import Synchronization

/// When `home watch` looks: as soon as the hub tells of a change, and otherwise after a pause.
///
/// A stock hub, and one of an earlier version, tells nothing: there the pauses are all.
final class WatchPulse: Sendable {
    /// What a hub does not tell of by itself is a new name.
    private static let pauseWhileTold = Duration.seconds(10)
    private static let pause = Duration.seconds(2)

    /// What `home watch` does next.
    enum Beat: Sendable {
        case look
        /// The hub, or the house behind it, does not answer: there is nothing to look at.
        case lost(any Error)
    }

    private struct State {
        var isTold = false
        var isHouseAway = false
        var timer: Task<Void, Never>?
        var follower: Task<Void, Never>?
    }

    /// Of several that are due at once only the last counts.
    let beats: AsyncStream<Beat>
    private let continuation: AsyncStream<Beat>.Continuation
    private let state = Mutex(State())
    private let interval: Duration?

    /// - Parameter interval: the pause that the user wants; nil for what suits the hub.
    init(_ session: HomeSession, interval: Duration?) {
        (beats, continuation) = AsyncStream.makeStream(of: Beat.self, bufferingPolicy: .bufferingNewest(1))
        self.interval = interval
        if !session.hub.isUnprotected {
            let follower = Task { await follow(session) }
            state.withLock { $0.follower = follower }
        }
        rest()
    }

    /// Begins the pause before the next look.
    func rest() {
        let pause = interval ?? (state.withLock { $0.isTold } ? WatchPulse.pauseWhileTold : WatchPulse.pause)
        let timer = Task { [continuation] in
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            continuation.yield(.look)
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    func stop() {
        state.withLock { state in
            state.timer?.cancel()
            state.follower?.cancel()
        }
    }

    private func follow(_ session: HomeSession) async {
        // Without the stream the pauses remain; what is wrong with the hub, the look itself says.
        try? await FollowEvents(session.household, path: ["states", "stream"]).run(after: nil) { notice in
            switch notice {
            case .event(let event) where event.type == FollowEvents.heartbeat: take(heartbeat: event)
            case .event, .back:
                state.withLock { $0.isTold = true }
                continuation.yield(.look)
            case .lost(let error):
                state.withLock { $0.isTold = false }
                continuation.yield(.lost(error))
            }
        }
        state.withLock { $0.isTold = false }
    }

    /// Only what is new is worth a look: that the house has gone away, or has come back.
    private func take(heartbeat event: ServerEvents.Event) {
        let beat = JSONValue(parsing: event.data)?.asObject
        let fault = beat?["fault"]?.asString
        let isNew = state.withLock { state in
            defer { state.isHouseAway = fault != nil }
            return state.isHouseAway != (fault != nil)
        }
        guard isNew else { return }
        continuation.yield(fault.map { .lost(Failure(.unavailable, shortened($0))) } ?? .look)
    }
}
