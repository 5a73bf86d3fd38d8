import GatewayRules
import Home
import JSON

/// A thing that has announced itself, and what its topics have told of it.
struct MQTTThing: Equatable, Sendable {
    let configuration: MQTTConfiguration
    private var values: [MQTTConfiguration.Part: String] = [:]
    /// By the availability's place; the last that was told.
    private var isThere: [Int: Bool] = [:]
    private var lastThere: Bool?
    private(set) var thing: HomeAssistantThing?
    /// In which round of announcements it has been seen last.
    var round = 0

    init(_ configuration: MQTTConfiguration, before: MQTTThing? = nil) {
        self.configuration = configuration
        if let before, before.configuration.sources == configuration.sources,
            before.configuration.availability == configuration.availability
        {
            (values, isThere, lastThere) = (before.values, before.isThere, before.lastThere)
        }
        thing = before?.thing
        rebuild()
    }

    /// - Returns: true if a topic of its state, not only of whether it is there, has told something.
    mutating func take(_ topic: String, _ message: MQTTMessage) -> Bool {
        var isNews = false
        for (part, source) in configuration.sources where source.topic == topic {
            guard let text = source.template.text(in: message), !text.isEmpty, text.utf8.count <= 255 else {
                continue
            }
            values[part] = text == "None" ? nil : text
            isNews = true
        }
        for (place, one) in configuration.availability.enumerated() where one.source.topic == topic {
            guard let text = one.source.template.text(in: message), text == one.yes || text == one.no else {
                continue
            }
            isThere[place] = text == one.yes
            lastThere = text == one.yes
        }
        rebuild()
        return isNews
    }

    private var isAvailable: Bool {
        guard !configuration.availability.isEmpty else { return true }
        return switch configuration.mode {
        case .all: configuration.availability.indices.allSatisfy { isThere[$0] == true }
        case .any: isThere.values.contains(true)
        case .latest: lastThere == true
        }
    }

    private mutating func rebuild() {
        thing = HomeAssistantThing(
            record, temperatureUnit: configuration.unit ?? "°C", before: thing, kind: .mqtt)
    }

    private func number(_ part: MQTTConfiguration.Part) -> Double? {
        values[part].flatMap { JSONValue(parsing: Array($0.utf8))?.asDouble }
    }

    /// As Home Assistant would tell of it.
    private var record: HomeAssistantRecord {
        var record = HomeAssistantRecord()
        record.entityID = configuration.entityID
        record.attributes.name = configuration.name
        record.attributes.deviceClass = configuration.deviceClass
        record.attributes.unit = configuration.unit
        record.state = isAvailable ? state(&record.attributes) ?? "unknown" : "unavailable"
        return record
    }

    /// Nil: nobody has told.
    private func state(_ attributes: inout HomeAssistantRecord.Attributes) -> String? {
        let words = configuration.words
        func either(_ on: String, _ off: String) -> String? {
            values[.state] == words.on ? on : values[.state] == words.off ? off : nil
        }
        switch configuration.component {
        case .light:
            if configuration.sources[.brightness] != nil, configuration.targets[.brightness] != nil {
                attributes.colourModes = ["brightness"]
                attributes.brightness = number(.brightness).flatMap(configuration.level).map { $0 * 255 }
            }
            return either("on", "off")
        case .switch, .binarySensor: return either("on", "off")
        case .lock: return either("locked", "unlocked") ?? values[.state].map { _ in "jammed" }
        case .cover:
            let level = number(.position).flatMap(configuration.level)
            if configuration.targets[.position] != nil { attributes.position = level.map { $0 * 100 } }
            attributes.features = configuration.targets[.state] == nil ? 0 : 3
            // Where it is says more than its word.
            if let level { return level == 0 ? "closed" : "open" }
            return either("open", "closed") ?? values[.state].map { _ in "moving" }
        case .sensor: return values[.state]
        case .number:
            (attributes.least, attributes.most) = (
                configuration.range?.lowerBound, configuration.range?.upperBound
            )
            return number(.state).flatMap { _ in values[.state] }
        case .climate:
            attributes.lowest = configuration.range?.lowerBound
            attributes.highest = configuration.range?.upperBound
            attributes.temperature = number(.target)
            attributes.currentTemperature = number(.current)
            attributes.hasModes = configuration.sources[.state] != nil && configuration.targets[.state] != nil
            if configuration.targets[.target] == nil { attributes.lowest = nil }
            guard attributes.hasModes else { return values.isEmpty ? nil : "there" }
            return values[.state]
        }
    }
}
