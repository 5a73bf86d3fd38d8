import JSON
import Testing

@testable import Home

/// A house with rooms and floors for the sentences of the tests, in English and in German.
enum SentenceHouse {
    /// One appliance: its name and type, and its activators with their states.
    static func device(
        _ name: String, _ type: String, _ activators: [(String, JSONValue)]
    ) -> ControlledDevice {
        ControlledDevice(
            id: "id of \(name)", name: name, type: type,
            activators: activators.enumerated().map { rank, activator in
                let isBool = if case .boolean = activator.1 { true } else { false }
                return Activator(
                    id: "\(name) \(rank)", rank: rank, name: activator.0, kind: isBool ? .bool : .float,
                    state: activator.1, extra: [:])
            }, extra: [:])
    }

    static func lamp(_ name: String, _ isOn: Bool, _ level: Double) -> ControlledDevice {
        device(name, "Light", [("On/Off", .boolean(isOn)), ("Brightness", .number(level))])
    }

    static let english = [
        lamp("Kitchen light", true, 0.5), lamp("Counter lamp", true, 0.8), lamp("Ceiling light", false, 0.4),
        lamp("Reading lamp", true, 0.3), lamp("Bedroom light", true, 0.6), lamp("Bedside lamp", false, 0.2),
        lamp("Hall light", true, 1), lamp("Bathroom light", false, 0.5),
        device("Front door", "Lock", [("Locked", .boolean(true))]),
        device("Back door", "Lock", [("Locked", .boolean(false))]),
        device("Bedroom blinds", "Blind", [("Position", .number(1))]),
        device("Kitchen blind", "Blind", [("Position", .number(0))]),
        device("Living room heating", "Heating", [("Level", .number(0.5))]),
        device("TV", "Switch", [("On/Off", .boolean(true))]),
        device("Coffee machine", "Switch", [("On/Off", .boolean(false))]),
        device("Fan", "Fan", [("On/Off", .boolean(false))]),
    ]
    static let englishRooms = [
        room("Kitchen", "downstairs", ["Kitchen light", "Counter lamp", "Kitchen blind", "Coffee machine"]),
        room("Living room", "downstairs", ["Ceiling light", "Reading lamp", "Living room heating", "TV"]),
        room("Hall", "downstairs", ["Hall light", "Front door"]),
        room("Bedroom", "upstairs", ["Bedroom light", "Bedside lamp", "Bedroom blinds", "Fan"]),
        room("Bathroom", "upstairs", ["Bathroom light"]),
    ]
    static let englishScenes = ["Goodnight", "Movie night", "Dinner"]

    static let german = [
        lamp("Küchenlicht", true, 0.5), lamp("Stehlampe", true, 0.3), lamp("Deckenlampe", false, 0.4),
        lamp("Schlafzimmerlicht", true, 0.6), lamp("Nachttischlampe", false, 0.2), lamp("Flurlicht", true, 1),
        lamp("Badlicht", false, 0.5), device("Haustür", "Lock", [("Locked", .boolean(true))]),
        device("Kellertür", "Lock", [("Locked", .boolean(false))]),
        device("Rollo Schlafzimmer", "Blind", [("Position", .number(1))]),
        device("Küchenrollo", "Blind", [("Position", .number(0))]),
        device("Heizung Wohnzimmer", "Heating", [("Level", .number(0.5))]),
        device("Fernseher", "Switch", [("On/Off", .boolean(true))]),
        device("Kaffeemaschine", "Switch", [("On/Off", .boolean(false))]),
    ]
    static let germanRooms = [
        room("Küche", "unten", ["Küchenlicht", "Küchenrollo", "Kaffeemaschine"]),
        room("Wohnzimmer", "unten", ["Stehlampe", "Deckenlampe", "Heizung Wohnzimmer", "Fernseher"]),
        room("Flur", "unten", ["Flurlicht", "Haustür"]),
        room("Schlafzimmer", "oben", ["Schlafzimmerlicht", "Nachttischlampe", "Rollo Schlafzimmer"]),
        room("Bad", "oben", ["Badlicht"]),
    ]
    static let germanScenes = ["Gute Nacht", "Filmabend"]

    private static func room(_ name: String, _ area: String, _ devices: [String]) -> Room {
        Room(id: name, name: name, area: area, devices: devices.map { "id of \($0)" })
    }

    static let inEnglish = SpokenTargets(devices: english, rooms: englishRooms, scenes: englishScenes)
    static let inGerman = SpokenTargets(
        devices: german, rooms: germanRooms, scenes: germanScenes, language: .german)

    /// What comes of a sentence, the orders by name: `Fan on, TV off`, `scene Dinner`, `yes Front door`, `-`
    /// for nothing; `at 22:15 Fan on`, `until 22:00 Fan on`, `for 10 min Fan on` with a time; and `!` for a
    /// refusal.
    static func outcome(
        _ sentence: String, _ targets: SpokenTargets, _ language: SpokenLanguage = .english
    ) -> String {
        if let time = SpokenTime(sentence, language) ?? SpokenTime(sentence, .english) {
            let order = outcome(time.rest, targets, language)
            // Only orders have a time.
            let others = ["!", "scene ", "yes ", "no ", "some ", "unknown ", "? "]
            let isOrder = !others.contains(where: order.hasPrefix)
            return isOrder ? "\(text(time.kind)) \(order)" : "!"
        }
        guard let meaning = try? targets.meaning(of: sentence) else { return "!" }
        switch meaning {
        case .scene(let name): return "scene \(name)"
        case .answer(let answer):
            let names = answer.rows.map(\.device.name).sorted().joined(separator: ", ")
            return "\(answer.verdict?.rawValue ?? "?") \(names)"
        case .orders(let understood):
            return understood.orders.map { text($0, targets) }.sorted().joined(separator: ", ")
        }
    }

    private static func text(_ time: SpokenTime.Kind) -> String {
        func clock(_ hour: Int, _ minute: Int) -> String {
            minute < 10 ? "\(hour):0\(minute)" : "\(hour):\(minute)"
        }
        return switch time {
        case .lasting(let seconds): "for \(seconds / 60) min"
        case .later(let seconds): "in \(seconds / 60) min"
        case .until(let hour, let minute, _): "until \(clock(hour, minute))"
        case .at(let hour, let minute, _): "at \(clock(hour, minute))"
        }
    }

    static func text(_ order: Order, _ targets: SpokenTargets) -> String {
        let device = targets.devices.first { $0.id == order.device }
        let activator = device?.activators.first { $0.id == order.activator }
        let state: String
        switch (order.state, activator?.name) {
        case (.boolean(let isOn), "Locked"): state = isOn ? "locked" : "unlocked"
        case (.boolean(let isOn), _): state = isOn ? "on" : "off"
        case (let level, _): state = "\(Int(((level.asDouble ?? -1) * 100).rounded()))%"
        }
        return "\(device?.name ?? "?") \(state)"
    }
}
