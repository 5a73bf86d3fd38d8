import ArgumentParser
import FoundationEssentials
import Home
import Household
import HubClient
import Identity
import JSON
import QRCodes

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
              hubpair home history Lamp -o lamp.png
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far back, at most 30d. (default: 24h)", valueName: "time"),
        transform: durationValue(atMost: .seconds(30 * 86_400), like: "24h"))
    var since = Duration.seconds(86_400)

    @Flag(help: "Draw it in the terminal.") var plot = false

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Draw it to a file, as PNG if its name ends so, else as SVG; '-' is standard output. "
                + "(default: none)", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The form of the drawing: svg or png. (default: by the name of the file)", valueName: "form"))
    var format: Form?

    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: ArgumentHelp("The activator. (default: all)", valueName: "activator"))
    var activator: String?

    func validate() throws {
        guard !json || !plot && output == nil else {
            throw ValidationError("--json writes the changes themselves. Leave out --plot and --output")
        }
        guard format == nil || output != nil else {
            throw ValidationError("--format is for a file. Name it with --output, or '-' for standard output")
        }
        let other = [".pdf", ".jpg", ".jpeg", ".gif", ".webp"].first {
            output?.lowercased().hasSuffix($0) == true
        }
        if let other, format == nil {
            throw ValidationError("a drawing is SVG or PNG, and no \(other) file. Say --format svg or png")
        }
        guard output != "-" || form != .png || !Console.outputIsTerminal else {
            throw ValidationError("a PNG is no text for a terminal. Give a file's name, or --plot draws here")
        }
    }

    private var form: Form {
        format ?? (output.map { $0.lowercased().hasSuffix(".png") } == true ? .png : .svg)
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
        if plot || output != nil {
            let activators = chosen.map { [$0] } ?? device.activators
            let plot = HistoryPlot(
                title: "\(device.name), \(session.hub.name)",
                series: activators.prefix(16).map { activator in
                    HistorySeries(
                        activator, changes.filter { $0.activator == activator.id },
                        in: units[device.id, activator.id], from: start, to: end)
                }, start: start, end: end)
            if self.plot {
                try Console.output(plot.lines(width: min(100, Console.size.columns)).joined(separator: "\n"))
            }
            guard let output else { return }
            try write(plot.drawing, to: output)
            guard output != "-" else { return }
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
                    shortened(HistoryLine.name(of: change, device)),
                    HistoryLine.text(change.state, of: change, units),
                    change.before.map { HistoryLine.text($0, of: change, units) } ?? "-",
                ]
            }, limits: [.max, 40, 24, 24]
        ).write()
    }

    private func write(_ drawing: ChartDrawing, to output: String) throws {
        let bytes = form == .png ? try drawing.png() : Array(drawing.svg.utf8)
        if output == "-" { return try Console.output(bytes: bytes) }
        var file = try OutputFile(bytes, at: output)
        try file.commit()
    }
}

extension HomeHistoryCommand {
    /// Of a drawing.
    enum Form: String, CaseIterable, ExpressibleByArgument { case svg, png }
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
