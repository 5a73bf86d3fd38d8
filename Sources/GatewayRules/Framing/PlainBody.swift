/// Checks that no server can mistake a request's body for further requests.
///
/// Some servers respond without reading the body, and then parse it as the next request on the connection. A
/// body with a line such as `GET / HTTP/1.1` would then be a request that this gateway has not checked. So
/// only a body without such a line is sent over a reused connection. Every other body gets a connection of
/// its own, and the upstream is told that no request follows.
package struct PlainBody: Sendable {
    /// The maximum number of body bytes that are checked; a longer body gets a connection of its own.
    package static let maximumByteCount = 16_384

    /// True if no line so far begins, after white space, with a token and a space or tab (RFC 9112 § 3).
    ///
    /// A last line without a line end is harmless: it can only be joined to the next request line of the same
    /// device, whose method then becomes invalid.
    package private(set) var isPlain = true
    private var isAtLineStart = true
    private var hasToken = false

    package init() {}

    /// Checks the next bytes of the body.
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
