public import FoundationEssentials

/// JSON as the exchange writes and reads it: I-JSON (RFC 7493), at most 4,096 bytes.
///
/// UTF-8 without a byte order mark, and no object with the same key twice: readers differ in which of the two
/// they take, and the proofs must not cover what one side never saw. Unknown keys are ignored. The grammar itself
/// is Foundation's, which refuses lone surrogates, control characters and more than 512 levels.
///
/// Accepted: `{"name": "x", "more": [1]}`. Rejected: `{"name": "x", "n\u0061me": "y"}`, `{"name": "x"} {}`.
enum IJSON {
    /// The most bytes that a message of the exchange may have.
    static let maximumByteCount = 4_096

    /// Reads one message; the reasons name keys of ours, never a text of the sender's.
    static func decode<Value: Decodable>(
        _: Value.Type, from bytes: [UInt8]
    ) throws(PairMessageError) -> Value {
        guard bytes.count <= maximumByteCount else { throw .tooLarge(bytes.count) }
        // A NUL stands in no UTF-8 JSON; where there is one, Foundation would try UTF-16 and UTF-32.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0),
            !bytes.starts(with: [0xEF, 0xBB, 0xBF])
        else { throw .malformed("it is not UTF-8") }
        let value: Value
        do {
            value = try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .malformed(reason(error))
        }
        if let fault = faultThatFoundationPasses(bytes) { throw .malformed(fault) }
        return value
    }

    /// One line of UTF-8, keys in the order of the alphabet.
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and integers can always be written; an empty message would be refused by every reader.
        return (try? encoder.encode(value)).map(Array.init) ?? []
    }

    private static func reason(_ error: any Error) -> String {
        func path(_ keys: [any CodingKey]) -> String { keys.map(\.stringValue).joined(separator: ".") }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "\(path(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context):
            return context.codingPath.isEmpty
                ? "it is not a JSON object" : "\(path(context.codingPath)) is of another type"
        // A number that is no integer is corrupt data at its key.
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(path(context.codingPath)) is of another type"
        default: return "it is not JSON"
        }
    }

    /// What Foundation lets through in `bytes`: one key twice in an object at any depth, whichever way it is escaped,
    /// and a comma behind the last element.
    private static func faultThatFoundationPasses(_ bytes: [UInt8]) -> String? {
        var objects: [Set<[UInt8]>] = []
        var position = 0
        var previous: UInt8 = 0
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D:
                position += 1
                continue
            // An array holds no keys; it takes a place so that the brackets match.
            case UInt8(ascii: "{"), UInt8(ascii: "["): objects.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard previous != UInt8(ascii: ",") else { return "it is not JSON" }
                _ = objects.popLast()
            case UInt8(ascii: "\""):
                let start = position
                position += 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                let next = bytes.dropFirst(position + 1).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                guard next == UInt8(ascii: ":"), !objects.isEmpty, position < bytes.count else { break }
                let key = try? JSONDecoder().decode(String.self, from: Data(bytes[start...position]))
                guard let key, objects[objects.count - 1].insert(Array(key.utf8)).inserted else {
                    return "an object has the same key twice"
                }
            default: break
            }
            if position < bytes.count { previous = bytes[position] }
            position += 1
        }
        return nil
    }
}

/// Why a message of the exchange is refused.
public enum PairMessageError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    /// It has this many bytes, more than 4,096.
    case tooLarge(Int)
    /// It is not the JSON that the exchange asks for; the reason in words, without a text of the sender's.
    case malformed(String)
    /// The name in it breaks a rule; everything else is well.
    case name(PeerNameError)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .tooLarge(let count): "the message has \(count) bytes, more than \(IJSON.maximumByteCount)"
        case .malformed(let reason): "the message is malformed: \(reason)"
        case .name(let error): error.description
        }
    }

    /// The same as the description.
    public var errorDescription: String? { description }

    /// How to mend it.
    public var recoverySuggestion: String? {
        switch self {
        case .tooLarge, .malformed: "both sides must speak hubpair/1; update the older one"
        case .name(let error): error.recoverySuggestion
        }
    }
}
