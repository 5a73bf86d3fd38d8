package import FoundationEssentials
import Glibc
package import Identity

/// Why a hub cannot be reached, or its response not understood. The hint names the side on which to fix it.
package struct HubConnectionError: Equatable, UserError {
    /// The step that timed out.
    package enum Wait: Equatable, Sendable {
        /// The TCP connection.
        case connection
        /// The TLS handshake.
        case handshake
        /// The response, or more of it.
        case response
    }

    package enum Reason: Equatable, Sendable {
        /// There is no address to try.
        case noAddress
        /// The host name cannot be resolved; the string is the system's message.
        case unknownHost(String)
        /// Nothing listens on the port.
        case refused
        /// There is no route to the address; the errno.
        case unreachable(Int32)
        /// No answer within the deadline.
        case timedOut(Wait)
        /// The server does not speak TLS.
        case notTLS
        /// The server has another key than the expected hub.
        case otherKey(expected: Fingerprint, seen: Pin)
        /// The server is the expected hub, which has another key since; the time to take that over has ended.
        case laterKey(expected: Fingerprint, seen: Pin, over: Date)
        /// A certificate whose key cannot be read.
        case unreadableKey
        /// TLS failed; the string is the library's term, usually for the peer's alert (RFC 8446 § 6).
        case tls(String)
        /// The connection ended before the response did.
        case closed
        /// The response is larger than this many bytes.
        case tooLarge(Int)
        /// The response has too many header fields, or they are too long.
        case headersTooLarge
        /// The response is not valid HTTP/1.1 (RFC 9112); the string is the parser's term.
        case malformed(String)
        /// The request has an invalid method, target or header field. Nothing was sent.
        case invalidRequest(String)
        /// Another request is in progress on this connection.
        case busy
        /// Another system error; the errno.
        case system(Int32)
    }

    /// The address that was tried, `HOST:PORT`.
    package let address: String
    package let reason: Reason

    package init(address: String, reason: Reason) {
        self.address = address
        self.reason = reason
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch reason {
        case .noAddress: "there is no address to connect to"
        case .unknownHost(let words): "cannot find the host of \(address): \(words)"
        case .refused: "\(address) refuses connections"
        case .unreachable(let code): "\(address) cannot be reached: \(system(code))"
        case .timedOut(.connection): "\(address) does not answer"
        case .timedOut(.handshake): "\(address) accepts connections, but does not answer"
        case .timedOut(.response): "\(address) did not answer the request in time"
        case .notTLS: "the server at \(address) does not speak TLS"
        case .otherKey(let expected, let seen):
            "\(address) is not the hub \(expected): its key has the fingerprint \(seen.fingerprint)"
        case .laterKey(let expected, let seen, let over):
            "the hub \(expected) has another key since, \(seen.fingerprint), and this device did not come "
                + "before \(over.timestamp)"
        case .unreadableKey: "\(address) has a certificate whose key cannot be read"
        case .tls(let word): "\(address) does not agree on TLS: \(word)"
        case .closed: "\(address) closed the connection before it had answered"
        case .tooLarge(let limit): "\(address) answers with more than \(limit) bytes"
        case .headersTooLarge: "\(address) answers with header fields that are too large"
        case .malformed(let word): "\(address) does not answer in HTTP/1.1: \(word)"
        case .invalidRequest(let words): words
        case .busy: "a request is under way on this connection already"
        case .system(let code): "the connection to \(address) failed: \(system(code))"
        }
    }

    package var kind: UserErrorKind {
        switch reason {
        case .invalidRequest: .usage
        // A script must not retry: another server is in the hub's place.
        case .otherKey, .laterKey: .notPermitted
        case .busy: .tryAgain
        case .noAddress, .unknownHost, .refused, .unreachable, .timedOut, .notTLS, .unreadableKey, .tls,
            .closed, .tooLarge, .headersTooLarge, .malformed, .system:
            .unavailable
        }
    }

    /// How to fix it, and on which side; nil if there is no advice.
    package var hint: String? {
        switch reason {
        case .noAddress, .unknownHost: "check the name; 'hubpair list' shows the hubs on this network"
        case .refused: "on the hub: is 'hubpair serve' running, and on this port?"
        case .unreachable: "on this computer: is it on the hub's network?"
        case .timedOut(.connection):
            "is the hub switched on, and this computer on its network? a firewall may stand in between"
        case .timedOut, .closed: "on the hub: look at what 'hubpair serve' says, and restart it if it hangs"
        case .notTLS, .malformed, .headersTooLarge, .unreadableKey:
            "no hub answers there; 'hubpair list' shows the hubs' addresses and ports"
        case .otherKey:
            "another hub has this address, somebody answers in the hub's place, or the hub was set up again; "
                + "only if it was: 'hubpair print' on the hub makes a new code, pair again"
        case .laterKey: "pair again: on the hub, 'hubpair print' makes a code"
        case .tls: "on the hub: is it hubpair that answers on this port? it speaks TLS 1.3"
        case .tooLarge:
            "on the hub: see which program answers on this port; hubpair does not answer like this"
        case .invalidRequest: "give it like: hubpair call GET /devices/"
        case .busy: nil
        case .system: "try again"
        }
    }

    /// True if the request itself is invalid, so no hub could accept it; nothing was sent.
    package var isRequestAtFault: Bool { if case .invalidRequest = reason { true } else { false } }

    private func system(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// How informative the error is. If several addresses fail, the error with the highest weight is
    /// reported.
    var weight: Int {
        switch reason {
        case .laterKey: 9
        case .otherKey: 8
        case .tls, .unreadableKey: 7
        case .notTLS, .malformed, .headersTooLarge, .tooLarge, .invalidRequest, .busy: 6
        case .closed, .timedOut(.handshake), .timedOut(.response): 5
        case .refused: 4
        case .timedOut(.connection): 3
        case .system: 2
        case .unreachable: 1
        case .unknownHost, .noAddress: 0
        }
    }
}
