/// How the end of a message body is determined (RFC 9112 § 6). The framing reader decides it once; it is
/// passed along with the message, and the header fields are not interpreted again.
package enum BodyFraming: Equatable, Sendable {
    /// No body, and no header field that announces one.
    case none
    /// A body of this many bytes.
    case length(Int)
    /// Chunked (RFC 9112 § 7.1).
    case chunked
    /// The body ends with the connection; in responses only.
    case untilClose

    /// True if a body of at least one byte may follow the head.
    package var hasBytes: Bool { self != .none && self != .length(0) }

    /// Writes the header field line for this framing, if it needs one.
    func write(to head: inout [UInt8]) {
        switch self {
        case .length(let count): head.append(contentsOf: "Content-Length: \(count)\r\n".utf8)
        case .chunked: head.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
        case .none, .untilClose: break
        }
    }
}

/// Frames the bytes of an outgoing body exactly as its head announces, and allows nothing beyond.
///
/// A receiver takes an unannounced byte as the start of the next message, so that part of one request's body
/// would become another request (request smuggling). This is the last check before bytes are sent, and it
/// refuses the first such byte.
package struct BodyWriter: Sendable {
    private let framing: BodyFraming
    private var left: Int
    private var hasEnded = false

    /// - Parameter framing: the framing in the head; ``BodyFraming/none`` also for a message that never has a
    ///   body, such as the response to HEAD.
    package init(_ framing: BodyFraming) {
        self.framing = framing
        left = if case .length(let count) = framing { count } else { 0 }
    }

    /// The bytes to send before and after the next `count` bytes of the body.
    ///
    /// - Returns: nil if the head does not announce these bytes; the connection must then be closed.
    package mutating func piece(_ count: Int) -> (before: String, after: String)? {
        guard !hasEnded else { return nil }
        switch framing {
        case .none: return nil
        case .untilClose: return ("", "")
        case .chunked: return count == 0 ? ("", "") : (String(count, radix: 16) + "\r\n", "\r\n")
        case .length:
            guard count <= left else { return nil }
            left -= count
            return ("", "")
        }
    }

    /// The bytes to send after the body.
    ///
    /// - Parameter trailers: written only if the body is chunked (RFC 9110 § 6.5).
    /// - Returns: nil if announced bytes are missing; the connection must then be closed.
    package mutating func end(_ trailers: FieldBlock) -> [UInt8]? {
        guard !hasEnded, left == 0 else { return nil }
        hasEnded = true
        guard framing == .chunked else { return [] }
        var bytes = Array("0\r\n".utf8)
        trailers.writeTrailers(to: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }
}

extension FieldBlock {
    /// Writes the trailers that are forwarded: none that concern framing, routing or identity (RFC 9110 §
    /// 6.5.1).
    fileprivate func writeTrailers(to bytes: inout [UInt8]) {
        for field in fields {
            switch field.role {
            case .other, .server: write(field, to: &bytes)
            default: break
            }
        }
    }
}
