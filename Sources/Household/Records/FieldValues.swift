import Identity
import JSON

/// The values of a record's fields, each of its form, as a file or a request has them: what a record makes of
/// them is its own.
package struct FieldValues {
    /// True for a request, whose names are newly given.
    let isNew: Bool
    private let values: [String: JSONValue]

    init(_ values: [String: JSONValue], isNew: Bool) { (self.values, self.isNew) = (values, isNew) }

    func text(_ key: String) -> String { values[key]?.asString ?? "" }
    func optionalText(_ key: String) -> String? { values[key]?.asString }
    func texts(_ key: String) -> [String]? { values[key]?.asTexts }
    func number(_ key: String) -> Double { values[key]?.asDouble ?? .nan }
    /// Nil for what is neither true nor false.
    func flag(_ key: String) -> Bool? { if case .boolean(let isOn)? = values[key] { isOn } else { nil } }
    func entries(_ key: String) -> [JSONValue] { if case .array(let all)? = values[key] { all } else { [] } }

    /// A text with a grammar of its own.
    func parsed<Value>(
        _ key: String, else reason: String, body: String? = nil, _ parse: (String) -> Value?
    ) throws(FieldFault) -> Value {
        guard let value = parse(text(key)) else { throw .invalid(key, reason, body: body) }
        return value
    }

    /// A name that is the record's own, or refers to something of `kind`.
    func name(_ text: String, of kind: HouseholdError.Kind, key: String? = nil) throws(FieldFault) -> PeerName
    {
        do throws(PeerNameError) {
            if !isNew { return try PeerName(known: text) }
        } catch {
            guard let key else { throw .refused(.badName(kind, error.description)) }
            throw .invalid(key, error.description)
        }
        do {
            return try HouseholdNames.newGroup(text, of: kind)
        } catch {
            throw .refused(error)
        }
    }

    func optionalName(_ key: String, of kind: HouseholdError.Kind) throws(FieldFault) -> PeerName? {
        guard let text = optionalText(key) else { return nil }
        return try name(text, of: kind, key: key)
    }

    func names(_ key: String, of kind: HouseholdError.Kind) throws(FieldFault) -> [PeerName]? {
        guard let texts = texts(key) else { return nil }
        var names: [PeerName] = []
        for text in texts {
            do {
                names.append(try name(text, of: kind, key: key))
            } catch {
                if isNew { throw error }
                throw .invalid(key, "not names in a JSON array")
            }
        }
        return names
    }
}

/// Why the values of the fields make no record. Never reaches a user: it is about a file or a request, and
/// each says its own.
package enum FieldFault: Error {
    /// The value of this key, and why. `body` is what a request is told, if that is more than both.
    case invalid(String, String, body: String? = nil)
    /// It cannot have this id, or refer to this.
    case refused(HouseholdError)
}
