import GatewayRules
import NIOCore
import Synchronization

/// How the upstream was seen to handle connections: whether it keeps those that it announces to keep (RFC
/// 9112 § 9.3), and whether it reads a request's body completely before the next request.
///
/// A server that closes a connection without announcing it loses a request that is in progress. A server that
/// leaves a body unread takes the rest for the next request and answers that; ``PlainBody`` ensures that the
/// rest is not a valid request. So a request that must not be repeated uses a reused connection only when
/// both are known: at once for servers known by name, for others after 100 repeatable requests. A server that
/// was seen to leave a body unread is never trusted again; one that closes without announcing it, after
/// 1,000.
final class UpstreamHabits: Sendable {
    private enum Bodies {
        case unknown
        case read
        case left
    }

    private struct State {
        var bodies = Bodies.unknown
        /// How many more answers on reused connections are needed before the upstream is trusted.
        var answersNeeded = 100
        var hasBroken = false
    }

    /// Servers that read or discard a body and announce a close, by the beginning of their `Server` field.
    private static let knownServers = ["nginx", "openresty", "Apache/", "Caddy", "lighttpd"]
    /// The number of answers needed after a connection was closed without `Connection: close`.
    private static let answersNeededAfterBreak = 1_000

    private let state = Mutex(State())
    private let freshness: TimeAmount
    private let log: ServeLog

    /// - Parameter freshness: how long after its last use a connection is assumed to be open.
    init(freshness: TimeAmount, log: ServeLog) {
        self.freshness = freshness
        self.log = log
    }

    /// True if a connection last used at `time` is assumed to be open.
    func isFresh(_ time: NIODeadline) -> Bool { NIODeadline.now() - time <= freshness }

    /// True if a connection may be used again after a request with a body.
    var mayKeepAfterBody: Bool { state.withLock { $0.bodies != .left } }

    /// True if the upstream is known to read bodies completely.
    var readsBodies: Bool { state.withLock { $0.bodies == .read } }

    /// True if a request that must not be repeated may use a connection that was in use a moment ago.
    var isTrusted: Bool { state.withLock { $0.bodies == .read && $0.answersNeeded == 0 } }

    /// True for a status with which a server may answer the bytes of a body.
    static func isDoubtful(_ status: Int) -> Bool { status >= 400 }

    /// Records the head of an answer.
    ///
    /// - Parameters:
    ///   - doubted: the status of the first, doubtful answer to the same request on a reused connection; nil
    ///     if there was none.
    ///   - followsBody: true if the previous request on the connection had a body.
    ///   - isReused: true for a reused connection.
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

    /// Records that the upstream has closed a connection without announcing it by `Connection: close`.
    ///
    /// - Parameter time: when it was last used; closing a connection that was idle for long is normal.
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
