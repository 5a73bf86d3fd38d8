import JSON

/// A message of Home Assistant's, as far as the house needs it. Everything else in it is read over: a
/// stranger who makes it as large and as odd as he likes costs no more memory than what is kept of it.
///
///     {"type": "auth_required" / "auth_ok" / "auth_invalid", "message": string}
///     {"id": integer, "type": "result", "success": boolean, "result": value, "error": {"message": string}}
///     {"id": integer, "type": "event", "event": {"event_type": string, "data": object}}
///     {"id": integer, "type": "pong"}
struct HomeAssistantMessage: JSONReadable, Equatable, Sendable {
    /// The most entries of a list that count.
    static let maximumCount = 20_000

    enum Result: Equatable, Sendable {
        case none
        case record(HomeAssistantRecord)
        case records([HomeAssistantRecord])
    }

    struct Event: Equatable, Sendable {
        var type = ""
        var entityID: String?
        /// Nil: the entity is gone.
        var state: HomeAssistantRecord?
    }

    var type = ""
    var id: Int?
    var isSuccess = false
    /// What Home Assistant says of a failure.
    var words: String?
    var result = Result.none
    var event: Event?

    init(reading reader: inout JSONReader) throws(JSONFault) {
        var (type, words): (String?, String?)
        var (id, isSuccess) = (Double?.none, false)
        var result = Result.none
        var event: Event?
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "type": type = try reader.text()
            case "id": id = try reader.number()
            case "success": isSuccess = try reader.flag() ?? false
            case "message": words = try reader.text()
            case "error":
                try reader.members { key, reader throws(JSONFault) in
                    if case "message" = key { words = try reader.text() } else { try reader.skip() }
                }
            case "result": result = try Result(reading: &reader)
            case "event": event = try Event(reading: &reader)
            default: try reader.skip()
            }
        }
        (self.type, self.words, self.isSuccess) = (type ?? "", words, isSuccess)
        (self.result, self.event) = (result, event)
        self.id = id.flatMap { Int(exactly: $0) }
    }
}

extension HomeAssistantMessage.Result {
    fileprivate init(reading reader: inout JSONReader) throws(JSONFault) {
        switch reader.peek() {
        case UInt8(ascii: "{"): self = .record(try HomeAssistantRecord(reading: &reader))
        case UInt8(ascii: "["):
            var records: [HomeAssistantRecord] = []
            try reader.array { reader throws(JSONFault) in
                guard records.count < HomeAssistantMessage.maximumCount, reader.peek() == UInt8(ascii: "{")
                else { return try reader.skip() }
                records.append(try HomeAssistantRecord(reading: &reader))
            }
            self = .records(records)
        default:
            try reader.skip()
            self = .none
        }
    }
}

extension HomeAssistantMessage.Event {
    fileprivate init(reading reader: inout JSONReader) throws(JSONFault) {
        var (type, entityID): (String?, String?)
        var state: HomeAssistantRecord?
        try reader.members { key, reader throws(JSONFault) in
            switch key {
            case "event_type": type = try reader.text()
            case "data":
                try reader.members { key, reader throws(JSONFault) in
                    switch key {
                    case "entity_id": entityID = try reader.text()
                    case "new_state" where reader.peek() == UInt8(ascii: "{"):
                        state = try HomeAssistantRecord(reading: &reader)
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        (self.type, self.entityID, self.state) = (type ?? "", entityID, state)
    }
}

// What is of another type than it should be counts as missing.
extension JSONReader {
    private static let maximumListCount = 32

    /// Reads over one value.
    mutating func skip() throws(JSONFault) {
        switch peek() {
        case UInt8(ascii: "{"): try object { _, reader throws(JSONFault) in try reader.skip() }
        case UInt8(ascii: "["): try array { reader throws(JSONFault) in try reader.skip() }
        case UInt8(ascii: "\""): _ = try string()
        default: _ = try literal()
        }
    }

    /// An object's members; anything else is read over.
    mutating func members(_ member: (JSONKey, inout JSONReader) throws(JSONFault) -> Void)
        throws(JSONFault)
    {
        if peek() == UInt8(ascii: "{") { try object(member) } else { try skip() }
    }

    /// - Parameter limit: the most bytes that are kept. No state and no id of an entity has more than 255.
    mutating func text(_ limit: Int = 256) throws(JSONFault) -> String? {
        guard peek() == UInt8(ascii: "\"") else {
            try skip()
            return nil
        }
        let text = try string()
        if text.utf8.count <= limit { return text }
        let kept = text.unicodeScalars.prefix(limit / 4)
        return String(String.UnicodeScalarView(kept))
    }

    private mutating func plain() throws(JSONFault) -> JSONValue? {
        switch peek() {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            try skip()
            return nil
        default: return try literal()
        }
    }

    mutating func number() throws(JSONFault) -> Double? { try plain()?.asDouble }

    mutating func flag() throws(JSONFault) -> Bool? {
        if case .boolean(let value)? = try plain() { value } else { nil }
    }

    mutating func list<Value>(
        of read: (inout JSONReader) throws(JSONFault) -> Value?
    ) throws(JSONFault) -> [Value] {
        var values: [Value] = []
        guard peek() == UInt8(ascii: "[") else {
            try skip()
            return values
        }
        try array { reader throws(JSONFault) in
            let value = try read(&reader)
            if let value, values.count < JSONReader.maximumListCount { values.append(value) }
        }
        return values
    }
}
