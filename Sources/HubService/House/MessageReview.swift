package import FoundationEssentials
import Identity
import JSON

/// What the house says of its database.
package struct MessageReview: Equatable, Sendable {
    /// Of the file and its log.
    package var byteCount = 0
    package var messageCount = 0
    package var openAlarmCount = 0
    package var lastMessage: Date?
    package var changeCount = 0
    /// What was told of the hook in the last seven days, the latest first. It names the program, and may
    /// quote it.
    package var hookFaults: [String] = []
    /// What the integrity check says; nil if the database is sound.
    package var fault: String?
    /// The path of a broken database that was put aside.
    package var brokenPath: String?

    package init() {}
}

/// What `hubpair-house review` says: one object of JSON.
package struct HouseReview: Equatable, Sendable {
    /// A keyfile of the household that is gone.
    package struct Lost: Equatable, Sendable {
        package let text: String
        package let mend: String

        package init(text: String, mend: String) { (self.text, self.mend) = (text, mend) }
    }

    /// Nil: there is no database yet.
    package var messages: MessageReview?
    /// Why it cannot be looked at, and what mends that.
    package var error: (words: String, hint: String?)?
    package var lost: [Lost] = []

    package init() {}

    package static func == (one: HouseReview, other: HouseReview) -> Bool { one.json == other.json }

    /// Asks the house.
    package init(of state: HubState) throws(HouseToolError) {
        let bytes = try HouseTool.run("review", state.path)
        guard let members = JSONValue(parsing: bytes)?.asObject else {
            throw HouseToolError("the answer of \(HouseTool.programName) cannot be read")
        }
        messages = members["messages"]?.asObject.map(MessageReview.init)
        error = members["error"]?.asString.map { ($0, members["hint"]?.asString) }
        if case .array(let values)? = members["lost"] {
            lost = values.compactMap(\.asObject).map {
                Lost(text: $0["text"]?.asString ?? "", mend: $0["mend"]?.asString ?? "")
            }
        }
    }

    package var json: [UInt8] {
        var members: [String: JSONValue] = [
            "lost": .array(lost.map { .object(["text": .string($0.text), "mend": .string($0.mend)]) })
        ]
        members["messages"] = messages?.json
        members["error"] = error.map { .string($0.words) }
        members["hint"] = error?.hint.map(JSONValue.string)
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return bytes
    }
}

extension MessageReview {
    fileprivate init(_ members: [String: JSONValue]) {
        func count(_ name: String) -> Int {
            if case .integer(let count)? = members[name] { Int(count) } else { 0 }
        }
        self.init()
        (byteCount, messageCount) = (count("bytes"), count("count"))
        (openAlarmCount, changeCount) = (count("openAlarms"), count("changes"))
        lastMessage = members["last"].map { _ in Date(milliseconds: Int64(count("last"))) }
        if case .array(let values)? = members["hookFaults"] { hookFaults = values.compactMap(\.asString) }
        (fault, brokenPath) = (members["fault"]?.asString, members["broken"]?.asString)
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "bytes": .integer(Int64(byteCount)), "count": .integer(Int64(messageCount)),
            "openAlarms": .integer(Int64(openAlarmCount)), "changes": .integer(Int64(changeCount)),
            "hookFaults": .array(hookFaults.map(JSONValue.string)),
        ]
        members["last"] = lastMessage.map { .integer($0.milliseconds) }
        members["fault"] = fault.map(JSONValue.string)
        members["broken"] = brokenPath.map(JSONValue.string)
        return .object(members)
    }
}
