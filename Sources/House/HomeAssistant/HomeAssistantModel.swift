import GatewayRules
import Home
import Household
import Identity
import JSON

/// What is known of a Home Assistant: its messages in, the house's things out. No connection of its own.
///
/// A conversation begins with the token; then it asks for the registries and all states, after it has asked
/// to be told of changes, so that none is missed between the two.
struct HomeAssistantModel: Sendable {
    /// The most things that it may have; others are left out.
    static let maximumCount = 10_000

    /// What the house asks for at the beginning of a conversation.
    enum Question: CaseIterable {
        case changes, areaChanges, deviceChanges, entityChanges
        case configuration, areas, devices, entities, states

        var message: [String: JSONValue] {
            func subscription(_ event: String) -> [String: JSONValue] {
                ["type": .string("subscribe_events"), "event_type": .string(event)]
            }
            return switch self {
            case .changes: subscription("state_changed")
            case .areaChanges: subscription("area_registry_updated")
            case .deviceChanges: subscription("device_registry_updated")
            case .entityChanges: subscription("entity_registry_updated")
            case .configuration: ["type": .string("get_config")]
            case .areas: ["type": .string("config/area_registry/list")]
            case .devices: ["type": .string("config/device_registry/list")]
            case .entities: ["type": .string("config/entity_registry/list")]
            case .states: ["type": .string("get_states")]
            }
        }

        /// Nothing can be told without them.
        var isNeeded: Bool { self == .changes || self == .states }

        /// What is asked again when something has changed there.
        static func again(after event: String) -> [Question] {
            switch event {
            case "area_registry_updated", "device_registry_updated", "entity_registry_updated":
                [.areas, .devices, .entities]
            default: []
            }
        }
    }

    /// What is to be done after a message.
    enum Step: Equatable {
        case none
        /// Send the token.
        case authenticate
        /// There are questions to ask.
        case ask
        /// Things are others than before.
        case changed
        /// Somebody waits for the answer to this order.
        case answered(Int, failure: String?)
        /// The conversation cannot go on, or no other could.
        case fail(String, isLasting: Bool)
    }

    private(set) var version: String?
    private var temperatureUnit: String?
    private var areas: [String: String] = [:]
    private var deviceAreas: [String: String] = [:]
    private var entities: [String: HomeAssistantRecord] = [:]
    private var records: [String: HomeAssistantRecord] = [:]
    private var things: [String: HomeAssistantThing] = [:]
    /// The ids of things, in their order.
    private var order: [String] = []
    /// Those that wait for an answer.
    private var questions: [Int: Question] = [:]
    /// Those that are still to be asked, each once, however often there is a reason.
    private var due: Set<Question> = []
    private var hasAuthenticated = false
    private var isLetIn = false
    private var lastID = 0
    private var isToldOfAll = false

    /// True once all that there is has been told.
    var isReady: Bool { isToldOfAll && questions.isEmpty }

    /// How many entities are left out, since there are too many.
    private(set) var leftOut = 0

    /// A new conversation begins; what was known stays known.
    mutating func begin() {
        (questions, due, lastID, isToldOfAll) = ([:], [], 0, false)
        (hasAuthenticated, isLetIn) = (false, false)
    }

    /// The id of the next message.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// The messages that ask what is to be asked now. While some wait for an answer no other is asked, so
    /// that one who gives none, and reasons without end, has a few at most.
    mutating func nextQuestions() -> [JSONValue] {
        guard questions.isEmpty, !due.isEmpty else { return [] }
        defer { due = [] }
        return Question.allCases.filter(due.contains).map { question in
            let id = nextID()
            questions[id] = question
            return .object(question.message.merging(["id": .integer(Int64(id))]) { one, _ in one })
        }
    }

    mutating func take(_ message: HomeAssistantMessage) -> Step {
        switch message.type {
        case "auth_required" where !hasAuthenticated:
            hasAuthenticated = true
            return .authenticate
        case "auth_ok" where !isLetIn:
            isLetIn = true
            due = Set(Question.allCases)
            return .ask
        case "auth_invalid": return .fail("it does not take the token of this hub", isLasting: true)
        case "result":
            guard let id = message.id else { return .none }
            guard let question = questions.removeValue(forKey: id) else {
                return .answered(id, failure: message.isSuccess ? nil : message.words ?? "no reason")
            }
            guard message.isSuccess || !question.isNeeded else {
                return .fail(
                    "it does not tell its states: \(shortened(message.words ?? "no reason"))",
                    isLasting: false)
            }
            // A user who is no administrator of it may see less.
            if message.isSuccess { take(message.result, as: question) }
            guard questions.isEmpty, isToldOfAll else { return .none }
            rebuild()
            return .changed
        case "event":
            guard let event = message.event else { return .none }
            if event.type == "state_changed" { return take(event) }
            let again = isLetIn ? Question.again(after: event.type) : []
            due.formUnion(again)
            return again.isEmpty ? .none : .ask
        default: return .none
        }
    }

