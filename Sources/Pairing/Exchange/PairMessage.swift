import FoundationEssentials
public import Identity
import JSON

/// The JSON of the exchange: one I-JSON object (RFC 7493) of at most 4,096 bytes.
///
/// UTF-8 without a byte order mark, at most 64 levels of nesting. Duplicate keys are refused: parsers differ
/// in which one they use, and the proofs must not cover a value that one side never saw. Unknown keys are
/// ignored.
///
/// Accepted: `{"name": "x", "more": [1]}`. Rejected: `{"name": "x", "n\u0061me": "y"}`, `{"name": "x"} {}`.
struct PairMessage {
    /// The maximum size of a message of the exchange in bytes.
    static let maximumByteCount = 4_096

    private let members: [String: JSONValue]
    /// The path of keys to this object, each followed by a dot; for error messages.
    private let prefix: String

    /// Parses one message. Error messages name only keys of this protocol, never text from the sender.
    init(
        parsing bytes: [UInt8], maximum: Int = PairMessage.maximumByteCount
    ) throws(PairMessageError) {
        guard bytes.count <= maximum else { throw .tooLarge(bytes.count) }
        let value: JSONValue
        do {
            value = try JSONReader.read(JSONValue.self, from: bytes, duplicateKeys: .refused)
        } catch {
            throw .malformed(
                error.kind == .duplicateKey ? "an object has the same key twice" : "it is not JSON")
        }
        guard let members = value.asObject else { throw .malformed("it is not a JSON object") }
        self.init(members, prefix: "")
    }

    /// Creates a message with these members.
    init(_ members: [String: JSONValue]) { self.init(members, prefix: "") }

    private init(_ members: [String: JSONValue], prefix: String) {
        self.members = members
        self.prefix = prefix
    }

    /// One line of UTF-8 with the keys in alphabetical order.
    var serialized: [UInt8] { Array(JSONValue.object(members).text.utf8) }

    /// The message as a JSON value, to be nested in another message.
    var value: JSONValue { .object(members) }

    /// The string at a key that must be present.
    func text(_ key: String) throws(PairMessageError) -> String {
        guard let text = try member(key).asString else { throw otherType(key) }
        return text
    }

    /// The string at a key; nil if it is missing or null.
    func optionalText(_ key: String) throws(PairMessageError) -> String? {
        members[key] == nil || members[key] == .null ? nil : try text(key)
    }

    /// The integer at a key that must be present; 1.0 is an integer (RFC 8259 § 6).
    func integer(_ key: String) throws(PairMessageError) -> Int {
        guard let number = try member(key).asDouble, let integer = Int(exactly: number) else {
            throw otherType(key)
        }
        return integer
    }

    /// The array at a key; nil if it is missing or something else.
    func list(_ key: String) -> [JSONValue]? {
        if case .array(let values)? = members[key] { values } else { nil }
    }

    /// The object at a key that must be present.
    func object(_ key: String) throws(PairMessageError) -> PairMessage {
        guard let members = try member(key).asObject else { throw otherType(key) }
        return PairMessage(members, prefix: "\(prefix)\(key).")
    }

    /// The value that `make` creates from `count` bytes in strict base64url, at a key that must be present.
    func bytes<Value>(
        _ key: String, _ count: Int, _ make: ([UInt8]) -> Value?
    ) throws(PairMessageError) -> Value {
        guard let bytes = Base64URL.decode(try text(key), count: count), let value = make(bytes) else {
            throw .malformed("\(prefix)\(key) is not \(count) bytes in base64url without padding")
        }
        return value
    }

    /// True if there is such a key, and it is not null.
    func has(_ key: String) -> Bool { members[key].map { $0 != .null } ?? false }

    private func member(_ key: String) throws(PairMessageError) -> JSONValue {
        guard let value = members[key], value != .null else { throw .malformed("\(prefix)\(key) is missing") }
        return value
    }

    private func otherType(_ key: String) -> PairMessageError {
        .malformed("\(prefix)\(key) is of another type")
    }
}

/// Why a message of the exchange is refused.
public enum PairMessageError: Equatable, UserError {
    /// It has this many bytes, more than 4,096.
    case tooLarge(Int)
    /// It is not valid JSON of the exchange; the string is the reason, without any text from the sender.
    case malformed(String)
    /// The name in it breaks a rule; everything else is valid.
    case name(PeerNameError)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .tooLarge(let count): "the message has \(count) bytes, more than \(PairMessage.maximumByteCount)"
        case .malformed(let reason): "the message is malformed: \(reason)"
        case .name(let error): error.description
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .tooLarge, .malformed: "both sides must speak hubpair/1; update the older one"
        case .name(let error): error.hint
        }
    }
}
