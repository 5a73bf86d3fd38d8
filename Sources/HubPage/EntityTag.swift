import Crypto
import Identity

/// A strong validator (RFC 9110 § 8.8.3): the beginning of the SHA-256 of what is served, so it survives a
/// restart.
package struct EntityTag: Equatable, Sendable {
    private static let byteCount = 8

    /// With its quotation marks, as it stands in `ETag`.
    package let text: String

    package init(of content: [UInt8]) {
        let digits = SHA256.hash(data: content).prefix(EntityTag.byteCount).map { $0.hexDigits() }
        text = "\"\(digits.joined())\""
    }
}
