import GatewayRules
import Synchronization

/// Whether the upstream reads the body of a request to its end before it takes the next request, as RFC 9112
/// § 9.3 wants it.
///
/// A server that does not would take the rest of a body for the beginning of the next request. That spoils
/// the next answer; that it is no more than spoilt, ``PlainBody`` sees to. Known servers are believed; of
/// every other one it shows with the next request on a connection that has carried a body, which must be one
/// that may be sent again: until then, and for good if it shows that bodies are left, a request with a body
/// gets a connection of its own.
final class UpstreamBodies: Sendable {
    private enum State {
        case unknown
        case read
        case left
    }

    /// Servers that read a body, or throw it away, before the next request, by how `Server` begins.
    private static let knownServers = ["nginx", "openresty", "Apache/", "Caddy", "lighttpd"]

    private let state = Mutex(State.unknown)
    private let log: ServeLog

    init(log: ServeLog) { self.log = log }

    /// True if a request with a body may go over a connection that is used again.
    var mayShareConnection: Bool { state.withLock { $0 != .left } }

    /// True if it is known that bodies are read.
    var areRead: Bool { state.withLock { $0 == .read } }

    /// True for a status that a server may answer bytes of a body with.
    static func isDoubtful(_ status: Int) -> Bool { status >= 400 }

    /// Learns from the head of an answer.
    ///
    /// - Parameters:
    ///   - doubted: the status of the answer to the same request on a used connection; nil: there was none.
    ///   - followsBody: the request before it on the connection had a body.
    func note(_ response: ResponseHead, doubted: Int?, followsBody: Bool) {
        let isLeft = state.withLock { state in
            guard case .unknown = state else { return false }
            if let doubted {
                guard doubted != response.status else { return false }
                state = .left
                return true
            }
            let isKnown =
                response.fields.onlyValue(.server).map { server in
                    UpstreamBodies.knownServers.contains { server.starts(with: $0.utf8) }
                } ?? false
            if isKnown || followsBody && !UpstreamBodies.isDoubtful(response.status) { state = .read }
            return false
        }
        if isLeft {
            log.notice(
                "the upstream leaves bodies of requests unread: each request with a body gets a connection of its own"
            )
        }
    }
}
