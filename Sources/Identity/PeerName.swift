/// The name of a hub or a device: 1–63 bytes of UTF-8, so that it fits a DNS-SD instance name
/// (RFC 6763 § 4.1.1).
///
/// No control, line-separator or bidirectional formatting characters, and no white space at either end. A
/// name that is newly given also has nothing that a reader cannot see: no invisible character, no private
/// one, no heap of marks. A name that breaks a rule is refused, never mended: two sides that mend differently
/// would sign different names.
///
/// Accepted: `Anna's tablet`, `Küche 😀`. Rejected: the empty name, ` tablet`, `tab\tlet`. Rejected if it is
/// new: `An\u{200B}na's tablet`, `Herd \u{2764}\u{FE0F}`.
public struct PeerName: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes that a name may have.
    public static let maximumByteCount = 63
    /// The most nonspacing marks in a row that a new name may have (UTS #39 § 5.4): with more they run over
    /// what stands above and below. Vietnamese takes two, pointed Hebrew and Arabic three.
    public static let maximumMarkCount = 4

    /// The name as it was given.
    public let description: String

    /// Checks a name that is newly given: by the owner, or by a device that asks.
    public init(_ text: String) throws(PeerNameError) {
        try self.init(known: text)
        var markCount = 0
        for scalar in text.unicodeScalars {
            if scalar.isInvisible { throw .invisibleCharacter(scalar) }
            if scalar.properties.generalCategory == .privateUse { throw .privateCharacter(scalar) }
            markCount = scalar.isNonspacingMark ? markCount + 1 : 0
            guard markCount <= PeerName.maximumMarkCount else { throw .tooManyMarks }
        }
    }

    /// Checks a name that stands already: in a file, or at a hub that says it of itself or of a device.
    ///
    /// hubpair 0.1 let invisible characters pass. A keyfile that was refused for one would shut every device
    /// out, and such a hub could no longer be found; so they are read, and escaped where they are shown.
    public init(known text: String) throws(PeerNameError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= PeerName.maximumByteCount else { throw .tooLong(text.utf8.count) }
        if let scalar = text.unicodeScalars.first(where: \.isControlling) {
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

/// Why a text is not a name. The description is what the user reads.
public enum PeerNameError: Equatable, UserError {
    /// The name has no characters.
    case empty
    /// The name has this many bytes of UTF-8, more than 63.
    case tooLong(Int)
    /// The name holds a control, line-separator or bidirectional formatting character.
    case forbiddenCharacter(Unicode.Scalar)
    /// The name is new, and holds a character that nobody sees.
    case invisibleCharacter(Unicode.Scalar)
    /// The name is new, and holds a character that every machine may show as another.
    case privateCharacter(Unicode.Scalar)
    /// The name is new, and heaps more than four nonspacing marks on one character.
    case tooManyMarks
    /// The name begins or ends with white space.
    case spaceAtEnd

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let count): "the name has \(count) bytes, more than 63"
        case .forbiddenCharacter(let scalar): "the name holds the character \(PeerNameError.digits(scalar))"
        case .invisibleCharacter("\u{FE0F}"):
            "the name holds the invisible character U+FE0F, which gives an emoji its colours"
        case .invisibleCharacter("\u{200D}"):
            "the name holds the invisible character U+200D, which joins several emoji to one"
        case .invisibleCharacter(let scalar):
            "the name holds the invisible character \(PeerNameError.digits(scalar))"
        case .privateCharacter(let scalar):
            "the name holds the private character \(PeerNameError.digits(scalar)); each machine shows another"
        case .tooManyMarks: "the name has more than 4 marks on one character"
        case .spaceAtEnd: "the name begins or ends with a space"
        }
    }

    /// At least four, as the Unicode standard writes them (Appendix A).
    private static func digits(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .usage }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .invisibleCharacter("\u{FE0F}"), .invisibleCharacter("\u{200D}"):
            "choose another emoji, or none: two names must not differ in what nobody sees"
        case .invisibleCharacter, .privateCharacter, .tooManyMarks:
            "leave it out: two names must not differ in what nobody sees"
        case .empty, .tooLong, .forbiddenCharacter, .spaceAtEnd:
            "choose 1 to 63 bytes without control characters and without a space at either end"
        }
    }
}
