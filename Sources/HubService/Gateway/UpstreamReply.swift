package import GatewayRules
package import Identity

/// The upstream's answer to a request of the hub itself.
package struct UpstreamReply: Equatable, Sendable {
    /// The status code, 200–999.
    package let status: Int
    /// At most ``UpstreamCalls/maximumBodyByteCount`` bytes.
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    /// True for 2xx.
    package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why a request of the hub itself has no answer.
package enum UpstreamCallError: Equatable, UserError {
    /// No upstream is set.
    case noUpstream
    /// No connection could be opened; the system's words, and whether it took a time-out to know.
    case unreachable(String, isToldAtOnce: Bool)
    /// It gets no turn at the upstream.
    case refused(UpstreamTurns.Refusal)
    /// The connection ended before the answer was complete.
    case brokeOff
    /// The answer is no valid HTTP.
    case malformed(FramingError)
    /// The same, or another fault, in the gate's words.
    case relayed(String)
    /// The answer has more bytes than ``UpstreamCalls/maximumBodyByteCount``.
    case tooLarge
    /// No complete answer in time. The upstream may have carried out the request.
    case timeout
    /// More requests wait than ``UpstreamCalls/maximumWaiting``.
    case tooMany
    /// The task was cancelled, or the hub ends.
    case cancelled

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .noUpstream: "no server is set behind the hub"
        case .unreachable(let words, _): "the server behind the hub does not answer: \(words)"
        case .refused(let refusal): refusal.words
        case .brokeOff: "the server behind the hub closed the connection before it had answered"
        case .malformed(let fault):
            "the answer of the server behind the hub is malformed: \(fault.message)"
        case .relayed(let words): words
        case .tooLarge:
            "the server behind the hub answers with more than \(UpstreamCalls.maximumBodyByteCount) bytes"
        case .timeout: "the server behind the hub took too long to answer"
        case .tooMany: "too many requests wait for the server behind the hub"
        case .cancelled: "the request was given up"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .noUpstream: .configuration
        case .unreachable, .refused(.away), .brokeOff, .malformed, .relayed, .tooLarge: .unavailable
        case .refused(.busy), .timeout, .tooMany, .cancelled: .tryAgain
        }
    }

    package var hint: String? {
        switch self {
        case .noUpstream: "set it with 'hubpair setup --change --upstream URL'"
        default: nil
        }
    }
}
