import Home
package import JSON
import Pairing

/// One field of a ``Kept`` record, said once: what stands in the keyfile, in requests, in answers and in what
/// clients read of them follows from it.
package struct Field: Sendable {
    /// What its value is in JSON, and how that stands on a line of a keyfile.
    enum Form: Equatable, Sendable {
        case text
        /// `true` or `false`.
        case flag
        /// In a file as in ``StateUnit``.
        case number
        /// Texts; in a file a JSON array. `of` says of what, for errors.
        case list(of: String)
        /// Texts without spaces; in a file separated by one.
        case words
        /// Any values; in a file each is JSON on a line of its own: `state.1`, `state.2`.
        case numbered
    }

    enum Presence: Equatable, Sendable {
        case required
        /// Missing, or null in JSON, where there is nothing to say.
        case optional
        /// What it is where it is missing.
        case usual(JSONValue)
    }

    /// Its key in JSON.
    package let key: String
    let fileKey: String
    let form: Form
    let presence: Presence
    /// What a file leaves out.
    let unwritten: JSONValue?

    init(
        _ key: String, _ form: Form = .text, _ presence: Presence = .required, fileKey: String? = nil,
        unwritten: JSONValue? = nil
    ) {
        (self.key, self.fileKey, self.form) = (key, fileKey ?? key, form)
        (self.presence, self.unwritten) = (presence, unwritten)
    }

    // MARK: JSON

    /// The value in a request or an answer; nil: it is missing, and may be.
    func value(in members: [String: JSONValue]) throws(JSONFault) -> JSONValue? {
        switch (presence, members[key]) {
        case (.required, nil): throw JSONFault(.missing(key))
        case (.optional, nil), (.optional, .null?): return nil
        case (.usual(let value), nil): return value
        case (_, let value?):
            if form == .number, value.asDouble == nil { return .number(.nan) }  // it is in no range
            try check(value)
            return value
        }
    }

    private func check(_ value: JSONValue) throws(JSONFault) {
        switch (form, value) {
        case (.text, .string), (.flag, _), (.number, _), (.numbered, .array): return
        case (.list, .array(let entries)), (.words, .array(let entries)):
            guard let index = entries.firstIndex(where: { $0.asString == nil }) else { return }
            throw JSONFault(.otherType).inside("entry \(index + 1)").inside(key)
        default: throw JSONFault(.otherType).inside(key)
        }
    }

    /// True if an answer has it, as far as it must. What may be missing is what the client can make of it.
    package func isReadable(in members: [String: JSONValue]) -> Bool {
        presence != .required || (try? value(in: members)) != nil
    }

    // MARK: The file

    /// The value among the pairs of a group; nil: it is missing, and may be.
    func value(in pairs: [String: String], of group: String) throws(KeyFileError) -> JSONValue? {
        if form == .numbered { return try numbered(pairs, group) }
        guard let text = pairs[fileKey] else {
            switch presence {
            case .required: throw .missingKey(fileKey, group: group)
            case .optional: return nil
            case .usual(let value): return value
            }
        }
        switch form {
        case .text: return .string(text)
        case .words:
            return .array(
                text.split(separator: " ", omittingEmptySubsequences: false).map { .string(String($0)) })
        case .number: return .number(StateUnit.number(text[...]) ?? .nan)
        case .flag:
            guard text == "true" || text == "false" else {
                throw .invalidValue("neither true nor false", key: fileKey, group: group)
            }
            return .boolean(text == "true")
        case .list(let what):
            guard let texts = try? JSONReader.read([String].self, from: Array(text.utf8)) else {
                throw .invalidValue("not \(what) in a JSON array", key: fileKey, group: group)
            }
            return .array(texts.map(JSONValue.string))
        case .numbered: return nil
        }
    }

    private func numbered(_ pairs: [String: String], _ group: String) throws(KeyFileError) -> JSONValue {
        var values: [JSONValue] = []
        while let text = pairs[numberedKey(values.count)] {
            guard let value = JSONValue(parsing: Array(text.utf8)) else {
                throw .invalidValue(
                    "not a \(fileKey) in JSON", key: numberedKey(values.count), group: group)
            }
            values.append(value)
        }
        return .array(values)
    }

    func numberedKey(_ index: Int) -> String { "\(fileKey).\(index + 1)" }

    /// The pairs that say it in a file; a pair without a text is left out.
    func pairs(_ values: [String: JSONValue]) -> [(key: String, text: String?)] {
        let value = values[key]
        switch (form, value) {
        case (.numbered, .array(let entries)?):
            return entries.enumerated().map { (numberedKey($0.offset), $0.element.text) }
        case (.numbered, _): return []
        case (_, nil), (_, unwritten): return [(fileKey, nil)]
        case (.number, _): return [(fileKey, value?.asDouble.map(StateUnit.text))]
        case (.words, _): return [(fileKey, value?.asTexts?.joined(separator: " "))]
        case (.text, _): return [(fileKey, value?.asString)]
        case (.flag, _), (.list, _): return [(fileKey, value?.text)]
        }
    }
}

extension JSONValue {
    /// The texts of an array; nil for other types.
    package var asTexts: [String]? {
        if case .array(let values) = self { values.compactMap(\.asString) } else { nil }
    }

    static func texts(_ texts: [some CustomStringConvertible]) -> JSONValue {
        .array(texts.map { .string($0.description) })
    }
}
