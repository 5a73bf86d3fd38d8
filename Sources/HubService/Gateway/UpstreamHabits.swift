import GatewayRules
import NIOCore
import Synchronization

/// How the upstream handles connections: whether it reads bodies, as far as it is known by name
/// (``BodyReadingServer``) or by its owner's word, and whether it announces that it closes a connection
/// (RFC 9112 § 9.3).
///
/// A server that leaves a body unread takes it for the next request. A server that closes a connection
/// without announcing it loses a request that is in progress. So a request that must not be repeated uses a
/// reused connection only to a server that is known, and not to one that has closed without a word, until
/// 1,000 answers later.
final class UpstreamHabits: Sendable {
    private struct State {
        /// True if every answer since the upstream was last away named such a server: what comes back may be
        /// another one, and one that passes on what others say may be any. Nil before the first answer.
        var readsBodies: Bool?
        /// How many more answers on reused connections are needed before it is trusted to announce a close.
        var answersNeeded = 0
        var hasBroken = false
        /// The last value of `Server`, and whether it names one: it is the same in most answers.
        var server: [UInt8]?
        var isNamed = false

        mutating func isNamed(in fields: FieldBlock) -> Bool {
            guard let value = fields.onlyValue(.server) else { return false }
            if server?.elementsEqual(value) != true {
                server = Array(value)
                isNamed = BodyReadingServer.isNamed(in: fields)
            }
            return isNamed
        }
    }

    /// The number of answers needed after a connection was closed without `Connection: close`.
    private static let answersNeededAfterBreak = 1_000

    private let state = Mutex(State())
    private let freshness: TimeAmount
    /// The owner's word that it reads bodies, for a server that does not tell its name.
    private let isVouched: Bool
    private let log: ServeLog

    /// - Parameter freshness: how long after its last use a connection is assumed to be open.
    init(freshness: TimeAmount, isVouched: Bool = false, log: ServeLog) {
        self.freshness = freshness
        self.isVouched = isVouched
        self.log = log
    }

    /// True if a connection last used at `time` is assumed to be open.
    func isFresh(_ time: NIODeadline) -> Bool { NIODeadline.now() - time <= freshness }

    /// True if a connection may be used again after a request with a body.
    var readsBodies: Bool { isVouched || state.withLock { $0.readsBodies == true } }

    /// True if a request that must not be repeated may use a connection that was in use a moment ago.
    var isTrusted: Bool {
        state.withLock { (isVouched || $0.readsBodies == true) && $0.answersNeeded == 0 }
    }

    /// Records the head of an answer.
    ///
    /// - Parameter isReused: true for a reused connection.
    func noteAnswer(_ response: ResponseHead, isReused: Bool) {
        state.withLock { state in
            if isReused, state.answersNeeded > 0 { state.answersNeeded -= 1 }
            let isNamed = state.isNamed(in: response.fields)
            state.readsBodies = state.readsBodies != false && isNamed
        }
    }

    /// Records that the upstream does not answer.
    func noteAway() { state.withLock { $0.readsBodies = nil } }

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
}
