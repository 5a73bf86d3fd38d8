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
              hubpair home history Lamp -o lamp.svg
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far back, at most 30d. (default: 24h)", valueName: "time"),
        transform: durationValue(atMost: .seconds(30 * 86_400), like: "24h"))
    var since = Duration.seconds(86_400)

    @Flag(help: "Draw it in the terminal.") var plot = false

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("Draw it to a file, as SVG. (default: none)", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: ArgumentHelp("The activator. (default: all)", valueName: "activator"))
    var activator: String?

    func validate() throws {
        guard !json || !plot && output == nil else {
            throw ValidationError("--json writes the changes themselves. Leave out --plot and --output")
        }
    }

    func run() async throws { try await home.use(show) }

    private func show(_ session: HomeSession) async throws {
        let device = try Selection(device).device(in: try await session.devices())
        let chosen = try activator.map { try Selection($0).activator(of: device) }
        let end = Date()
        let start = end.addingTimeInterval(-since.inSeconds)
        let (changes, isCut) = try await ReadStates(session.household).history(
            of: device.id, activator: chosen?.id, since: start)
        if isCut { Console.note("warning: only the first \(changes.count) changes of that time are shown") }
        if json {
            return try JSONLine.write(
                changes.lazy.map { HistoryLine.json($0, device, session) })
        }
        if plot || output != nil {
            let activators = chosen.map { [$0] } ?? device.activators
            let plot = HistoryPlot(
                title: "\(device.name), \(session.hub.name)",
                series: activators.prefix(16).map { activator in
                    HistorySeries(
                        activator, changes.filter { $0.activator == activator.id }, from: start, to: end)
                }, start: start, end: end)
            if self.plot {
                try Console.output(plot.lines(width: min(100, Console.size.columns)).joined(separator: "\n"))
            }
            guard let output else { return }
            if output == "-" { return try Console.output(plot.svg) }
            var file = try OutputFile(Array(plot.svg.utf8), at: output)
            try file.commit()
            return Console.note(
                "\(output) shows \(quoted(device.name)) since \(LocalTime(start).textWithZone)")
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
                    shortened(HistoryLine.name(of: change, device)), HistoryLine.text(change.state),
                    change.before.map(HistoryLine.text) ?? "-",
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
    static func text(_ state: JSONValue) -> String { state == .null ? "gone" : shortened(stateText(state)) }

    static func json(
        _ change: StateChange, _ device: ControlledDevice, _ session: HomeSession
    ) -> JSONValue {
        var line = session.householdJSON
        (line["device"], line["name"]) = (.string(device.id), .string(device.name))
        line["activator"] = .string(change.activator)
        line["activator_name"] = .string(name(of: change, device))
        (line["state"], line["before"]) = (change.state, change.before ?? .null)
        line["time"] = .string(change.time.timestampWithMilliseconds)
        return .object(line)
    }
}
