import JSON

/// How a value stands in a message. Of Home Assistant's templates (Jinja) these forms are read, which
/// zigbee2mqtt and Tasmota write; all others are refused, never guessed.
///
///     template = "{{" name path "}}" / "{% if value_json" path "%}" word "{% else %}" word "{% endif %}"
///     name     = "value" / "value_json"                        ; "value" has no path
///     path     = *( "." key / "['" key "']" / "[\"" key "\"]" / "[" index "]" )
///
/// Spaces are free around the parts. Accepted: `{{ value_json.state }}`, `{{value_json['BME280'].Humidity}}`.
/// Rejected: `{{ value_json.x | int }}`, `{{ value_json.x + 1 }}`, `on`.
enum MQTTTemplate: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The message as it is.
    case whole
    case path([Step])
    /// One of two words, by whether there is something at the path.
    case choice([Step], yes: String, no: String)

    private static let maximumByteCount = 512

    init?(_ text: String?) {
        guard let text else {
            self = .whole
            return
        }
        guard text.utf8.count <= MQTTTemplate.maximumByteCount else { return nil }
        var reader = Reader(text)
        if reader.take("{{") {
            guard let template = reader.value(), reader.take("}}"), reader.isAtEnd else { return nil }
            self = template
        } else {
            guard reader.take("{%"), reader.take("if"), case .path(let path)? = reader.value(),
                reader.take("%}"), let yes = reader.text(to: "{%"), reader.take("else"), reader.take("%}"),
                let no = reader.text(to: "{%"), reader.take("endif"), reader.take("%}"), reader.isAtEnd,
                !path.isEmpty
            else { return nil }
            self = .choice(path, yes: yes, no: no)
        }
    }

    /// The value, as Home Assistant would write it; nil if the message has none.
    func text(in message: MQTTMessage) -> String? {
        switch self {
        case .whole: return message.text
        case .path(let path): return message.value(at: path).flatMap(MQTTTemplate.text)
        case .choice(let path, let yes, let no):
            guard message.json != nil else { return nil }
            return message.value(at: path).map(MQTTTemplate.isTrue) ?? false ? yes : no
        }
    }

    /// As Python writes a value; nil for what has parts.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .null: "None"
        case .boolean(let flag): flag ? "True" : "False"
        case .string(let text): text
        case .integer, .number: value.text
        case .array, .object: nil
        }
    }

    private static func isTrue(_ value: JSONValue) -> Bool {
        switch value {
        case .null: false
        case .boolean(let flag): flag
        case .string(let text): !text.isEmpty
        case .integer(let number): number != 0
        case .number(let number): number != 0
        case .array(let values): !values.isEmpty
        case .object(let members): !members.isEmpty
        }
    }

    private struct Reader {
        private var rest: Substring

        init(_ text: String) { rest = text[...] }

        var isAtEnd: Bool { rest.allSatisfy(\.isWhitespace) }

        mutating func take(_ token: String) -> Bool {
            let trimmed = rest.drop(while: \.isWhitespace)
            guard trimmed.hasPrefix(token) else { return false }
            rest = trimmed.dropFirst(token.count)
            return true
        }

        /// What stands before a token, without spaces around it.
        mutating func text(to token: String) -> String? {
            guard let range = rest.firstRange(of: token) else { return nil }
            defer { rest = rest[range.upperBound...] }
            let text = rest[..<range.lowerBound].drop(while: \.isWhitespace)
            guard !text.contains("{"), !text.contains("}") else { return nil }
            return String(text.reversed().drop(while: \.isWhitespace).reversed())
        }

        mutating func value() -> MQTTTemplate? {
            guard take("value") else { return nil }
            guard rest.hasPrefix("_json") else { return .whole }
            rest = rest.dropFirst("_json".count)
            var path: [Step] = []
            while let first = rest.first, first == "." || first == "[" {
                rest = rest.dropFirst()
                guard path.count < 8, let step = first == "." ? key() : bracket() else { return nil }
                path.append(step)
            }
            return .path(path)
        }

        private mutating func key() -> Step? {
            let key = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            guard let first = key.first, !first.isNumber else { return nil }
            rest = rest[key.endIndex...]
            return .key(String(key))
        }

        private mutating func bracket() -> Step? {
            guard let quote = rest.first else { return nil }
            if quote == "'" || quote == "\"" {
                let key = rest.dropFirst().prefix { $0 != quote && $0 != "\\" }
                let end = rest[key.endIndex...]
                guard end.hasPrefix("\(quote)]") else { return nil }
                rest = end.dropFirst(2)
                return .key(String(key))
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let index = Int(digits), rest[digits.endIndex...].hasPrefix("]") else { return nil }
            rest = rest[digits.endIndex...].dropFirst()
            return .index(index)
        }
    }
}

/// The payload of a message, read once for all that look into it.
struct MQTTMessage {
    static let maximumByteCount = 16_384

    let text: String
    let json: JSONValue?

    /// Nil for one that is too large, or no text.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= MQTTMessage.maximumByteCount,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.text = text
        json = JSONValue(parsing: bytes)
    }

    func value(at path: [MQTTTemplate.Step]) -> JSONValue? {
        path.reduce(json) { value, step in
            switch (value, step) {
            case (.object(let members)?, .key(let key)): members[key]
            case (.array(let values)?, .index(let index)):
                values.indices.contains(index) ? values[index] : nil
            default: nil
            }
        }
    }
}

/// How an order is written: a text with the value in it, in one of the names that Home Assistant has for it.
///
/// Accepted: `{ "position": {{ position }} }`, `{{ value }}`. Rejected: `{{ value | int }}`.
struct MQTTOrderTemplate: Equatable, Sendable {
    private let before: String
    private let after: String

    init?(_ text: String?, name: String) {
        guard let text else {
            (before, after) = ("", "")
            return
        }
        guard text.utf8.count <= 512, !text.contains("{%"), let start = text.firstRange(of: "{{"),
            let end = text[start.upperBound...].firstRange(of: "}}")
        else { return nil }
        let inside = text[start.upperBound..<end.lowerBound].split(separator: " ")
        guard inside == [name[...]] || inside == ["value"] else { return nil }
        (before, after) = (String(text[..<start.lowerBound]), String(text[end.upperBound...]))
        guard !after.contains("{{") else { return nil }
    }

    func payload(_ value: String) -> [UInt8] { Array((before + value + after).utf8) }
}
