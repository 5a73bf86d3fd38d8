public import Identity

/// Why a key file is refused. A file with any error is refused as a whole.
public enum KeyFileError: Equatable, UserError {
    /// The file has this many bytes, more than 16 MiB.
    case tooLarge(Int)
    /// The bytes are not UTF-8.
    case notUTF8
    /// The file begins with U+FEFF, as some editors write it in front.
    case byteOrderMark
    /// The last line has no line end: the file was truncated.
    case torn
    /// A line that begins with `[` but is not a group header.
    case invalidHeader(line: Int)
    /// A line that is neither a header, nor a pair, nor a comment.
    case invalidLine(line: Int)
    /// A pair before the first header.
    case pairOutsideGroup(line: Int)
    /// A second group of the same name.
    case duplicateGroup(String, line: Int)
    /// A second pair of the same key in its group.
    case duplicateKey(String, group: String, line: Int)
    /// A backslash that is followed by a character other than `s n t r \`.
    case invalidEscape(key: String, line: Int)
    /// A control character in a pair. Other parsers drop it, cut the line there, or keep it.
    case controlCharacter(line: Int)
    /// The group `[keyfile]` or its `format` is missing, or `format` is not a number.
    case missingFormat
    /// The file was written by a newer hubpair, in this format (the value as written).
    case newerFormat(String)
    /// A required key is missing from the group.
    case missingKey(String, group: String)
    /// An invalid value for its key; the first string is the reason.
    case invalidValue(String, key: String, group: String)
    /// A group of a kind that does not belong in this file.
    case unknownGroup(String)
    /// A group whose name does not match the fingerprint of its pin.
    case wrongFingerprint(group: String)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .tooLarge(let count): "the file has \(count) bytes, more than \(KeyFile.maximumByteCount)"
        case .notUTF8: "the file is not UTF-8"
        case .byteOrderMark: "the file begins with a byte order mark; save it as UTF-8 without one"
        case .torn: "the last line has no end, so the file may be cut off"
        case .invalidHeader(let line): "line \(line) is not a group header like [keyfile]"
        case .invalidLine(let line): "line \(line) is neither [group], key=value nor # comment"
        case .pairOutsideGroup(let line): "line \(line) stands before the first [group]"
        case .duplicateGroup(let name, let line): "line \(line) begins the group [\(name)] a second time"
        case .duplicateKey(let key, let group, let line):
            "line \(line) sets \(key) in [\(group)] a second time"
        case .invalidEscape(let key, let line):
            "\(key) in line \(line) has a backslash before another character than s, n, t, r or \\"
        case .controlCharacter(let line): "line \(line) has a control character in it"
        case .missingFormat: "[keyfile] with format=1 is missing, so the file may be cut off"
        case .newerFormat(let format): "the file was written by a newer hubpair (format \(format))"
        case .missingKey(let key, let group): "[\(group)] has no \(key)"
        case .invalidValue(let reason, let key, let group): "\(key) in [\(group)]: \(reason)"
        case .unknownGroup(let name): "the group [\(name)] does not belong in this file"
        case .wrongFingerprint(let group): "the pin in [\(group)] has another fingerprint"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .data }

    /// How to fix it; the command adds the path of the file and of its backup.
    public var hint: String? {
        switch self {
        case .newerFormat: "update hubpair"
        default: nil
        }
    }
}
