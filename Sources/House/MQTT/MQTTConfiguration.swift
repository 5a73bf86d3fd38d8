import Identity
import JSON

/// What a thing has announced of itself: where its values come from, and where orders for it go.
struct MQTTConfiguration: Equatable, Sendable {
    /// The kinds of things that come into the house.
    enum Component: String, CaseIterable {
        case light, `switch`, cover, lock, sensor, number, climate
        case binarySensor = "binary_sensor"
    }

    enum Part: CaseIterable, Hashable { case state, brightness, position, target, current }

    struct Source: Equatable, Sendable {
        let topic: String
        let template: MQTTTemplate
    }

    struct Target: Equatable, Sendable {
        let topic: String
        let template: MQTTOrderTemplate?
    }

    struct Availability: Equatable, Sendable {
        enum Mode: String { case all, any, latest }

        let source: Source
        let yes: String
        let no: String
    }

    /// Words by which it tells a state, or takes an order, with what Home Assistant has for them by itself.
    struct Words: Equatable, Sendable {
        var on: String
        var off: String
        var orderOn: String
        var orderOff: String
    }

    let component: Component
    let entityID: String
    let name: String
    let area: String?
    let deviceClass: String?
    let unit: String?
    let sources: [Part: Source]
    let targets: [Part: Target]
    let availability: [Availability]
    let mode: Availability.Mode
    let words: Words
    /// For people's eyes not: hidden by default, or of the device's own affairs.
    let isAside: Bool
    /// A light that takes and gives JSON.
    let isJSON: Bool
    /// True if an order for the brightness puts it on, too.
    let brightnessIsOn: Bool
    /// What its level 0 and 1 are.
    let range: ClosedRange<Double>?
    /// True if the level 0 is the upper end of the range.
    let isReversed: Bool
    let step: Double?
    let modes: [String]

    private static let maximumSources = 8

    init(
        _ component: Component, _ entityID: String, _ message: MQTTMessage
    ) throws(MQTTRefusal) {
        guard let members = message.json?.asObject else { throw .noJSON }
        let keys = MQTTKeys(members)
        (self.component, self.entityID) = (component, entityID)
        let device = keys["device"]?.asObject.map(MQTTKeys.init)
        name = MQTTConfiguration.name(keys.text("name"), device?.text("name"), entityID)
        area = device?.text("suggested_area").map { SafeText.escaped(shortened($0)) }
        deviceClass = keys.text("device_class")
        unit = keys.text("unit_of_measurement").flatMap { $0.utf8.count <= 64 ? $0 : nil }
        isAside = keys.text("entity_category") != nil || keys["enabled_by_default"] == .boolean(false)
        isJSON = component == .light && keys.text("schema") == "json"
        modes = keys.words("modes")
        step = keys.number("step").flatMap { $0 > 0 ? $0 : nil }
        brightnessIsOn = keys.text("on_command_type") == "brightness"
        (availability, mode) = try MQTTConfiguration.availability(keys)
        words = MQTTConfiguration.words(component, keys)
        if let key = ["code_format"].first(where: { keys.text($0) != nil }) { throw .wants(key) }
        switch component {
        case .light where keys.text("schema").map({ $0 != "json" && $0 != "basic" }) ?? false:
            throw .wants("schema")
        case .light, .switch, .cover, .lock, .sensor, .number, .climate, .binarySensor: break
        }
        (sources, targets) = try MQTTConfiguration.ways(component, keys, isJSON: isJSON)
        (range, isReversed) = MQTTConfiguration.range(component, keys)
        guard !sources.isEmpty else { throw .noState }
    }

    private static func name(_ own: String?, _ device: String?, _ entityID: String) -> String {
        let name =
            switch (own, device) {
            case (nil, nil): entityID
            case (let own?, nil): own
            case (nil, let device?): device
            case (let own?, let device?): own.hasPrefix(device) ? own : "\(device) \(own)"
            }
        return name.isEmpty ? entityID : name
    }

    private static func availability(
        _ keys: MQTTKeys
    ) throws(MQTTRefusal) -> ([Availability], Availability.Mode) {
        func one(_ keys: MQTTKeys, _ topic: String, _ template: String) throws(MQTTRefusal) -> Availability? {
            guard let topic = try keys.topic(topic) else { return nil }
            guard let read = MQTTTemplate(keys.text(template)) else { throw .template(template) }
            return Availability(
                source: Source(topic: topic, template: read), yes: keys.text("payload_available") ?? "online",
                no: keys.text("payload_not_available") ?? "offline")
        }
        let mode = keys.text("availability_mode").flatMap(Availability.Mode.init) ?? .latest
        guard case .array(let list)? = keys["availability"] else {
            return (try one(keys, "availability_topic", "availability_template").map { [$0] } ?? [], mode)
        }
        var all: [Availability] = []
        for value in list {
            guard all.count < maximumSources else { throw .wants("availability of too many topics") }
            guard var members = value.asObject else { throw .topic("availability") }
            members["~"] = keys["~"]
            guard let found = try one(MQTTKeys(members), "topic", "value_template") else {
                throw .topic("availability")
            }
            all.append(found)
        }
        return (all, mode)
    }

