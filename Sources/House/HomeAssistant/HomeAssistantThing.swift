import Crypto
import GatewayRules
import Home
import Household
import Identity
import JSON

/// An entity of Home Assistant's as an appliance of the house. Kinds of entities that are not here are left
/// out, and so are those that nobody is to see: nothing is guessed.
struct HomeAssistantThing: Equatable, Sendable {
    /// The kinds of entities that are appliances.
    enum Domain: String, CaseIterable {
        case light, `switch`, cover, lock, climate, fan, siren, valve, sensor, number
        case inputBoolean = "input_boolean"
        case binarySensor = "binary_sensor"
    }

    /// The activators, by their ids.
    enum Part: String {
        case on, brightness, hue, saturation, open, position, locked, target, temperature, speed, value
    }

    private static let maximumNameByteCount = 200

    let entityID: String
    let domain: Domain
    let device: ControlledDevice
    /// What the levels of its activators count.
    let units: [String: StateUnit]
    let attributes: HomeAssistantRecord.Attributes
    /// Home Assistant has no state of it: it is as it was.
    let isSilent: Bool
    /// Home Assistant says that it cannot reach it.
    let isUnavailable: Bool

    /// - Parameters:
    ///   - temperatureUnit: what degrees are counted in there.
    ///   - before: the same thing as it was: a lamp that is off has no colour, and keeps the one it had.
    ///   - kind: who tells of it in these words.
    init?(
        _ record: HomeAssistantRecord, temperatureUnit: String?, before: HomeAssistantThing? = nil,
        kind: JoinedKind = .homeAssistant
    ) {
        guard let entityID = record.entityID, let id = HomeAssistantThing.id(of: entityID, kind),
            let domain = entityID.firstIndex(of: ".").flatMap({ Domain(rawValue: String(entityID[..<$0])) }),
            let state = record.state
        else { return nil }
        (self.entityID, self.domain, attributes) = (entityID, domain, record.attributes)
        isUnavailable = state == "unavailable"
        isSilent = isUnavailable || state == "unknown"
        var parts = Parts(before)
        if !isSilent { parts.add(domain, state, attributes, temperatureUnit) }
        units = isSilent ? before?.units ?? [:] : parts.units
        let name = attributes.name ?? entityID
        let short = name.unicodeScalars.prefix(HomeAssistantThing.maximumNameByteCount / 4)
        device = ControlledDevice(
            id: id,
            name: name.utf8.count <= HomeAssistantThing.maximumNameByteCount
                ? name : String(String.UnicodeScalarView(short)),
            type: HomeAssistantThing.type(domain, attributes.deviceClass),
            activators: isSilent ? before?.device.activators ?? [] : parts.activators, extra: [:])
    }

