import Home
import JSON

/// An order for a thing, as the messages that carry it out.
struct MQTTOrder: Equatable, Sendable {
    struct Message: Equatable, Sendable {
        let topic: String
        let payload: [UInt8]
    }

    let messages: [Message]
    /// What the activator has to tell before the order is confirmed; nil: whatever it tells next. What moves
    /// takes its time.
    let awaited: JSONValue?

    init(_ one: MQTTThing, _ activator: String, to state: JSONValue) throws(ServerError) {
        let all = one.configuration
        guard let thing = one.thing, let part = HomeAssistantThing.Part(rawValue: activator),
            let now = thing.device.activators.first(where: { $0.id == activator })
        else { throw .noThing("activator") }
        func target(_ part: MQTTConfiguration.Part) throws(ServerError) -> MQTTConfiguration.Target {
            guard let target = all.targets[part] else {
                throw .cannot("\(all.name) only tells how it is; it is not set")
            }
            return target
        }
        func order(_ part: MQTTConfiguration.Part, _ text: String) throws(ServerError) -> Message {
            let target = try target(part)
            return Message(topic: target.topic, payload: target.template?.payload(text) ?? Array(text.utf8))
        }
        func value(_ state: JSONValue) throws(ServerError) -> String {
            guard let value = all.value(ofLevel: try HomeAssistantOrder.level(state)) else {
                throw .noThing("activator")
            }
            return JSONValue.plain(value).text
        }
        switch (all.component, part) {
        case (.light, .on) where all.isJSON:
            let isOn = try HomeAssistantOrder.flag(state)
            messages = [try order(.state, MQTTOrder.object(["state": .string(isOn ? "ON" : "OFF")]))]
            awaited = state
        case (.light, .on), (.switch, .on):
            let isOn = try HomeAssistantOrder.flag(state)
            messages = [try order(.state, isOn ? all.words.orderOn : all.words.orderOff)]
            awaited = state
        case (.light, .brightness):
            let level = try HomeAssistantOrder.level(state)
            let number = all.value(ofLevel: level) ?? 0
            if all.isJSON {
                let members: [String: JSONValue] =
                    number == 0
                    ? ["state": .string("OFF")] : ["state": .string("ON"), "brightness": .plain(number)]
                messages = [try order(.brightness, MQTTOrder.object(members))]
            } else if number == 0 {
                messages = [try order(.state, all.words.orderOff)]
            } else {
                let isOn = thing.device.activators.first { $0.id == "on" }?.state == .boolean(true)
                let first = isOn || all.brightnessIsOn ? [] : [try order(.state, all.words.orderOn)]
                messages = first + [try order(.brightness, JSONValue.plain(number).text)]
            }
            awaited = nil
        case (.cover, .open):
            let isOpen = try HomeAssistantOrder.flag(state)
            messages = [try order(.state, isOpen ? all.words.orderOn : all.words.orderOff)]
            awaited = nil
        case (.cover, .position): (messages, awaited) = ([try order(.position, value(state))], nil)
        case (.lock, .locked):
            let isLocked = try HomeAssistantOrder.flag(state)
            messages = [try order(.state, isLocked ? all.words.orderOn : all.words.orderOff)]
            awaited = nil
        case (.number, .value): (messages, awaited) = ([try order(.state, value(state))], nil)
        case (.climate, .target): (messages, awaited) = ([try order(.target, value(state))], nil)
        case (.climate, .on):
            let isOn = try HomeAssistantOrder.flag(state)
            let others = all.modes.filter { $0 != "off" }
            let wanted =
                isOn ? (others.contains("heat") ? "heat" : others.count == 1 ? others[0] : nil) : "off"
            guard let wanted, isOn || all.modes.contains("off") else {
                throw .cannot("\(all.name) does not say how it is put \(isOn ? "on" : "off")")
            }
            (messages, awaited) = ([try order(.state, wanted)], state)
        case (.sensor, _), (.binarySensor, _), (.climate, .temperature):
            throw .cannot("\(all.name) only tells how it is; it is not set")
        case (.light, _), (.switch, _), (.cover, _), (.lock, _), (.number, _), (.climate, _):
            throw .noThing("activator")
        }
        guard now.kind != .other("text") else { throw .noThing("activator") }
    }

    private static func object(_ members: [String: JSONValue]) -> String { JSONValue.object(members).text }
}

extension JSONValue {
    /// A whole number without a point: many a device takes no other.
    fileprivate static func plain(_ number: Double) -> JSONValue {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
