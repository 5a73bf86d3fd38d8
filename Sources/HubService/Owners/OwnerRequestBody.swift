import JSON
import Pairing

/// The body of an owner's request: one object of JSON, or nothing.
///
/// A key that is not known is refused, and so is one that stands twice: what was meant by `"rol": "guest"`
/// must not make a member. Accepted: `{"role":"guest"}`, nothing. Rejected: `[]`, `{"role":"guest"} x`,
/// `{"rol":"guest"}`.
struct OwnerRequestBody {
    let members: [String: JSONValue]

    init(_ body: [UInt8], keys: Set<String>) throws(BadOwnerRequest) {
        guard !body.isEmpty else {
            members = [:]
            return
        }
        let value: JSONValue
        do {
            value = try JSONReader.read(JSONValue.self, from: body, duplicateKeys: .refused)
        } catch {
            throw BadOwnerRequest(message: "the body cannot be read: \(error)")
        }
        guard let members = value.asObject else {
            throw BadOwnerRequest(message: "the body is no object of JSON")
        }
        guard keys.isSuperset(of: members.keys) else {
            throw BadOwnerRequest(
                message: "the body has a key that is not known here; known are: "
                    + (keys.isEmpty ? "none" : keys.sorted().joined(separator: ", ")))
        }
        self.members = members
    }

    /// A text that `read` takes; nil if the key is missing, or its value is null.
    func value<Value>(
        _ key: String, _ expected: String, _ read: (String) throws -> Value?
    ) throws -> Value? {
        switch members[key] {
        case nil, .null?: return nil
        case .string(let text)?:
            guard let value = try read(text) else { throw fault(key, expected) }
            return value
        default: throw fault(key, expected)
        }
    }

    func role() throws -> Role? {
        try value("role", Role.allCases.map(\.rawValue).joined(separator: ", "), Role.init(rawValue:))
    }

    /// The texts of an array; none if the key is missing.
    func texts(_ key: String, _ expected: String, atMost limit: Int) throws(BadOwnerRequest) -> [String] {
        switch members[key] {
        case nil, .null?: return []
        case .array(let values)?:
            let texts = values.compactMap(\.asString)
            guard texts.count == values.count, texts.count <= limit else { throw fault(key, expected) }
            return texts
        default: throw fault(key, expected)
        }
    }

    func flag(_ key: String) throws(BadOwnerRequest) -> Bool {
        switch members[key] {
        case nil, .null?: return false
        case .boolean(let value)?: return value
        default: throw fault(key, "true or false")
        }
    }

    func fault(_ key: String, _ expected: String) -> BadOwnerRequest {
        BadOwnerRequest(message: "'\(key)' in the body is not what it should be: \(expected)")
    }
}
