import ArgumentParser
import Home
import HubClient
import Identity
import JSON

/// `hubpair home unit`: what the levels of an activator count.
struct HomeUnitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "Say what the levels of a heating, a blind or a timer count: degrees, minutes.",
        usage:
            "hubpair home unit [<appliance> [[<activator>] <symbol> <range> | --clear]] "
            + "[--activator <activator>] [--hub <hub>] [--config <directory>] [--json]",
        discussion: """
            <range> is what 0% and 100% are. The hub keeps it for everybody, beside the rooms; a stock hub \
            keeps none. Then a number is one of these, with 'home set' and in a sentence: 'hubpair home set \
            Thermostat 21' is 21 °C. \
            Without <symbol> the unit is shown, without <appliance> all of them.

            EXAMPLES:
              hubpair home unit                         # all of them
              hubpair home unit Thermostat °C 5..30
              hubpair home unit Sprinkler Minutes min 0..90
              hubpair home unit Thermostat --clear
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Flag(help: "Take the unit away.") var clear = false
    @Option(
        help: ArgumentHelp("The activator. (default: the one for a level)", valueName: "activator"))
    var activator: String?
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String?
    @Argument(help: ArgumentHelp("°C, min, lx: 1 to 16 bytes.", valueName: "symbol")) var second: String?
    @Argument(help: ArgumentHelp("What 0% and 100% are, like 5..30.", valueName: "range")) var third: String?
    @Argument(help: .hidden) var fourth: String?

    // The activator may stand behind the appliance, as with 'home set'.
    private var named: String? { fourth == nil ? activator : second }
    private var symbol: String? { fourth == nil ? second : third }
    private var range: String? { fourth ?? third }

    func validate() throws {
        guard fourth == nil || activator == nil else {
            throw ValidationError("the activator is named twice. Leave one out")
        }
        guard symbol == nil || range != nil else {
            // `home unit Thermometer 5..30`
            let isRange = symbol?.contains("..") == true
            let said = isRange ? ["°C", symbol] : [symbol, "5..30"]
            let line = SuggestedLine(["home", "unit"], ([device] + said).compactMap(\.self))
            throw ValidationError("missing: the range. Say what 0% and 100% are: \(line)")
        }
        guard !clear || symbol == nil && device != nil else {
            throw ValidationError("--clear takes an appliance, and neither symbol nor range")
        }
        guard named == nil || device != nil else {
            throw ValidationError("--activator is one of an appliance. Name the appliance first")
        }
    }

    func run() async throws {
        var unit: StateUnit?
        if let symbol, let range { unit = try StateUnit(symbol: symbol, range: range) }
        try await home.use { [unit] session in
            guard let device else { return try await list(session) }
            async let rooms = session.rooms()
            let appliance = try Selection(device).device(in: try await session.devices())
            let units = try await rooms.units
            if unit == nil, !clear { return try show(units, of: appliance, session) }
            try await change(unit, of: appliance, chosen(of: appliance, units), units, session)
        }
    }

    private func chosen(of device: ControlledDevice, _ units: StateUnits) throws -> Activator {
        let target =
            try named.map { try Selection($0).activator(of: device) }
            ?? units.activator(of: device)
        guard target.kind == .float else { throw SettingError.onlyOnAndOff(activator: target.name) }
        return target
    }

    private func change(
        _ unit: StateUnit?, of device: ControlledDevice, _ target: Activator, _ units: StateUnits,
        _ session: HomeSession
    ) async throws {
        if unit == nil, units[device.id, target.id] == nil { throw noUnit(device) }
        try await ArrangeRooms(session.household).put(unit, device: device.id, activator: target.id)
        if json {
            let row = Row(device: device.id, activator: target.id, appliance: device, unit: unit)
            return try JSONLine.write(row.json(session))
        }
        let name = "\(quoted(device.name)): \(shortened(target.name))"
        guard let unit else { return Console.note("\(name) has no unit now") }
        var after = StateUnits()
        after[device.id, target.id] = unit
        let state = after.text(target, of: device.id)
        Console.note("\(name) goes from \(unit.range) \(unit.symbol), and is at \(shortened(state))")
    }

    private func show(
        _ units: StateUnits, of device: ControlledDevice, _ session: HomeSession
    ) throws {
        let chosen = try named.map { try Selection($0).activator(of: device) }
        let rows = device.activators.filter { chosen == nil || chosen == $0 }.compactMap { activator in
            units[device.id, activator.id].map {
                Row(device: device.id, activator: activator.id, appliance: device, unit: $0)
            }
        }
        guard !rows.isEmpty else { throw noUnit(device) }
        try write(rows, session)
    }

    private func noUnit(_ device: ControlledDevice) -> Failure {
        Failure(
            .notFound, "\(quoted(device.name)) has no unit",
            hint: "'hubpair home unit \(quoted(device.name)) °C 5..30' sets one: what 0% and 100% are")
    }

    private func list(_ session: HomeSession) async throws {
        let units = try await session.rooms().units
        // A unit may outlive its appliance, and the server may be away.
        let devices = (try? await session.devices()) ?? []
        let rows = units.all.map { each in
            Row(
                device: each.device, activator: each.activator,
                appliance: devices.first { $0.id == each.device }, unit: each.unit)
        }
        if rows.isEmpty, !json {
            return Console.note(
                "\(session.hub.name) knows no units yet; 'hubpair home unit Thermostat °C 5..30' sets one")
        }
        try write(rows, session)
    }

    private func write(_ rows: [Row], _ session: HomeSession) throws {
        if json { return try JSONLine.write(rows.map { $0.json(session) }) }
        try Table(
            columns: ["APPLIANCE", "ACTIVATOR", "UNIT", "RANGE"], rows: rows.map(\.cells),
            limits: [60, 40, 16, 24]
        ).write()
    }
}

/// One activator and its unit.
private struct Row {
    /// The ids.
    let device: String
    let activator: String
    /// Nil if it is not known now.
    let appliance: ControlledDevice?
    /// Nil if it was taken away.
    let unit: StateUnit?

    var cells: [String] {
        let name = appliance?.activators.first { $0.id == activator }?.name
        return [
            shortened(appliance?.name ?? device), shortened(name ?? activator),
            shortened(unit?.symbol ?? "-"), unit?.range ?? "-",
        ]
    }

    func json(_ session: HomeSession) -> JSONValue {
        session.line([
            "device": .string(device), "activator": .string(activator), "name": .text(appliance?.name),
            "unit": .text(unit?.symbol), "from": unit.map { JSONValue.number($0.from) } ?? .null,
            "to": unit.map { JSONValue.number($0.to) } ?? .null,
        ])
    }
}
