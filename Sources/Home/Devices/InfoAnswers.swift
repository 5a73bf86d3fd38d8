package import Identity

/// Answers to what a plugin asks for, given beforehand as `FIELD=VALUE`.
package struct InfoAnswers: Equatable, Sendable {
    /// The value by the field's name.
    package let values: [String: String]

    package init(_ texts: [String]) throws(InfoAnswersError) {
        var values: [String: String] = [:]
        for text in texts {
            guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { throw .notAPair(text) }
            let field = String(text[..<sign])
            guard values.updateValue(String(text[text.index(after: sign)...]), forKey: field) == nil else {
                throw .twice(field)
            }
        }
        self.values = values
    }

    /// Checks the answers against the fields that a plugin asks for.
    ///
    /// - Returns: the checked answers, and the fields without an answer.
    package func check(
        against plugin: PluginDescription
    ) throws -> (answers: [String: String], missing: [(name: String, explanation: String)]) {
        if let stranger = values.keys.sorted().first(where: { plugin.requiredInfo[$0] == nil }) {
            throw InfoAnswersError.notAsked(stranger, fields: plugin.fields.map(\.name))
        }
        var answers: [String: String] = [:]
        for (field, value) in values {
            answers[field] = try InfoField.check(
                value, for: field, explanation: plugin.requiredInfo[field] ?? "")
        }
        return (answers, plugin.fields.filter { answers[$0.name] == nil })
    }
}

/// Why answers cannot be taken.
package enum InfoAnswersError: Equatable, UserError {
    case notAPair(String)
    case twice(String)
    /// The server does not ask for this field; the fields that it asks for.
    case notAsked(String, fields: [String])

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notAPair(let text): "\(quoted(text)) is not FIELD=VALUE"
        case .twice(let field): "there are two answers for \(shortened(field))"
        case .notAsked(let field, _): "the hub does not ask for \(quoted(field))"
        }
    }

    package var kind: UserErrorKind { .usage }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .notAPair: "give it like --info ip=192.168.1.20"
        case .twice: "give one"
        case .notAsked(_, let fields):
            "it asks for " + fields.prefix(16).map(shortened).joined(separator: ", ")
        }
    }
}
