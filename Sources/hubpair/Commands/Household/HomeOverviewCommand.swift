import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON

/// `hubpair home overview`: what needs a look, at a glance.
struct HomeOverviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overview",
        abstract: "Say what sounds, is on, open or unlocked, does not answer, waits to be read.",
        discussion: """
            Also what is not as the scene that ran last has it. With --json 'what' is on, open, unlocked, \
            sounding, silent, scene, alarm, armed or unread. A stock hub tells only of its appliances.

            EXAMPLES:
              hubpair home overview
              hubpair home overview --all-hubs
              hubpair home overview --hub Garden --json
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @Flag(help: "Of every hub; of one that does not answer, how it was.") var allHubs = false

    func validate() throws { try home.check(allHubs: allHubs) }

    func run() async throws {
        let reach = try UseHub(configuration: home.choice.configuration)
        guard let hubs = try allHubs ? reach.all() : home.choice.several(reach), !hubs.isEmpty else {
            return try await home.use(look)
        }
        var failures: [any Error] = []
        for (index, hub) in hubs.enumerated() {
            let session = HomeSession(hub, reach: reach, isInsecureAllowed: home.insecure)
            do {
                if index > 0, !json { try Console.output("") }
                try await look(session)
            } catch {
                Console.report(error, subject: hub.name.description)
                failures.append(error)
                // Programs get what is, and the error.
                if !json { try reach.memory(of: hub)?.write(of: session) }
            }
        }
        guard failures.count < hubs.count else {
            throw ExitStatus.worst(of: failures.map { ExitStatus(of: $0) })
        }
    }

    private func look(_ session: HomeSession) async throws {
        let hasHousehold = !session.hub.isUnprotected
        async let rooms = session.rooms(isNeeded: false)
        let house = try await session.lookedAt()
        let silent = Set(house.silent.map(\.id))
        let places = (try? await rooms) ?? HouseRooms()
        let units = places.units
        let devices = places.kinds.applied(to: house.devices)
        var rows = HouseOverview(devices, silent: silent).entries.map { OverviewRow($0, units) }
        if hasHousehold {
            let link = session.household
            do {
                let scenes = try await SharedScenes(link).all()
                rows += OverviewRow.contradictions(
                    scenes, devices.filter { !silent.contains($0.id) }, units)
                var query = ReadMessages.Query()
                (query.isOpen, query.limit) = (true, 100)
                let page = try await ReadMessages(link).page(query)
                rows += page.messages.map { OverviewRow(alarm: $0) }
                if let armed = try? await ArmRules(link).state(), !armed.armed.isEmpty {
                    rows.append(OverviewRow(armed: armed))
                }
                if page.unreadCount > 0 { rows.append(OverviewRow(unread: page.unreadCount)) }
            } catch let error as HouseholdRefusal {
                Console.note("warning: \(error)")
            }
        }
        if json { return try JSONLine.write(rows.map { $0.json(session, places) }) }
        var lines = [SafeText.escaped(session.title)]
        for (what, title) in OverviewRow.titles {
            let found = rows.filter { $0.what == what }
            guard !found.isEmpty else { continue }
            lines.append(found.count > 1 ? "\(title) (\(found.count))" : title)
            lines += found.map { "  " + SafeText.escaped($0.text(session, places)) }
        }
        try Console.output(words: lines.joined(separator: "\n"))
        if rows.isEmpty { Console.note("nothing is on, open or unlocked, and nothing waits to be read") }
    }
}

struct OverviewRow {
    /// In the order in which they are told.
    static let titles: [(what: String, title: String)] = [
        ("sounding", "alarm"), ("alarm", "alarms that nobody has acknowledged"),
        ("armed", "armed"), ("unlocked", "unlocked"), ("open", "open"), ("on", "on"),
        ("silent", "do not answer"),
        ("scene", "not as the last scene has it"), ("unread", "to be read"),
    ]

    let what: String
    private var device: (id: String, name: String)?
    private var activator: String?
    private var state: JSONValue?
    private var stateText: String?
    private var words: String?
    private var id: Int64?
    private var count: Int64?

    init(_ entry: HouseOverview.Entry, _ units: StateUnits) {
        what = entry.fact.rawValue
        device = (entry.device.id, entry.device.name)
        (activator, state) = (entry.activator?.id, entry.activator?.state)
        let text = entry.activator.map { units.text($0, of: entry.device.id) }
        if entry.fact == .on, let text, text != "on" { stateText = text }
    }

    init(alarm: SharedMessage) {
        (what, id, words) = ("alarm", alarm.id, alarm.text)
        if alarm.count > 1 { count = alarm.count }
        device = alarm.device.map { (id: $0, name: $0) }
    }

    /// The rules that a scene has armed.
    init(armed state: ArmedState) {
        (what, count, words) = ("armed", Int64(state.armed.count), ArmedLines.words(state))
    }

    init(unread count: Int64) {
        (what, self.count) = ("unread", count)
        words = "\(count) message\(count == 1 ? "" : "s"): 'hubpair messages --list unread'"
    }

    private init(
        scene: String, _ wanted: HubScene.State, _ device: ControlledDevice, _ now: Activator,
        _ units: StateUnits
    ) {
        what = "scene"
        self.device = (device.id, device.name)
        (activator, state) = (now.id, now.state)
        words =
            "\(now.name) is \(units.text(now, of: device.id)), and "
            + "\(units.words(for: wanted.state, of: device.id, now.id)) in \(quoted(scene))"
    }

    /// What is not as the scene that has run last has it.
    static func contradictions(_ scenes: [SharedScene], _ devices: [ControlledDevice], _ units: StateUnits)
        -> [OverviewRow]
    {
        let run = scenes.compactMap { scene in scene.ran.map { (scene, $0) } }
        guard let scene = run.max(by: { $0.1 < $1.1 })?.0 else { return [] }
        return scene.states.compactMap { wanted in
            guard let device = devices.first(where: { $0.id == wanted.device }),
                let now = device.activators.first(where: { $0.id == wanted.activator }),
                !Orders.isSame(now.state, wanted.state)
            else { return nil }
            return OverviewRow(scene: scene.name, wanted, device, now, units)
        }
    }

    /// In a line, with the room.
    func text(_ session: HomeSession, _ rooms: HouseRooms) -> String {
        if what == "alarm" {
            let times = count.map { " (\($0) times)" } ?? ""
            return "\(id ?? 0) \(shortened(words ?? ""))\(times)"
        }
        guard let device else { return words ?? "" }
        let place = rooms[device.id].map { ", \(shortened($0.name))" } ?? ""
        let more = (words ?? stateText).map { ": \(shortened($0))" } ?? ""
        let silence = session.silence(of: device.id).map { ", \($0.words)" } ?? ""
        return shortened(device.name) + place + more + silence
    }

    func json(_ session: HomeSession, _ rooms: HouseRooms) -> JSONValue {
        var line = session.json
        line["what"] = .string(what)
        line["device"] = .text(device?.id)
        line["name"] = what == "alarm" ? .null : .text(device?.name)
        line["room"] = .text(device.flatMap { rooms[$0.id]?.name })
        (line["activator"], line["state"]) = (.text(activator), state ?? .null)
        if let device, let activator, let state {
            line.add(rooms.units.amount(state, of: device.id, activator))
        }
        if let device, let silence = session.silence(of: device.id) { line["age"] = .count(silence.age) }
        line["id"] = id.map(JSONValue.integer) ?? .null
        line["text"] = .text(words)
        line["count"] = count.map(JSONValue.integer) ?? .null
        return .object(line)
    }
}
