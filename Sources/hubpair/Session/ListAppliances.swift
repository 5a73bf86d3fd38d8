import FoundationEssentials
import Home
import HubClient
import Identity

/// `hubpair home`, as a plain value.
struct ListAppliances: Equatable {
    var home = HomeChoice()
    var json = false
    var allHubs = false
    /// With `allHubs`: how long each hub has to answer.
    var timeout = Duration.seconds(10)
    var by: Grouping?

    func run() async throws {
        let reach = try UseHub(configuration: home.configuration)
        guard let hubs = try allHubs ? reach.all() : home.several(reach) else {
            return try await home.use { session in
                try write(try await ListAppliances.look(session, by: by, isJSON: json), of: session)
            }
        }
        // Connecting gets half of the time: its own error says more than a timeout.
        let connecting = timeout / 2
        let sessions = hubs.map {
            HomeSession(
                $0, reach: reach, isInsecureAllowed: home.insecure, connecting: connecting,
                notesNames: false)
        }
        guard !sessions.isEmpty else {
            throw NoHubToUse(found: try await HomeSearch.hubs(home.configuration))
        }
        var isFirst = true
        let every = HomeOfEveryHub(sessions: sessions, timeout: timeout) { [by, json] session in
            try await ListAppliances.look(session, by: by, isJSON: json, saysWait: false)
        }
        let failures = try await every.run {
            if !isFirst, !json { try Console.output("") }
            isFirst = false
            try write($1, of: $0)
        }
        for (session, error) in failures {
            Console.report(error, subject: session.hub.name.description)
        }
        if !json { try writeMemory(of: failures.map(\.session), reach, isFirst: isFirst) }
        guard failures.count < sessions.count else {
            throw ExitStatus.worst(of: failures.map { ExitStatus(of: $0.error) })
        }
    }

    /// How hubs that do not answer were, when they were last looked at.
    private func writeMemory(of sessions: [HomeSession], _ reach: UseHub, isFirst: Bool) throws {
        var isFirst = isFirst
        for session in sessions {
            guard let memory = reach.memory(of: session.hub) else { continue }
            if !isFirst { try Console.output("") }
            isFirst = false
            try memory.write(of: session)
        }
    }

    /// The appliances, and then the rooms and units, over the same connection: to open another one takes
    /// longer than the hub takes for what it keeps itself.
    private static func look(
        _ session: HomeSession, by: Grouping?, isJSON: Bool, saysWait: Bool = true
    ) async throws -> HouseLook {
        let house = try await session.lookedAt(saysWait: saysWait, notes: false)
        let rooms = try await session.rooms(isNeeded: by == .room)
        session.note(house, rooms: rooms.rooms.map(\.name))
        // Programs get the server's order unless they ask for another.
        let isGrouped = by == .room || by == nil && !isJSON
        return HouseLook(
            house: house, rooms: isGrouped ? rooms : HouseRooms([], rooms.units, rooms.kinds))
    }

    private func write(_ look: HouseLook, of session: HomeSession) throws {
        let all = look.devices
        let groups: [ApplianceGroup]? =
            switch by {
            case .hub: nil
            case .type: ApplianceGroup.byType(all)
            case .room, nil: look.rooms.rooms.isEmpty ? nil : look.rooms.groups(all)
            }
        let devices = groups?.flatMap(\.devices) ?? all
        if json {
            return try JSONLine.write(
                devices.lazy.map {
                    HomeDeviceLine($0, of: session, units: look.rooms.units)
                })
        }
        if devices.isEmpty {
            Console.note("\(session.hub.name) has no appliances yet; 'hubpair home add' adds one")
        }
        let table =
            devices.isEmpty
            ? []
            : Table(devices, groups: groups, units: look.rooms.units, silentIn: look.house).linesForOutput
        try Console.output(([SafeText.escaped(session.title)] + table).joined(separator: "\n"))
    }
}

extension ApplianceNames.Memory {
    /// How long ago the hub was looked at.
    var age: Duration { .seconds(max(0, Int(Date().timeIntervalSince(seen)))) }

    /// Writes how a hub that does not answer was.
    func write(of session: HomeSession) throws {
        let title = "\(session.title): does not answer; as it was \(age.words) ago"
        let table = Table(
            columns: ["APPLIANCE", "TYPE", "STATE"],
            rows: appliances.map { [$0.name, $0.type, $0.state].map { shortened($0) } },
            limits: [60, 16, 24])
        try Console.output(([SafeText.escaped(title)] + table.linesForOutput).joined(separator: "\n"))
    }
}
