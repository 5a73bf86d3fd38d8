import ArgumentParser
import Home
import HubClient
import Identity
import JSON

/// `hubpair home kind`: what an appliance does.
struct HomeKindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kind",
        abstract: "Say what an appliance does, where its type and name do not tell: a lock, a gate.",
        usage:
            "hubpair home kind [<appliance> [<kind>] [--guests | --clear]] [--hub <hub>] "
            + "[--config <directory>] [--json]",
        discussion: """
            The kind decides what is asked about first, what guests may set, and in which words a state is \
            told. Locks, gates, doors, windows, valves, detectors, alarms and cameras are asked about before \
            they are opened or silenced, and guests do not set them unless --guests allows it; sensors and \
            detectors only tell. The hub keeps it for everybody, beside the rooms; a stock hub keeps none. \
            Without <kind> the appliance's is shown, without <appliance> all of them.

            EXAMPLES:
              hubpair home kind                         # all of them
              hubpair home kind 'Garage door' gate
              hubpair home kind 'Front door' lock --guests
              hubpair home kind 'Garage door' --clear
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Flag(help: "Take back what was said of it.") var clear = false
    @Flag(help: "Guests may set it, too.") var guests = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String?
    @Argument(
        help: ArgumentHelp("\(HomeKindCommand.words).", valueName: "kind"),
        completion: .list(ApplianceKind.allCases.map(\.rawValue)),
        transform: { text in
            guard let kind = ApplianceKind(rawValue: text.lowercased()) else {
                throw ValidationError("\(quoted(text)) is no kind. Give one of \(HomeKindCommand.words)")
            }
            return kind
        })
    var kind: ApplianceKind?

    private static let words = ApplianceKind.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        guard !clear || kind == nil && !guests && device != nil else {
            throw ValidationError("--clear takes an appliance, and neither a kind nor --guests")
        }
        guard !guests || device != nil else {
            throw ValidationError("--guests is about an appliance. Name the appliance first")
        }
    }

    func run() async throws {
        try await home.use { session in
            async let rooms = session.rooms()
            guard let device else { return try await list(rooms.kinds, session) }
            let listed = try await session.devices()
            let kinds = try await rooms.kinds
            let appliance = try Selection(device).device(in: listed)
            guard clear || guests || kind != nil else { return try write([row(appliance, kinds)], session) }
            try await change(appliance, kinds, session)
        }
    }

    private func change(_ device: ControlledDevice, _ before: ApplianceKinds, _ session: HomeSession)
        async throws
    {
        var kinds = before
        if clear, kinds[device.id] == nil {
            throw Failure(
                .notFound, "nobody has said of what kind \(quoted(device.name)) is",
                hint: "'hubpair home kind \(quoted(device.name)) gate' says it")
        }
        kinds[device.id] =
            clear ? nil : .init(kind ?? before.applied(to: device).kind, allowsGuests: guests)
        try await ArrangeRooms(session.household).put(kinds[device.id], device: device.id)
        let row = row(device, kinds)
        if json { return try JSONLine.write(row.json(session)) }
        Console.note("\(quoted(device.name)) is of the kind \(row.kind.rawValue) now\(row.rights)")
    }

    private func list(_ kinds: ApplianceKinds, _ session: HomeSession) async throws {
        // What was said may outlive its appliance, and the server may be away.
        let devices = (try? await session.devices()) ?? []
        let ids = Set(devices.map(\.id))
        let gone = kinds.all.filter { !ids.contains($0.device) }.map {
            Row(device: $0.device, name: nil, kind: $0.given.kind, given: $0.given)
        }
        let rows = devices.map { row($0, kinds) } + gone
        if rows.isEmpty, !json { return Console.note("\(session.hub.name) has no appliances yet") }
        try write(rows, session)
    }

    private func row(_ device: ControlledDevice, _ kinds: ApplianceKinds) -> Row {
        Row(
            device: device.id, name: device.name, kind: kinds.applied(to: device).kind,
            given: kinds[device.id])
    }

    private func write(_ rows: [Row], _ session: HomeSession) throws {
        if json { return try JSONLine.write(rows.map { $0.json(session) }) }
        try Table(columns: ["APPLIANCE", "KIND", "GUESTS", "SAID"], rows: rows.map(\.cells), limits: [60])
            .write()
    }
}

/// One appliance and its kind.
private struct Row {
    let device: String
    /// Nil if it is not known now.
    let name: String?
    let kind: ApplianceKind
    /// What was said of it.
    let given: ApplianceKinds.Given?

    private var allowsGuests: Bool { given?.allowsGuests == true || !kind.isGuarded }

    var rights: String { kind.isGuarded ? allowsGuests ? ", and guests may set it" : "" : "" }

    var cells: [String] {
        [
            shortened(name ?? device), kind.rawValue, allowsGuests ? "yes" : "no",
            given == nil ? "no" : "yes",
        ]
    }

    func json(_ session: HomeSession) -> JSONValue {
        session.line([
            "device": .string(device), "name": .text(name), "kind": .string(kind.rawValue),
            "given": .boolean(given != nil), "guests": .boolean(allowsGuests),
        ])
    }
}
