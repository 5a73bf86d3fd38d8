import Home
import JSON

/// An order for a thing of Home Assistant's, as the service that carries it out.
struct HomeAssistantOrder: Equatable, Sendable {
    let domain: String
    let service: String
    let data: [String: JSONValue]
    let entityID: String

    init(_ thing: HomeAssistantThing, _ activator: String, to state: JSONValue) throws(ServerError) {
        guard let part = HomeAssistantThing.Part(rawValue: activator),
            thing.device.activators.contains(where: { $0.id == activator })
        else { throw .noThing("activator") }
        entityID = thing.entityID
        let word = thing.domain.rawValue
        func order(_ service: String, _ data: [String: JSONValue] = [:]) -> Parts { (service, data) }
        func percent(_ level: Double) -> JSONValue { .integer(Int64((level * 100).rounded())) }
        let parts: Parts
        switch (thing.domain, part) {
        case (.light, .on), (.switch, .on), (.inputBoolean, .on), (.fan, .on), (.siren, .on),
            (.climate, .on):
            parts = order(try HomeAssistantOrder.flag(state) ? "turn_on" : "turn_off")
        case (.light, .brightness):
            let level = try HomeAssistantOrder.level(state)
            let value = Int64((level * 255).rounded())
            parts = value == 0 ? order("turn_off") : order("turn_on", ["brightness": .integer(value)])
        case (.light, .hue), (.light, .saturation):
            let level = try HomeAssistantOrder.level(state)
            func now(_ part: HomeAssistantThing.Part) -> Double {
                thing.device.activators.first { $0.id == part.rawValue }?.state.asDouble ?? 0
            }
            let hue = part == .hue ? level : now(.hue)
            let saturation = part == .saturation ? level : now(.saturation)
            parts = order(
                "turn_on", ["hs_color": .array([.number(hue * 360), .number(saturation * 100)])])
        case (.fan, .speed):
            parts = order("set_percentage", ["percentage": percent(try HomeAssistantOrder.level(state))])
        case (.cover, .open): parts = order(try HomeAssistantOrder.flag(state) ? "open_cover" : "close_cover")
        case (.cover, .position):
            parts = order("set_cover_position", ["position": percent(try HomeAssistantOrder.level(state))])
        case (.valve, .open): parts = order(try HomeAssistantOrder.flag(state) ? "open_valve" : "close_valve")
        case (.lock, .locked): parts = order(try HomeAssistantOrder.flag(state) ? "lock" : "unlock")
        case (.climate, .target):
            guard let unit = thing.units[activator] else { throw .noThing("activator") }
            let value = unit.value(ofLevel: try HomeAssistantOrder.level(state))
            parts = order("set_temperature", ["temperature": .number(value)])
        case (.number, .value):
            guard let low = thing.attributes.least, let high = thing.attributes.most else {
                throw .noThing("activator")
            }
            let value = low + (try HomeAssistantOrder.level(state)) * (high - low)
            parts = order("set_value", ["value": .number((value * 1e6).rounded() / 1e6)])
        case (.sensor, _), (.binarySensor, _), (.climate, .temperature):
            throw .cannot("\(thing.entityID) of Home Assistant only tells how something is; it is not set")
        // No thing has such an activator.
        case (.light, _), (.switch, _), (.inputBoolean, _), (.fan, _), (.siren, _), (.cover, _), (.valve, _),
            (.lock, _), (.climate, _), (.number, _):
            throw .noThing("activator")
        }
        (domain, service, data) = (word, parts.service, parts.data)
    }

    private typealias Parts = (service: String, data: [String: JSONValue])

    static func flag(_ state: JSONValue) throws(ServerError) -> Bool {
        guard case .boolean(let value) = state else { throw .badState("<class 'bool'>") }
        return value
    }

    static func level(_ state: JSONValue) throws(ServerError) -> Double {
        guard let level = state.asDouble, (0...1).contains(level) else {
            throw .badState("<class 'float'>")
        }
        return level
    }

    /// The message that asks for it.
    func message(id: Int) -> JSONValue {
        .object([
            "id": .integer(Int64(id)), "type": .string("call_service"), "domain": .string(domain),
            "service": .string(service), "service_data": .object(data),
            "target": .object(["entity_id": .string(entityID)]),
        ])
    }
}
