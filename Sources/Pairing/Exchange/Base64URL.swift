import FoundationEssentials

/// Base64 with the URL alphabet in its strict form: no padding, unused bits zero.
///
/// Accepted: `_w` (the byte 0xFF). Rejected: `_w==` (padding), `/w` (the other alphabet), `_x` (unused bits
/// set). Source: RFC 4648 § 5, § 3.2, § 3.5.
enum Base64URL {
    /// The text of `bytes`: ⌈4n / 3⌉ ASCII characters for n bytes.
    static func encode(_ bytes: [UInt8]) -> String {
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

    /// The bytes of `text`, or nil unless they are exactly `count`.
    static func decode(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == (count * 4 + 2) / 3 else { return nil }
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : String($0) }.joined()
        let padding = String(repeating: "=", count: (3 - count % 3) % 3)
        guard let data = Data(base64Encoded: standard + padding), data.count == count else { return nil }
        let bytes = Array(data)
        // Foundation lets unused bits and a foreign alphabet slip through; writing the bytes again does not.
        return encode(bytes) == text ? bytes : nil
    }
}
