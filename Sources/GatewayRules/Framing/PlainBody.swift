/// Whether a request's body is nothing but a body to everyone.
///
/// Some servers answer without having read the body, and take it for the next request on the connection. A
/// body that holds a line like `GET / HTTP/1.1` is then a request that this gateway has not seen. So only a
/// body without any line that begins as a request does goes over a connection that is used again; every other
/// one gets a connection of its own, and the upstream is told that no request follows.
package struct PlainBody: Sendable {
    /// The most bytes of a body that is looked at; a longer one gets a connection of its own.
    package static let maximumByteCount = 16_384

    /// True if no line so far begins, after white space, with a token and a space or a tab (RFC 9112 § 3).
    ///
    /// A last line without an end would only be joined to the next request's first line, which is the same
    /// device's, and spoil its method.
    package private(set) var isPlain = true
    private var isAtLineStart = true
    private var hasToken = false

    package init() {}

    /// Takes the next bytes of the body.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes where isPlain {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                (isAtLineStart, hasToken) = (true, false)
            case 0x20, 0x09, 0x0B, 0x0C:
                if isAtLineStart, hasToken { isPlain = false }
            default:
                guard isAtLineStart else { continue }
                if isTokenByte(byte) { hasToken = true } else { isAtLineStart = false }
            }
        }
    }
}
