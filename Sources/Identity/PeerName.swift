public import FoundationEssentials

/// The name of a hub or a device: 1–63 bytes of UTF-8, so that it fits a DNS-SD instance name
/// (RFC 6763 § 4.1.1).
///
/// No control, line-separator or bidirectional formatting characters, and no white space at either end.
/// A name that breaks a rule is refused, never mended: two sides that mend differently would sign
/// different names.
///
/// Accepted: `Anna's tablet`, `Küche 😀`. Rejected: the empty name, ` tablet`, `tab\tlet`.
public struct PeerName: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes that a name may have.
    public static let maximumByteCount = 63

    /// The name as it was given.
    public let description: String

    /// Checks `text` against the rules.
    public init(_ text: String) throws(PeerNameError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= PeerName.maximumByteCount else { throw .tooLong(text.utf8.count) }
        if let scalar = text.unicodeScalars.first(where: \.isForbiddenInName) {
            throw .forbiddenCharacter(scalar)
        }
        let isSpace = { (scalar: Unicode.Scalar?) in scalar?.properties.isWhitespace ?? false }
        guard !isSpace(text.unicodeScalars.first), !isSpace(text.unicodeScalars.last) else {
            throw .spaceAtEnd
        }
        description = text
    }

    // Two names are one only if their bytes are: Swift's == would take canonically equivalent texts for
    // the same, and the pairing proofs cover bytes.
    /// True if both names are the same bytes.
    public static func == (one: PeerName, other: PeerName) -> Bool {
        one.description.utf8.elementsEqual(other.description.utf8)
    }

    /// Hashes the bytes, as `==` compares them.
    public func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}

extension Unicode.Scalar {
    /// Control characters (Cc), line and paragraph separators (Zl, Zp), and Bidi_Control: what could
    /// break a line, drive a terminal or turn the text around.
    package var isForbiddenInName: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

/// Why a text is not a name. The description is what the user reads.
public enum PeerNameError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    /// The name has no characters.
    case empty
    /// The name has this many bytes of UTF-8, more than 63.
    case tooLong(Int)
    /// The name holds a control, line-separator or bidirectional formatting character.
    case forbiddenCharacter(Unicode.Scalar)
    /// The name begins or ends with white space.
    case spaceAtEnd

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let count): "the name has \(count) bytes, more than 63"
        case .forbiddenCharacter(let scalar):
            "the name holds the character U+\(PeerNameError.digits(scalar))"
        case .spaceAtEnd: "the name begins or ends with a space"
        }
    }

    /// At least four, as the Unicode standard writes them (Appendix A).
    private static func digits(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// The same as the description.
    public var errorDescription: String? { description }

    /// How to mend it.
    public var recoverySuggestion: String? {
        "choose 1 to 63 bytes without control characters and without a space at either end"
    }
}