    private static func words(_ component: Component, _ keys: MQTTKeys) -> Words {
        func word(_ key: String, _ usual: String) -> String { keys.text(key) ?? usual }
        switch component {
        case .light, .switch:
            let (on, off) = (word("payload_on", "ON"), word("payload_off", "OFF"))
            return Words(on: word("state_on", on), off: word("state_off", off), orderOn: on, orderOff: off)
        case .cover:
            return Words(
                on: word("state_open", "open"), off: word("state_closed", "closed"),
                orderOn: word("payload_open", "OPEN"), orderOff: word("payload_close", "CLOSE"))
        case .lock:
            return Words(
                on: word("state_locked", "LOCKED"), off: word("state_unlocked", "UNLOCKED"),
                orderOn: word("payload_lock", "LOCK"), orderOff: word("payload_unlock", "UNLOCK"))
        case .binarySensor, .sensor, .number, .climate:
            return Words(
                on: word("payload_on", "ON"), off: word("payload_off", "OFF"), orderOn: "", orderOff: "")
        }
    }

    private static func ways(
        _ component: Component, _ keys: MQTTKeys, isJSON: Bool
    ) throws(MQTTRefusal) -> ([Part: Source], [Part: Target]) {
        var (sources, targets): ([Part: Source], [Part: Target]) = ([:], [:])
        func source(_ part: Part, _ topic: String, _ template: String) throws(MQTTRefusal) {
            guard let topic = try keys.topic(topic) else { return }
            guard let read = MQTTTemplate(keys.text(template)) else { throw .template(template) }
            sources[part] = Source(topic: topic, template: read)
        }
        func target(
            _ part: Part, _ topic: String, _ template: String, _ name: String = "value"
        ) throws(MQTTRefusal) {
            guard let topic = try keys.topic(topic) else { return }
            guard let read = MQTTOrderTemplate(keys.text(template), name: name) else {
                throw .template(template)
            }
            targets[part] = Target(topic: topic, template: read)
        }
        switch component {
        case .light where isJSON:
            guard let topic = try keys.topic("state_topic") else { throw .noState }
            sources[.state] = Source(topic: topic, template: .path([.key("state")]))
            let modes = Set(keys.words("supported_color_modes")).subtracting(["onoff"])
            let hasBrightness = keys["brightness"] == .boolean(true) || !modes.isEmpty
            if hasBrightness {
                sources[.brightness] = Source(topic: topic, template: .path([.key("brightness")]))
            }
            if let topic = try keys.topic("command_topic") {
                targets[.state] = Target(topic: topic, template: nil)
                if hasBrightness { targets[.brightness] = targets[.state] }
            }
        case .light:
            let template =
                keys.text("state_value_template") == nil ? "value_template" : "state_value_template"
            try source(.state, "state_topic", template)
            try target(.state, "command_topic", "command_template")
            try source(.brightness, "brightness_state_topic", "brightness_value_template")
            try target(.brightness, "brightness_command_topic", "brightness_command_template")
            guard sources[.state] != nil else { throw .noState }
        case .switch, .lock:
            try source(.state, "state_topic", "value_template")
            try target(.state, "command_topic", "command_template")
        case .cover:
            try source(.position, "position_topic", "position_template")
            do {
                try source(.state, "state_topic", "value_template")
            } catch {
                // A template that tells whether it moves; the position says the rest.
                guard sources[.position] != nil else { throw error }
            }
            try target(.state, "command_topic", "command_template")
            try target(.position, "set_position_topic", "set_position_template", "position")
        case .sensor, .binarySensor: try source(.state, "state_topic", "value_template")
        case .number:
            try source(.state, "state_topic", "value_template")
            try target(.state, "command_topic", "command_template")
        case .climate:
            try source(.target, "temperature_state_topic", "temperature_state_template")
            try target(.target, "temperature_command_topic", "temperature_command_template")
            try source(.current, "current_temperature_topic", "current_temperature_template")
            try source(.state, "mode_state_topic", "mode_state_template")
            try target(.state, "mode_command_topic", "mode_command_template")
        }
        return (sources, targets)
    }

    private static func range(_ component: Component, _ keys: MQTTKeys) -> (ClosedRange<Double>?, Bool) {
        let (low, high): (Double, Double)
        switch component {
        case .light: (low, high) = (0, keys.number("brightness_scale") ?? 255)
        case .cover: (low, high) = (keys.number("position_closed") ?? 0, keys.number("position_open") ?? 100)
        case .number: (low, high) = (keys.number("min") ?? 1, keys.number("max") ?? 100)
        case .climate: (low, high) = (keys.number("min_temp") ?? 7, keys.number("max_temp") ?? 35)
        case .switch, .lock, .sensor, .binarySensor: return (nil, false)
        }
        guard low != high, abs(low) < 1e6, abs(high) < 1e6 else { return (nil, false) }
        return (min(low, high)...max(low, high), low > high)
    }

    /// The topics that tell of it.
    var topics: Set<String> { Set(sources.values.map(\.topic) + availability.map(\.source.topic)) }

    func level(of value: Double) -> Double? {
        guard let range else { return nil }
        let level =
            (min(range.upperBound, max(range.lowerBound, value)) - range.lowerBound)
            / (range.upperBound - range.lowerBound)
        return isReversed ? 1 - level : level
    }

    /// As it stands in an order.
    func value(ofLevel level: Double) -> Double? {
        guard let range else { return nil }
        let value =
            range.lowerBound + (isReversed ? 1 - level : level) * (range.upperBound - range.lowerBound)
        let step = self.step ?? (component == .light || component == .cover ? 1 : nil)
        guard let step, (range.upperBound - range.lowerBound) / step < 1e9 else { return value }
        let rounded = range.lowerBound + ((value - range.lowerBound) / step).rounded() * step
        return min(range.upperBound, max(range.lowerBound, (rounded * 1e6).rounded() / 1e6))
    }
}
