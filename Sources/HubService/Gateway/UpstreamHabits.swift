import GatewayRules
import NIOCore
import Synchronization

/// What has been seen of how the upstream treats connections: whether it keeps those that it says it keeps
/// (RFC 9112 § 9.3), and reads the body of a request to its end before it takes the next request.
///
/// A server that closes a connection without saying so loses a request that is under way at that moment. One
/// that leaves a body unread takes its rest for the beginning of the next request, and answers that;
/// ``PlainBody`` ensures that the rest is no valid request. So a request that must not be sent twice goes
/// over a used connection only when both are known: at once of servers that are known by name, of every other
/// one after 100 requests that may be sent again. A server that is seen to leave bodies is never trusted
/// again, one that closes without saying so after 1,000.
final class UpstreamHabits: Sendable {
    private enum Bodies {
        case unknown
        case read
        case left
    }

    private struct State {
        var bodies = Bodies.unknown
        /// So many more answers on used connections are needed.
        var answersNeeded = 100
        var hasBroken = false
    }

    /// Servers that read a body, or throw it away, and say when they close, by how `Server` begins.
    private static let knownServers = ["nginx", "openresty", "Apache/", "Caddy", "lighttpd"]
    /// After a connection was closed without `Connection: close`.
    private static let answersNeededAfterBreak = 1_000

    private let state = Mutex(State())
    private let freshness: TimeAmount
    private let log: ServeLog

    /// - Parameter freshness: how long after its last use a connection is known to be open.
    init(freshness: TimeAmount, log: ServeLog) {
        self.freshness = freshness
        self.log = log
    }

    /// True if a connection that was used last at `time` is known to be open.
    func isFresh(_ time: NIODeadline) -> Bool { NIODeadline.now() - time <= freshness }

    /// True if a connection may be used again after a request with a body.
    var mayKeepAfterBody: Bool { state.withLock { $0.bodies != .left } }

    /// True if bodies are known to be read.
    var readsBodies: Bool { state.withLock { $0.bodies == .read } }

    /// True if what must not be sent twice may go over a connection that was in use a moment ago.
    var isTrusted: Bool { state.withLock { $0.bodies == .read && $0.answersNeeded == 0 } }

    /// True for a status that a server may answer bytes of a body with.
    static func isDoubtful(_ status: Int) -> Bool { status >= 400 }

    /// The head of an answer has come.
    ///
    /// - Parameters:
    ///   - doubted: the status of the answer to the same request on a used connection; nil: there was none.
    ///   - followsBody: the request before it on the connection had a body.
    ///   - isReused: the connection was a used one.
    func noteAnswer(_ response: ResponseHead, doubted: Int?, followsBody: Bool, isReused: Bool) {
        let isLeft = state.withLock { state in
            if isReused, state.answersNeeded > 0 { state.answersNeeded -= 1 }
            guard case .unknown = state.bodies else { return false }
            if let doubted {
                guard doubted != response.status else { return false }
                state.bodies = .left
                return true
            }
            if isKnown(response) {
                state.bodies = .read
                if !state.hasBroken { state.answersNeeded = 0 }
            } else if followsBody, !UpstreamHabits.isDoubtful(response.status) {
                state.bodies = .read
            }
            return false
        }
        if isLeft {
            log.notice("the upstream leaves bodies unread: each request with a body gets its own connection")
        }
    }

    /// The upstream has closed a connection without `Connection: close` in its last answer.
    ///
    /// - Parameter time: when it was used last; a connection that was long out of use may be closed.
    func noteEnd(lastUsed time: NIODeadline) {
        guard isFresh(time) else { return }
        let isFirst = state.withLock { state in
            defer { state.hasBroken = true }
            state.answersNeeded = UpstreamHabits.answersNeededAfterBreak
            return !state.hasBroken
        }
        if isFirst {
            log.notice("the upstream closes connections without a word: POST gets a connection of its own")
        }
    }

    private func isKnown(_ response: ResponseHead) -> Bool {
        response.fields.onlyValue(.server).map { server in
            UpstreamHabits.knownServers.contains { server.starts(with: $0.utf8) }
        } ?? false
    }
}
