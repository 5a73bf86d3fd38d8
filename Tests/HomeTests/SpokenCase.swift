import Home
import JSON
import Testing

/// A sentence said in one of three houses, and what is to come of it.
struct SpokenCase: Sendable, CustomTestStringConvertible {
    let house: [ControlledDevice]
    let sentence: String
    let expected: String

    var testDescription: String { sentence }

    /// Lines of `sentence => expected`.
    static func read(_ family: String, small: String, odd: String) -> [SpokenCase] {
        read(family, in: Self.family) + read(small, in: Self.small) + read(odd, in: Self.odd)
    }

    /// The same in one house.
    static func read(_ table: String, in house: [ControlledDevice]) -> [SpokenCase] {
        table.split(separator: "\n").map { line in
            let halves = line.split(separator: " => ", maxSplits: 1, omittingEmptySubsequences: false)
            // A line that is not in two halves fails, as nothing comes out of a sentence as "?".
            return SpokenCase(
                house: house, sentence: String(halves[0]),
                expected: halves.count == 2 ? String(halves[1]) : "?")
        }
    }

    /// What comes of it: `Hall lamp on, TV off -Front door`, or `!leftOver is`.
    var outcome: String {
        do {
            let understood = try SpokenTargets(devices: house).orders(of: SpokenSentence(sentence))
            let locks = understood.leftAlone.map { " -\($0.name)" }.joined()
            return understood.orders.map(text).joined(separator: ", ") + locks
        } catch let error as SpokenError {
            return "!" + SpokenCase.text(error)
        } catch {
            return "!\(error)"
        }
    }

    private func text(_ order: Order) -> String {
        let name = house.first { $0.id == order.device }?.name ?? "?"
        switch order.state {
        case .boolean(let isOn): return "\(name) \(isOn ? "on" : "off")"
        default: return name + (order.state.asDouble.map { " \(Int(($0 * 1000).rounded()))‰" } ?? "?")
        }
    }

    private static func text(_ error: SpokenError) -> String {
        switch error {
        case .empty: "empty"
        case .tooLong: "tooLong"
        case .question: "question"
        case .noThing: "noThing"
        case .nothingLeft: "nothingLeft"
        case .leftOver(let word, _): "leftOver \(word)"
        case .unknown(_, let near): "unknown" + near.map { " ?\($0)" }.joined()
        case .ambiguous(_, let names, let all): "ambiguous \(names.count)" + (all.map { " ?\($0)" } ?? "")
        default: Mirror(reflecting: error).children.first?.label ?? "?"
        }
    }

    static let family = [
        device("Front door", "Lock"), device("Hall door", "Lock"), device("Garage door", "Switch"),
        device("Kitchen light", "Light", level: 0.5), device("Hall lamp", "Light", level: 0.5),
        device("Bedroom 2 light", "Light"), device("Lamp 1", "Light", level: 0.5),
        device("Lamp 2", "Light", level: 0.5), device("Christmas tree", "Switch"),
        device("Living room heater", "Switch"), device("TV", "Switch"),
    ].compactMap { $0 }

    static let small = [
        device("Lamp 1", "Light", level: 0.2), device("Wall lamp", "Switch"), device("Front door", "Lock"),
    ].compactMap { $0 }

    static let odd = [
        device("Bed and Breakfast lamp", "Light", level: 0.5), device("On Air sign", "Switch"),
        device("TV on wall", "Switch"), device("Lamp A", "Light", level: 0.5),
        device("Lamp", "Light", level: 0.5),
        device("Café light", "Light", level: 0.5), device("Anna's lamp", "Light"),
        device("All Saints lamp", "Light"), device("Dr. Mayer's lamp", "Light"),
        device("Lamp by the door", "Light"), device("Not", "Switch"), device("Safe é", "Safe"),
        device("Hill lamp", "Light"), device("Hull fan", "Fan"), device("Scene 4 light", "Light"),
        device("Light 4 scene", "Light"),
    ].compactMap { $0 }

    /// Names that hold the words of places, lists and sequences; and a light that knows levels only.
    static let grammar = [
        device("Kitchen light", "Light", level: 0.5), device("Kitchen fan", "Fan"),
        device("Kitchen in the attic", "Light"), device("Hall lamp", "Light", level: 0.5),
        device("Hallway light", "Light"), device("Lamp at the door", "Light", level: 0.5),
        device("Door lamp", "Light"), device("Lamp near window", "Light"), device("Then", "Switch"),
        device("Heater", "Switch"), device("Oven", "Switch"), device("TV", "Switch"),
        device("Back door", "Lock"), device("Porch", "Light", level: 0.5, isDimmerOnly: true),
    ].compactMap { $0 }

    /// Devices that are called so.
    static let numbered = [device("Device 0", "Light"), device("Device 1", "Lock")].compactMap { $0 }
    static let mixed = [device("Device 0", "Light"), device("TV", "Switch")].compactMap { $0 }

    /// A device that is off; with a level, it has a dimmer.
    private static func device(
        _ name: String, _ type: String, level: Double? = nil, isDimmerOnly: Bool = false
    ) -> ControlledDevice? {
        func activator(_ id: String, _ rank: Int64, _ name: String, _ type: String, _ state: JSONValue)
            -> JSONValue
        {
            .object([
                "activatorId": .string(id), "rank": .integer(rank), "name": .string(name),
                "type": .string(type),
                "state": state,
            ])
        }
        var activators = [
            activator("\(name) 0", 0, type == "Lock" ? "Activate" : "On/Off", "bool", .boolean(false))
        ]
        if let level { activators.append(activator("\(name) 1", 1, "Dimmer", "float", .number(level))) }
        if isDimmerOnly { activators = [activator("\(name) 1", 0, "Dimmer", "float", .number(level ?? 0))] }
        let device = JSONValue.object([
            "deviceId": .string("id of \(name)"), "name": .string(name), "type": .string(type),
            "activators": .array(activators),
        ])
        return ControlledDevice.list(parsing: Array("[\(device.text)]".utf8))?.first
    }
}
