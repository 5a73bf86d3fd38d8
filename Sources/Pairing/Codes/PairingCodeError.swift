public import Identity

/// Why a text is not a pairing code. The description is shown to the user; neither it nor the associated
/// values contain any part of the secret.
public enum PairingCodeError: Equatable, UserError {
    /// The text neither begins with `HUBPAIR:` nor is the address of a hub.
    case missingPrefix
    /// A character outside Crockford's upper-case alphabet, at this byte offset in the text (from 0).
    case alphabet(position: Int)
    /// A number of base32 characters that does not encode a whole number of bytes.
    case base32Length(Int)
    /// The bits after the last whole byte are not all zero.
    case unusedBitsSet
    /// The checksum does not match.
    case checksum
    /// A version of the format other than 1.
    case version(UInt8)
    /// A kind that version 1 does not define: the value of the low nibble of the head.
    case kind(UInt8)
    /// Flags that version 1 does not define: the value of the flags byte.
    case flags(UInt8)
    /// The number of bytes is not the one that the flags require; the number found.
    case length(Int)
    /// A once code that would never expire.
    case onceWithoutExpiry
    /// An expiry before 1970-01-01T00:00:01Z or after 2106-02-07T06:28:15Z; only thrown when a code is
    /// created.
    case expiryOutOfRange

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .missingPrefix: "not a pairing code: it is no address of a hub, and does not begin with HUBPAIR:"
        case .alphabet(let position):
            "the pairing code is damaged: character \(position + 1) is not one of 0-9, A-Z without I, L, O, U"
        case .base32Length(let count): "the pairing code is cut off or has too much: \(count) characters"
        case .unusedBitsSet: "the pairing code is damaged: its last character has bits that must be zero"
        case .checksum: "the pairing code is damaged: its checksum does not fit"
        case .version(let version) where version > PairingCode.version:
            "the pairing code was made by a newer hubpair (version \(version) of the format)"
        case .version(let version): "the pairing code has the version \(version), which never existed"
        case .kind(let kind): "the pairing code is of the unknown kind \(kind)"
        case .flags(let flags):
            "the pairing code has unknown flags (0x\(String(flags, radix: 16, uppercase: true)))"
        case .length(let count): "the pairing code has \(count) bytes, not the 50 or 56 that it should have"
        case .onceWithoutExpiry: "the pairing code is for one use but has no expiry"
        case .expiryOutOfRange: "the expiry of a pairing code must lie between 1970 and 2106"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .missingPrefix: "print a pairing code on the hub with 'hubpair print'"
        case .alphabet, .base32Length, .unusedBitsSet, .checksum:
            "scan the code again, or print a new one on the hub with 'hubpair print'"
        case .version(let version) where version > PairingCode.version: "update hubpair on this computer"
        case .kind, .flags: "update hubpair on this computer, or print a new code on the hub"
        case .version, .length, .onceWithoutExpiry: "print a new code on the hub with 'hubpair print'"
        case .expiryOutOfRange: "check this machine's clock, and the expiry that was asked for"
        }
    }
}
