package import FoundationEssentials
import Identity
package import JSON

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

extension MessageReview {
    /// Asks the house; nil if there is no database yet.
    package static func ask(_ state: HubState) throws -> MessageReview? {
        try HouseQuestion.messages.ask(state)["messages"]?.asObject.map(MessageReview.init)
    }

    private init(_ members: [String: JSONValue]) {
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

    package var json: JSONValue {
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