    private mutating func take(_ result: HomeAssistantMessage.Result, as question: Question) {
        let list = if case .records(let list) = result { list } else { [HomeAssistantRecord]() }
        func pairs(_ key: (HomeAssistantRecord) -> String?, _ value: (HomeAssistantRecord) -> String?)
            -> [String: String]
        {
            Dictionary(
                list.compactMap { record in key(record).flatMap { key in value(record).map { (key, $0) } } }
            ) { _, last in last }
        }
        switch question {
        case .changes, .areaChanges, .deviceChanges, .entityChanges: break
        case .configuration:
            if case .record(let record) = result {
                (temperatureUnit, version) = (record.temperatureUnit, record.version)
            }
        case .areas: areas = pairs(\.areaID, \.name)
        case .devices: deviceAreas = pairs(\.id, \.areaID)
        case .entities:
            entities = Dictionary(
                list.compactMap { record in record.entityID.map { ($0, record) } }
            ) { _, last in last }
        case .states:
            records = Dictionary(
                list.compactMap { record in record.entityID.map { ($0, record) } }
            ) { _, last in last }
            isToldOfAll = true
        }
    }

    private mutating func take(_ event: HomeAssistantMessage.Event) -> Step {
        guard let entityID = event.entityID else { return .none }
        if let record = event.state, record.entityID == entityID {
            guard records[entityID] != nil || records.count < HomeAssistantMessage.maximumCount else {
                return .none
            }
            records[entityID] = record
        } else {
            records[entityID] = nil
        }
        // While a registry is asked again, what is known of it does.
        guard !things.isEmpty || isReady, let id = HomeAssistantThing.id(of: entityID) else { return .none }
        let before = things[id]
        let thing = records[entityID].flatMap { self.thing($0, before) }
        guard thing != before else { return .none }
        switch (thing, before) {
        case (nil, _): order.removeAll { $0 == id }
        case (_?, nil):
            guard order.count < HomeAssistantModel.maximumCount else { return .none }
            order.append(id)
        case (_?, _?): break
        }
        things[id] = thing
        return .changed
    }

    private func thing(_ record: HomeAssistantRecord, _ before: HomeAssistantThing?) -> HomeAssistantThing? {
        guard record.entityID.flatMap({ entities[$0] })?.isAside != true else { return nil }
        return HomeAssistantThing(record, temperatureUnit: temperatureUnit, before: before)
    }

    private mutating func rebuild() {
        let all = records.values.sorted { ($0.entityID ?? "") < ($1.entityID ?? "") }.compactMap { record in
            thing(record, record.entityID.flatMap({ HomeAssistantThing.id(of: $0) }).flatMap { things[$0] })
        }
        let kept = all.prefix(HomeAssistantModel.maximumCount)
        leftOut = all.count - kept.count
        things = Dictionary(kept.map { ($0.device.id, $0) }) { one, _ in one }
        order = kept.map(\.device.id)
    }

    // MARK: The house's side

    func thing(_ id: String) -> HomeAssistantThing? { things[id] }

    /// Those of which there is a state.
    var devices: [ControlledDevice] {
        order.compactMap { things[$0] }.filter { !$0.isSilent }.map(\.device)
    }

    /// The ids of those that Home Assistant itself has no state of.
    var unanswered: Set<String> { Set(things.values.filter(\.isSilent).map(\.device.id)) }

    /// What Home Assistant knows of a thing besides; nil for one that is not there.
    func hints(_ id: String) -> ThingHints? {
        guard let thing = things[id] else { return nil }
        let entity = entities[thing.entityID]
        let area = entity?.areaID ?? entity?.deviceID.flatMap { deviceAreas[$0] }
        return ThingHints(thing: id, room: area.flatMap { areas[$0] }, units: thing.units)
    }
}
