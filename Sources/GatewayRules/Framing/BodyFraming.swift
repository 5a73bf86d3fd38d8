/// How the end of a message's body is told (RFC 9112 § 6). A framing reader's verdict: it is carried along
/// with the message, and nothing reads it from the fields a second time.
package enum BodyFraming: Equatable, Sendable {
    /// There is no body, and no field that says so.
    case none
    /// So many bytes.
    case length(Int)
    /// Chunked (RFC 9112 § 7.1).
    case chunked
    /// The end of the connection; in responses only.
    case untilClose

    /// True if bytes of a body may follow the head.
    package var hasBytes: Bool { self != .none && self != .length(0) }

    /// Writes the field line that tells it.
    func write(to head: inout [UInt8]) {
        switch self {
        case .length(let count): head.append(contentsOf: "Content-Length: \(count)\r\n".utf8)
        case .chunked: head.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
        case .none, .untilClose: break
        }
    }
}

/// Writes a body in the framing that its head has announced, and nothing beyond it.
///
/// A reader takes a byte that no head has announced for the beginning of the next message: the body of one
/// request would become another request. This is the last check before bytes go out, and it stops at the
/// first such byte.
package struct BodyWriter: Sendable {
    private let framing: BodyFraming
    private var left: Int
    private var hasEnded = false

    /// The framing that the head announced; ``BodyFraming/none`` also for a message that has no body whatever
    /// its head says, as an answer to HEAD.
    package init(_ framing: BodyFraming) {
        self.framing = framing
        left = if case .length(let count) = framing { count } else { 0 }
    }

    /// What stands before and behind `count` more bytes of the body.
    ///
    /// - Returns: nil if the head has not announced them; then the connection must end here.
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

    /// What stands behind the whole body.
    ///
    /// - Parameter trailers: written if the body is chunked, else left out (RFC 9110 § 6.5).
    /// - Returns: nil if bytes are missing that the head has announced; then the connection must end here.
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
    /// What passes of trailers: nothing that frames, routes or identifies (RFC 9110 § 6.5.1).
    fileprivate func writeTrailers(to bytes: inout [UInt8]) {
        for field in fields {
            switch field.role {
            case .other, .server: write(field, to: &bytes)
            default: break
            }
        }
    }
}
