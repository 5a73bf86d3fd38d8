import FoundationEssentials

/// Strict base64url: no padding, unused bits zero (RFC 4648 § 5, § 3.2, § 3.5).
///
/// Accepted: `_w` (the byte 0xFF). Rejected: `_w==` (padding), `/w` (standard alphabet), `_x` (unused bits
/// set).
package enum Base64URL {
    /// The text of `bytes`: ⌈4n / 3⌉ ASCII characters for n bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap {
                switch $0 {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: $0
                }
            })
    }

    /// Decodes `text`; nil unless it is strict base64url of exactly `count` bytes.
    package static func decode(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == (count * 4 + 2) / 3 else { return nil }
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
        let padding = String(repeating: "=", count: (3 - count % 3) % 3)
        guard let data = Data(base64Encoded: standard + padding), data.count == count else { return nil }
        let bytes = Array(data)
        // Foundation accepts nonzero unused bits and the standard alphabet; comparing with the re-encoded
        // bytes does not.
        return encode(bytes) == text ? bytes : nil
    }
}
