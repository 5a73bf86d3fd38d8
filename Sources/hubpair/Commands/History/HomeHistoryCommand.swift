import ArgumentParser
import FoundationEssentials
import Home
import Household
import HubClient
import Identity
import JSON

/// `hubpair home history`: how an appliance's states have changed.
struct HomeHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show how the states of an appliance have changed.",
        discussion: """
            The hub keeps changes for 30 days, as far as it has seen them: it looks every second while \
            somebody watches or a rule stands, and after each order.

            EXAMPLES:
              hubpair home history Lamp
              hubpair home history Thermostat --since 7d --plot
              hubpair home history Lamp --csv
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far back, at most 30d. (default: 24h)", valueName: "time"),
        transform: durationValue(atMost: .seconds(30 * 86_400), like: "24h", bare: (721, "h")))
    var since = Duration.seconds(86_400)

    @Flag(help: "Draw it in the terminal.") var plot = false

    @Flag(help: "One change per line as comma-separated values (RFC 4180), with a header.") var csv = false

    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: ArgumentHelp("The activator. (default: all)", valueName: "activator"))
    var activator: String?

    func validate() throws {
        guard [json, plot, csv].filter(\.self).count <= 1 else {
            throw ValidationError("--json, --csv and --plot exclude each other. Leave all but one out")
        }
        if let activator, ["today", "yesterday", "heute", "gestern"].contains(activator.lowercased()) {
            throw ValidationError(
                "a time stands behind --since, and from now. Say "
                    + "\(SuggestedLine(["home", "history"], [device, "--since", "48h"]))")
        }
    }

    func run() async throws { try await home.use(show) }

    private func show(_ session: HomeSession) async throws {
        async let rooms = session.rooms(isNeeded: false)
        let device = try Selection(device).device(in: try await session.lookedAt().devices)
        let units = try await rooms.units
        let chosen = try activator.map { try Selection($0).activator(of: device) }
        let end = Date()
        let start = end.addingTimeInterval(-since.inSeconds)
        let (changes, isCut) = try await ReadStates(session.household).history(
            of: device.id, activator: chosen?.id, since: start)
        if isCut { Console.note("warning: only the first \(changes.count) changes of that time are shown") }
        if json {
            return try JSONLine.write(
                changes.lazy.map { HistoryLine.json($0, device, session, units) })
        }
        if csv {
            return try Console.output(
                bytes: Array(HistoryLine.table(changes, device, units).utf8))
        }
        if plot {
            let activators = chosen.map { [$0] } ?? device.activators
            let plot = HistoryPlot(
                series: activators.prefix(16).map { activator in
                    HistorySeries(
                        activator, changes.filter { $0.activator == activator.id },
                        in: units[device.id, activator.id], from: start, to: end)
                }, start: start, end: end)
            let lines = plot.lines(width: min(100, Console.size.columns))
            return try Console.output(words: lines.joined(separator: "\n"))
        }
        if changes.isEmpty {
            return Console.note(
                "the hub has seen no change of \(quoted(device.name)) since "
                    + LocalTime(start).textWithZone)
        }
        try Table(
            columns: ["TIME", "ACTIVATOR", "STATE", "BEFORE"],
            rows: changes.map { change in
                [
                    LocalTime(change.time).textWithSeconds(seenAt: end),
                    shortened(HistoryLine.name(of: change, device)),
                    HistoryLine.text(change.state, of: change, units),
                    change.before.map { HistoryLine.text($0, of: change, units) } ?? "-",
                ]
            }, limits: [.max, 40, 24, 24]
        ).write()
    }
}

/// A change in lines.
private enum HistoryLine {
    static func name(of change: StateChange, _ device: ControlledDevice) -> String {
        device.activators.first { $0.id == change.activator }?.name ?? change.activator
    }

    /// A state in a word; null: the appliance was gone.
    static func text(_ state: JSONValue, of change: StateChange, _ units: StateUnits) -> String {
        state == .null ? "gone" : shortened(units.words(for: state, of: change.device, change.activator))
    }

    /// Comma-separated values (RFC 4180) with a header: the states as the hub wrote them, and in their unit
    /// if that is known. Names are escaped, so that no line of it does anything to a terminal.
    static func table(
        _ changes: [StateChange], _ device: ControlledDevice, _ units: StateUnits
    ) -> String {
        let rows = changes.map { change in
            let amount = units.amount(change.state, of: change.device, change.activator)
            return [
                change.time.timestampWithMilliseconds, device.name, name(of: change, device),
                cell(change.before ?? .null), cell(change.state),
                amount.map { JSONValue.number($0.value).text } ?? "", amount?.unit ?? "",
            ]
        }
        return ([["time", "name", "activator", "before", "state", "value", "unit"]] + rows)
            .map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func cell(_ state: JSONValue) -> String {
        state == .null ? "" : state.asString ?? state.text
    }

    /// A field; quoted if it has a comma, or a quotation mark, which is doubled.
    private static func field(_ text: String) -> String {
        let text = SafeText.escaped(text)
        let isPlain = !text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    static func json(
        _ change: StateChange, _ device: ControlledDevice, _ session: HomeSession, _ units: StateUnits
    ) -> JSONValue {
        var line = session.householdJSON
        (line["device"], line["name"]) = (.string(device.id), .string(device.name))
        line["activator"] = .string(change.activator)
        line["activator_name"] = .string(name(of: change, device))
        (line["state"], line["before"]) = (change.state, change.before ?? .null)
        line["time"] = .string(change.time.timestampWithMilliseconds)
        line.add(units.amount(change.state, of: change.device, change.activator))
        return .object(line)
    }
}
