package import Identity
package import JSON

/// What the hub's own side asks of the household's files, which only the house opens.
package enum HouseQuestion: Equatable, Sendable {
    /// How the database of messages stands.
    case messages
    /// The keyfiles, and what is wrong with them.
    case files
    /// Which devices are told of messages while their page is closed.
    case push
    /// What a revoked device leaves behind, and whether to take it away.
    case left(Fingerprint, isTakenAway: Bool)

    /// Nil for a question of a newer version.
    package init?(_ json: JSONValue?) {
        guard let members = json?.asObject else { return nil }
        switch members["ask"]?.asString {
        case "messages": self = .messages
        case "files": self = .files
        case "push": self = .push
        case "left":
            guard let device = members["device"]?.asString.flatMap({ Fingerprint($0) }) else { return nil }
            self = .left(device, isTakenAway: members["take"] == .boolean(true))
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .messages: .object(["ask": .string("messages")])
        case .files: .object(["ask": .string("files")])
        case .push: .object(["ask": .string("push")])
        case .left(let device, let isTakenAway):
            .object([
                "ask": .string("left"), "device": .string(device.description), "take": .boolean(isTakenAway),
            ])
        }
    }

    /// Asks the house of a hub, or its files if it does not run: `hubpair-house ask` does, as whoever asks.
    package func ask(_ state: HubState) throws -> [String: JSONValue] {
        var question: [UInt8] = []
        json.write(to: &question)
        let words = ["ask", state.path, String(decoding: question, as: UTF8.self)]
        let bytes = try HouseTool.run(words, maximum: HouseFiles.maximumByteCount)
        guard let members = JSONValue(parsing: bytes)?.asObject else {
            throw HouseToolError("the answer of \(HouseTool.programName) cannot be read")
        }
        if let fault = HouseFault(.object(members)) { throw fault }
        return members
    }
}

/// What is wrong in the household, in the words of the house.
package struct HouseFault: Equatable, UserError {
    package let description: String
    package let hint: String?
    package var kind: UserErrorKind { .configuration }

    package init(words: String, hint: String?) { (description, self.hint) = (words, hint) }

    package init(_ error: any Error) {
        self.init(words: message(of: error), hint: (error as? any UserError)?.hint)
    }

    /// Nil for what is none.
    init?(_ json: JSONValue) {
        guard let members = json.asObject, let words = members["error"]?.asString else { return nil }
        self.init(words: words, hint: members["hint"]?.asString)
    }

    package var members: [String: JSONValue] {
        ["error": .string(description), "hint": hint.map(JSONValue.string)].compactMapValues(\.self)
    }
}

/// The keyfiles of the household, for the doctor.
package struct HouseFiles: Equatable, Sendable {
    /// JSON may take six bytes for one.
    static let maximumByteCount = 256 << 20

    /// By their names, those that there are and that can be read.
    package var contents: [String: [UInt8]] = [:]
    /// By the names of the files.
    package var faults: [String: HouseFault] = [:]
    /// What is wrong with each that is gone.
    package var lost: [HouseFault] = []

    package init() {}

    package init(of state: HubState) throws {
        let members = try HouseQuestion.files.ask(state)
        contents = members["files"]?.asObject?.compactMapValues { $0.asString.map { Array($0.utf8) } } ?? [:]
        faults = members["faults"]?.asObject?.compactMapValues { HouseFault($0) } ?? [:]
        if case .array(let values)? = members["lost"] { lost = values.compactMap { HouseFault($0) } }
    }

    package var members: [String: JSONValue] {
        [
            "files": .object(contents.mapValues { .string(String(decoding: $0, as: UTF8.self)) }),
            "faults": .object(faults.mapValues { .object($0.members) }),
            "lost": .array(lost.map { .object($0.members) }),
        ]
    }
}
