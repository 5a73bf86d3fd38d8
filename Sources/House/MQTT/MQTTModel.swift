import GatewayRules
import Home
import Household
import JSON

/// What is known of the things at an MQTT broker: messages in, the house's things out. No connection of its
/// own.
///
/// Things announce themselves below `homeassistant/`, in messages that the broker keeps, and name the topics
/// that tell of them. Anybody who may write there can be a liar: each message is bounded, and so is what is
/// kept of it.
struct MQTTModel: Sendable {
    /// The most things; others are left out.
    static let maximumCount = 2_000
    static let maximumTopicByteCount = 256
    static let prefix = "homeassistant/"
    /// Where things announce themselves, with and without a name for the device.
    static let announcements = ["homeassistant/+/+/config", "homeassistant/+/+/+/config"]
    /// Where Home Assistant says that it is there: zigbee2mqtt and Tasmota tell all they know then.
    static let greeting = "homeassistant/status"

    /// What is to be done after a message.
    struct Step: Equatable {
        var subscribe: [String] = []
        var unsubscribe: [String] = []
        /// Things are others than before.
        var isChange = false
        /// The things whose state a message has told.
        var told: [String] = []
        /// A thing that stays outside, and why.
        var refused: (topic: String, why: MQTTRefusal)?

        static func == (one: Step, other: Step) -> Bool {
            one.subscribe == other.subscribe && one.unsubscribe == other.unsubscribe
                && one.isChange == other.isChange && one.told == other.told
                && one.refused?.topic == other.refused?.topic && one.refused?.why == other.refused?.why
        }
    }

    private var things: [String: MQTTThing] = [:]
    /// The ids of things, in their order.
    private var order: [String] = []
    /// Which things a topic tells of.
    private var listeners: [String: Set<String>] = [:]
    private var round = 0
    /// How many announcements were of things that there is no room for, in this round.
    private(set) var leftOut = 0

    /// A new conversation begins; what was known stays known until all have announced themselves.
    mutating func begin() -> [String] {
        round += 1
        leftOut = 0
        return listeners.keys.sorted()
    }

    /// All that the broker keeps has been told: whoever has not announced himself is gone.
    mutating func end() -> Step {
        var step = Step()
        for id in order where things[id]?.round != round { remove(id, &step) }
        return step
    }

    mutating func take(_ topic: String, _ payload: [UInt8]) -> Step {
        if topic.utf8.starts(with: MQTTModel.prefix.utf8) { return announce(topic, payload) }
        var step = Step()
        guard let ids = listeners[topic], let message = MQTTMessage(payload) else { return step }
        for id in ids.sorted() {
            guard var thing = things[id] else { continue }
            let before = thing.thing
            if thing.take(topic, message) { step.told.append(id) }
            step.isChange = step.isChange || thing.thing != before
            things[id] = thing
        }
        return step
    }

    // MARK: Announcements

    private mutating func announce(_ topic: String, _ payload: [UInt8]) -> Step {
        var step = Step()
        guard let (component, entityID) = MQTTModel.entity(topic),
            let id = HomeAssistantThing.id(of: entityID, .mqtt)
        else { return step }
        guard !payload.isEmpty else {
            remove(id, &step)
            return step
        }
        do throws(MQTTRefusal) {
            guard let message = MQTTMessage(payload) else { throw .noJSON }
            let configuration = try MQTTConfiguration(component, entityID, message)
            guard !configuration.isAside else {
                remove(id, &step)
                return step
            }
            put(id, configuration, &step)
        } catch {
            remove(id, &step)
            step.refused = (topic, error)
        }
        return step
    }

    /// `homeassistant/light/kitchen/lamp/config`: a `light` called `light.kitchen.lamp`. Nil for kinds that
    /// do not come into the house.
    static func entity(_ topic: String) -> (MQTTConfiguration.Component, String)? {
        guard topic.utf8.count <= maximumTopicByteCount else { return nil }
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count == 5, parts.last == "config",
            let component = MQTTConfiguration.Component(rawValue: parts[1])
        else { return nil }
        let names = parts[2..<(parts.count - 1)]
        let isName = names.allSatisfy { name in
            !name.isEmpty
                && name.utf8.allSatisfy {
                    switch $0 {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
        return isName ? (component, ([parts[1]] + names).joined(separator: ".")) : nil
    }

    private mutating func put(_ id: String, _ configuration: MQTTConfiguration, _ step: inout Step) {
        let before = things[id]
        guard before != nil || things.count < MQTTModel.maximumCount else {
            leftOut += 1
            return
        }
        var thing = MQTTThing(configuration, before: before)
        thing.round = round
        things[id] = thing
        if before == nil { order.append(id) }
        step.isChange = before?.thing != thing.thing
        guard before?.configuration != configuration else { return }
        let (old, new) = (before?.configuration.topics ?? [], configuration.topics)
        listen(id, no: old.subtracting(new), &step)
        for topic in new { listeners[topic, default: []].insert(id) }
        // Also those that are known already: only then the broker says again what it keeps there.
        step.subscribe += new.sorted()
    }

    private mutating func remove(_ id: String, _ step: inout Step) {
        guard let thing = things.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        listen(id, no: thing.configuration.topics, &step)
        step.isChange = true
    }

    private mutating func listen(_ id: String, no topics: Set<String>, _ step: inout Step) {
        for topic in topics.sorted() {
            listeners[topic]?.remove(id)
            guard listeners[topic]?.isEmpty == true else { continue }
            listeners[topic] = nil
            step.unsubscribe.append(topic)
        }
    }

    // MARK: The house's side

    func thing(_ id: String) -> MQTTThing? { things[id] }

    /// Those of which there is a state.
    var devices: [ControlledDevice] {
        order.compactMap { things[$0]?.thing }.filter { !$0.isSilent }.map(\.device)
    }

    /// The ids of those of which nobody has told yet, or which are away.
    var unanswered: Set<String> {
        Set(things.compactMap { $0.value.thing?.isSilent ?? true ? $0.key : nil })
    }

    var count: Int { things.count }

    func hints(_ id: String) -> ThingHints? {
        guard let thing = things[id] else { return nil }
        return ThingHints(thing: id, room: thing.configuration.area, units: thing.thing?.units ?? [:])
    }
}
