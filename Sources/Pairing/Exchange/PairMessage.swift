import FoundationEssentials
public import Identity
import JSON

/// JSON as the exchange writes and reads it: I-JSON (RFC 7493), at most 4,096 bytes.
///
/// UTF-8 without a byte order mark, at most 64 levels, and no object with the same key twice: readers differ
/// in which of the two they take, and the proofs must not cover what one side never saw. Unknown keys are
/// ignored.
///
/// Accepted: `{"name": "x", "more": [1]}`. Rejected: `{"name": "x", "n\u0061me": "y"}`, `{"name": "x"} {}`.
struct PairMessage {
    /// The most bytes that a message of the exchange may have.
    static let maximumByteCount = 4_096

    private let members: [String: JSONValue]
    /// The keys that lead to it, each with a point behind.
    private let prefix: String

    /// Reads one message; the reasons name keys of ours, never a text of the sender's.
    init(parsing bytes: [UInt8]) throws(PairMessageError) {
        guard bytes.count <= PairMessage.maximumByteCount else { throw .tooLarge(bytes.count) }
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

    /// A message of these members, for writing.
    init(_ members: [String: JSONValue]) { self.init(members, prefix: "") }

    private init(_ members: [String: JSONValue], prefix: String) {
        self.members = members
        self.prefix = prefix
    }

    /// One line of UTF-8, keys in the order of the alphabet.
    var serialized: [UInt8] { Array(JSONValue.object(members).text.utf8) }

    /// The members, for a message that this one becomes part of.
    var value: JSONValue { .object(members) }

    /// The text behind a key that must be there.
    func text(_ key: String) throws(PairMessageError) -> String {
        guard let text = try member(key).asString else { throw otherType(key) }
        return text
    }

    /// The text behind a key that may be missing, or null.
    func optionalText(_ key: String) throws(PairMessageError) -> String? {
        members[key] == nil || members[key] == .null ? nil : try text(key)
    }

    /// The integer behind a key that must be there; 1.0 is one (RFC 8259 § 6).
    func integer(_ key: String) throws(PairMessageError) -> Int {
        guard let number = try member(key).asDouble, let integer = Int(exactly: number) else {
            throw otherType(key)
        }
        return integer
    }

    /// The object behind a key that must be there.
    func object(_ key: String) throws(PairMessageError) -> PairMessage {
        guard let members = try member(key).asObject else { throw otherType(key) }
        return PairMessage(members, prefix: "\(prefix)\(key).")
    }

    /// The byte string behind a key that must be there, in strict base64url.
    func bytes<Value>(
        _ key: String, _ count: Int, _ make: ([UInt8]) -> Value?
    ) throws(PairMessageError) -> Value {
        guard let bytes = Base64URL.decode(try text(key), count: count), let value = make(bytes) else {
            throw .malformed("\(prefix)\(key) is not \(count) bytes in base64url without padding")
        }
        return value
    }

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
    /// It is not the JSON that the exchange asks for; the reason in words, without a text of the sender's.
    case malformed(String)
    /// The name in it breaks a rule; everything else is well.
    case name(PeerNameError)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .tooLarge(let count): "the message has \(count) bytes, more than \(PairMessage.maximumByteCount)"
        case .malformed(let reason): "the message is malformed: \(reason)"
        case .name(let error): error.description
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .data }

    /// How to mend it.
    public var hint: String? {
        switch self {
        case .tooLarge, .malformed: "both sides must speak hubpair/1; update the older one"
        case .name(let error): error.hint
        }
    }
}