    /// The id in the house; nil for what is no entity's id. A long one is cut and told apart by its hash.
    static func id(of entityID: String, _ kind: JoinedKind = .homeAssistant) -> String? {
        let isOne = entityID.utf8.allSatisfy {
            switch $0 {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "_"), UInt8(ascii: "."): true
            // The parts of a topic.
            case 0x41...0x5A, UInt8(ascii: "-"): kind == .mqtt
            default: false
            }
        }
        guard isOne, !entityID.isEmpty, entityID.utf8.count <= 255 else { return nil }
        let prefix = kind.prefix
        // So many bytes may stand in the path of a room's, a unit's or a timer's request.
        if prefix.utf8.count + entityID.utf8.count <= 64 { return prefix + entityID }
        let hash = SHA256.hash(data: Array(entityID.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        return prefix + entityID.prefix(64 - prefix.utf8.count - 17) + "~" + hash
    }

    /// The words by which the house knows what it is (``ApplianceKind``).
    private static func type(_ domain: Domain, _ deviceClass: String?) -> String {
        switch (domain, deviceClass) {
        case (.light, _): "Light"
        case (.switch, "outlet"): "Outlet"
        case (.switch, _), (.inputBoolean, _): "Switch"
        case (.cover, "garage"): "Garage door"
        case (.cover, "gate"): "Gate"
        case (.cover, "door"): "Door"
        case (.cover, "window"): "Window"
        case (.cover, _): "Cover"
        case (.lock, _): "Lock"
        case (.climate, _): "Thermostat"
        case (.fan, _): "Fan"
        case (.siren, _): "Siren"
        case (.valve, _): "Valve"
        case (.sensor, _): "Sensor"
        case (.number, _): "Number"
        case (.binarySensor, "door"), (.binarySensor, "opening"): "Door sensor"
        case (.binarySensor, "garage_door"): "Garage sensor"
        case (.binarySensor, "window"): "Window sensor"
        case (.binarySensor, "lock"): "Lock sensor"
        case (.binarySensor, "smoke"): "Smoke sensor"
        case (.binarySensor, "gas"), (.binarySensor, "carbon_monoxide"), (.binarySensor, "moisture"):
            "Leak sensor"
        case (.binarySensor, _): "Sensor"
        }
    }

    /// Collects the activators of a thing.
    private struct Parts {
        private let before: ControlledDevice?
        private(set) var activators: [Activator] = []
        private(set) var units: [String: StateUnit] = [:]

        init(_ before: HomeAssistantThing?) { self.before = before?.device }

        mutating func add(
            _ domain: Domain, _ state: String, _ attributes: HomeAssistantRecord.Attributes,
            _ temperatureUnit: String?
        ) {
            switch domain {
            case .light:
                add(.on, "On/Off", isSo: state == "on")
                let modes = Set(attributes.colourModes)
                guard !modes.subtracting(["onoff", "unknown"]).isEmpty else { return }
                let level = attributes.brightness.map { $0 / 255 }
                add(.brightness, "Brightness", level: state == "on" ? level : 0)
                guard !modes.isDisjoint(with: ["hs", "rgb", "rgbw", "rgbww", "xy"]) else { return }
                let colour = attributes.hueAndSaturation
                add(.hue, "Hue", level: colour.count == 2 ? colour[0] / 360 : nil, usual: 0)
                add(.saturation, "Saturation", level: colour.count == 2 ? colour[1] / 100 : nil, usual: 0)
            case .switch, .inputBoolean, .siren: add(.on, "On/Off", isSo: state == "on")
            case .fan:
                add(.on, "On/Off", isSo: state == "on")
                guard attributes.speed != nil || attributes.features & 1 != 0 else { return }
                add(.speed, "Speed", level: state == "on" ? attributes.speed.map { $0 / 100 } : 0)
            case .cover:
                // What moves is not closed.
                let isBlind = !["garage", "gate", "door", "window"].contains(attributes.deviceClass)
                if isBlind, let position = attributes.position {
                    add(.position, "Position", level: position / 100)
                } else if attributes.features & 3 != 0 {
                    add(.open, "Open", isSo: state != "closed")
                } else {
                    // It can be tilted, and no more.
                    add(.value, "State", .other("text"), .string(state))
                }
            case .valve: add(.open, "Open", isSo: state != "closed")
            // Jammed, or on its way, it is not locked.
            case .lock: add(.locked, "Locked", isSo: state == "locked")
            case .climate: addClimate(state, attributes, temperatureUnit)
            case .sensor: addSensor(state, attributes)
            case .number: addNumber(state, attributes)
            case .binarySensor: add(.value, HomeAssistantThing.word(attributes), isSo: state == "on")
            }
        }

        private mutating func addClimate(
            _ state: String, _ attributes: HomeAssistantRecord.Attributes, _ symbol: String?
        ) {
            if let low = attributes.lowest, let high = attributes.highest,
                let unit = try? StateUnit(symbol: symbol ?? "°C", from: low, to: high)
            {
                let level = attributes.temperature.flatMap { unit.level(of: min(high, max(low, $0))) }
                add(.target, "Target temperature", level: level)
                if activators.last?.id == Part.target.rawValue { units[Part.target.rawValue] = unit }
            }
            if attributes.hasModes { add(.on, "On/Off", isSo: state != "off") }
            if let now = attributes.currentTemperature {
                add(.temperature, "Temperature", .other("number"), .number(now))
            }
        }

        private mutating func addSensor(_ state: String, _ attributes: HomeAssistantRecord.Attributes) {
            let name = HomeAssistantThing.word(attributes)
            // As JSON has it: Double would read hexadecimal, infinities and NaN, too.
            guard let number = JSONValue(parsing: Array(state.utf8))?.asDouble, abs(number) < 1e12 else {
                return add(.value, name, .other("text"), .string(state))
            }
            if attributes.unit == "%" { return add(.value, name, level: number / 100) }
            guard let unit = attributes.unit.flatMap(HomeAssistantThing.unit) else {
                return add(.value, name, .other("number"), .number(number))
            }
            units[Part.value.rawValue] = unit
            add(.value, name, .float, .number((number - unit.from) / (unit.to - unit.from)))
        }

        private mutating func addNumber(_ state: String, _ attributes: HomeAssistantRecord.Attributes) {
            guard let number = JSONValue(parsing: Array(state.utf8))?.asDouble, let low = attributes.least,
                let high = attributes.most, low < high
            else { return }
            let level = (min(high, max(low, number)) - low) / (high - low)
            add(.value, HomeAssistantThing.word(attributes), level: level)
            units[Part.value.rawValue] = attributes.unit.flatMap {
                try? StateUnit(symbol: $0, from: low, to: high)
            }
        }

        private mutating func add(_ part: Part, _ name: String, isSo: Bool) {
            add(part, name, .bool, .boolean(isSo))
        }

        /// - Parameters:
        ///   - level: nil: as it was, or what is usual; without either there is no such activator yet.
        private mutating func add(_ part: Part, _ name: String, level: Double?, usual: Double? = nil) {
            let known = before?.activators.first { $0.id == part.rawValue }?.state.asDouble
            guard let level = level ?? known ?? usual else { return }
            add(part, name, .float, .number(level))
        }

        private mutating func add(_ part: Part, _ name: String, _ kind: Activator.Kind, _ state: JSONValue) {
            activators.append(
                Activator(
                    id: part.rawValue, rank: activators.count, name: name, kind: kind, state: state,
                    extra: [:]))
        }
    }

    /// What a sensor tells of, in a word.
    private static func word(_ attributes: HomeAssistantRecord.Attributes) -> String {
        switch attributes.deviceClass {
        case "door", "window", "garage_door", "opening": return "Open"
        case "lock": return "Unlocked"
        case "smoke", "gas", "carbon_monoxide", "moisture": return "Alarm"
        case let word?:
            let words = word.split(separator: "_").joined(separator: " ").prefix(40)
            return words.prefix(1).uppercased() + words.dropFirst()
        case nil: return "Value"
        }
    }

    /// What the level of a sensor with this unit counts: more than any such sensor tells of, so that no
    /// number is cut. Nil for others, which are told as the numbers they are.
    private static func unit(_ symbol: String) -> StateUnit? {
        let range: ClosedRange<Double>? =
            switch symbol {
            case "°C": -100...150
            case "°F": -150...300
            case "W": -50_000...50_000
            case "kW": -100...100
            case "V": 0...500
            case "A", "Hz", "m/s": 0...100
            case "lx": 0...200_000
            case "hPa", "mbar": 0...1_200
            case "ppm", "µg/m³": 0...10_000
            case "dB": 0...200
            case "km/h": 0...400
            case "mm": 0...1_000
            default: nil
            }
        return range.flatMap { try? StateUnit(symbol: symbol, from: $0.lowerBound, to: $0.upperBound) }
    }
}
