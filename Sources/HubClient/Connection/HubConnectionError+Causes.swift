import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

/// Never reaches a user alone: the connection wraps it in a ``HubConnectionError``, which names the address.
extension HubConnectionError.Reason: Error {
    /// The reason that corresponds to an error of the network stack.
    init(_ error: any Error) {
        self =
            switch error {
            case let reason as Self: reason
            case NIOSSLError.handshakeFailed(let error): .init(error)
            case let error as BoringSSLError: .init(error)
            case NIOSSLError.uncleanShutdown: .closed
            case HTTPParserError.headerOverflow: .headersTooLarge
            case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: .closed
            case let error as HTTPParserError: .malformed("\(error)")
            case let error as IOError: .init(errno: error.errnoCode)
            case ChannelError.connectTimeout: .timedOut(.connection)
            case is ChannelError: .closed
            default: .malformed("\(type(of: error))")
            }
    }

    private init(_ error: BoringSSLError) {
        switch error {
        case .sslError(let stack), .unknownError(let stack):
            // The description has this form: "Error: 268435581 error:1000007d:SSL
            // routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …"
            let line = stack.first?.description ?? ""
            let text = line.split(separator: " at ").first ?? ""
            if text.hasSuffix("EOF during handshake") {
                self = .closed
            } else {
                let word = text.split(separator: ":").last ?? "unknown"
                self = .tls(word.lowercased().replacing("_", with: " "))
            }
        default: self = .closed
        }
    }

    init(errno code: Int32) {
        self =
            switch code {
            case ECONNREFUSED: .refused
            case ETIMEDOUT: .timedOut(.connection)
            case ENETUNREACH, EHOSTUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL, EINVAL, ENODEV, EACCES, EPERM:
                .unreachable(code)
            case ECONNRESET, EPIPE, ECONNABORTED: .closed
            default: .system(code)
            }
    }
}
