import ArgumentParser
import FoundationEssentials
import Home
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home watch`: the appliances as they change.
struct HomeWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the appliances, and what changes, until it is stopped.",
        discussion: """
            A terminal shows the list, with the time of the last change; a pipe gets a line for each \
            change, and --json an object: 'event' is present, added, removed, renamed, changed, lost or \
            back. It goes on when the hub has restarted. A guarded hub tells of a change at once; without \
            --interval it is asked for other news every 10 seconds, and a stock hub for all every 2.

            EXAMPLES:
              hubpair home watch
              hubpair home watch --json --interval 10
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How often to ask. (default: 2s)", valueName: "time"),
        transform: durationValue(from: .milliseconds(100), atMost: .seconds(3_600), like: "2s"))
    var interval: Duration?

    func run() async throws { try await home.use(watch) }

    private func watch(_ session: HomeSession) async throws {
        async let rooms = session.rooms(isNeeded: false)
        // A hub that does not answer at the start is an error; later it is waited for.
        var house = try await session.house()
        var output = WatchOutput(session: session, rooms: try await rooms, isJSON: json)
        try output.begin(house)
        if let absence = house.absence { try output.lost(absence.words) }
        let pulse = WatchPulse(session, interval: interval)
        defer { pulse.stop() }
        for await beat in pulse.beats {
            defer { pulse.rest() }
            do {
                if case .lost(let error) = beat { throw error }
                let now = try await session.house(saysWait: false)
                if let absence = now.absence {
                    try output.lost(absence.words)
                } else {
                    try output.show(HomeChange.between(house.devices, now.devices), now)
                    house = now
                }
            } catch let error as OutputError {
                throw error
            } catch {
                // Another key, or a hub that has revoked this computer: waiting would not help.
                guard ExitStatus(of: error) != .notPermitted else { throw error }
                try output.lost("\(error)")
            }
        }
    }
}

/// The output of `home watch`: JSON, lines, or a table on a terminal.
private struct WatchOutput {
    private let session: HomeSession
    /// As they were at the start.
    private let units: StateUnits
    private let kinds: ApplianceKinds
    private let isJSON: Bool
    private let isLive: Bool
    private var screen = LiveLines()
    /// When an appliance last changed, by its id.
    private var changed: [String: Date] = [:]
    private var house: KnownHouse?
    private var lostSince: Date?
    /// When the line before was written: the first line of another day says its date.
    private var lastLine = Date()

    init(session: HomeSession, rooms: HouseRooms, isJSON: Bool) {
        (self.session, units, kinds) = (session, rooms.units, rooms.kinds)
        self.isJSON = isJSON
        isLive = !isJSON && Console.outputKnowsEscapes
    }

    mutating func begin(_ house: KnownHouse) throws {
        self.house = house
        let devices = house.devices
        if isJSON {
            for device in devices { try write(event: "present", device: device) }
            for device in house.silent { try write(event: "silent", device: device) }
        } else if isLive {
            try draw()
        } else {
            let table = Table(kinds.applied(to: devices), units: units, silentIn: house)
            let lines = [SafeText.escaped(session.title)] + table.lines(within: nil)
            try Console.output(lines.joined(separator: "\n"))
        }
    }

    mutating func show(_ changes: [HomeChange], _ now: KnownHouse) throws {
        let time = Date()
        let before = house
        house = now
        if lostSince != nil {
            lostSince = nil
            if isJSON { try write(event: "back") }
            if !isJSON, !isLive {
                try writeLine("\(session.title) answers again", at: time)
            }
        }
        for change in changes {
            changed[change.device] = time
            if isJSON {
                try write(change)
            } else if !isLive {
                try writeLine(change.words(units), at: time)
            }
        }
        for device in now.devices {
            let isSilent = now.silence(of: device.id) != nil
            let wasSilent = before?.silence(of: device.id) != nil && before?.absence == nil
            guard isSilent != wasSilent else { continue }
            if isJSON {
                try write(event: isSilent ? "silent" : "answers", device: device)
            } else if !isLive {
                let words = isSilent ? "does not answer" : "answers again"
                try writeLine("\(shortened(device.name)) \(words)", at: time)
            }
        }
        if isLive { try draw() }
    }

    mutating func lost(_ error: String) throws {
        if lostSince == nil {
            lostSince = Date()
            if isJSON {
                try write(event: "lost", error: error)
            } else if !isLive {
                Console.note("warning: \(session.title): \(error); trying again until it is back")
            }
        }
        if isLive { try draw() }
    }

    private mutating func writeLine(_ words: String, at time: Date) throws {
        let clock = LocalTime(time).textWithSeconds(seenAt: lastLine)
        lastLine = time
        try Console.output("\(clock) \(SafeText.escaped(Texts.words(words)))")
    }

    private mutating func draw() throws {
        let now = Date()
        let text = { (time: Date) in LocalTime(time).textWithSeconds(seenAt: now) }
        let devices = kinds.applied(to: house?.devices ?? [])
        let table = Table(devices, units: units, silentIn: house, header: "CHANGED") {
            changed[$0].map(text)
        }
        let title = session.title + (lostSince.map { ": no answer since \(text($0)); trying again" } ?? "")
        try screen.show([SafeText.escaped(title)] + table.lines(within: Console.size.columns - 1))
    }

    private func write(_ change: HomeChange) throws {
        switch change {
        case .added(let device): try write(event: "added", device: device)
        case .removed(let device): try write(event: "removed", device: device)
        case .renamed(let device, let name):
            try write(event: "renamed", device: device, before: .string(name))
        case .state(let activator, let device, let before):
            try write(event: "changed", device: device, activator: activator, before: before.state)
        }
    }

    private func write(
        event: String, device: ControlledDevice? = nil, activator: Activator? = nil,
        before: JSONValue = .null,
        error: String? = nil
    ) throws {
        var line = session.json
        let shown = activator ?? (event == "renamed" || event == "removed" ? nil : device?.main)
        line["event"] = .string(event)
        line["time"] = .string(Date().timestamp)
        line["device"] = device.map { .string($0.id) } ?? .null
        line["name"] = device.map { .string($0.name) } ?? .null
        line["type"] = device.map { .string($0.type) } ?? .null
        line["activator"] = shown.map { .string($0.id) } ?? .null
        line["activator_name"] = shown.map { .string($0.name) } ?? .null
        line["state"] = shown?.state ?? .null
        line["before"] = before
        if let device, let shown { line.add(units.amount(shown.state, of: device.id, shown.id)) }
        line["error"] = .text(error)
        try JSONLine.write(.object(line))
    }
}

extension HomeChange {
    /// For people: `Lamp: On/Off is on, was off`.
    fileprivate func words(_ units: StateUnits) -> String {
        switch self {
        case .added(let device):
            "\(shortened(device.name)) is new, "
                + shortened(device.main.map { units.text($0, of: device.id) } ?? "-")
        case .removed(let device): "\(shortened(device.name)) is gone"
        case .renamed(let device, let name): "\(shortened(name)) is called \(shortened(device.name)) now"
        case .state(let activator, let device, let before):
            "\(shortened(device.name)): \(shortened(activator.name)) is "
                + "\(shortened(units.text(activator, of: device.id))), "
                + "was \(shortened(units.text(before, of: device.id)))"
        }
    }
}
