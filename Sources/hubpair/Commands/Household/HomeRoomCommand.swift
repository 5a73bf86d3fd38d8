import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home room`: which appliances are in which room.
struct HomeRoomCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room",
        abstract: "Show the rooms of the house, and say which appliances are in them.",
        discussion: """
            The hub keeps them for everybody; a stock hub keeps none. An appliance is in one room at most. \
            <room> is its name, the beginning of it, or its id.

            EXAMPLES:
              hubpair home room
              hubpair home room add Kitchen --area 'Ground floor'
              hubpair home room put Kitchen Lamp 'Ceiling light'
            """,
        subcommands: [List.self, Add.self, Put.self, Out.self, Rename.self, Remove.self],
        defaultSubcommand: List.self)
}

extension HomeRoomCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the rooms and the appliances in them.",
            discussion: """
                EXAMPLES:
                  hubpair home room
                  hubpair home room list Kitchen
                  hubpair home room list --json
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Argument(
            help: ArgumentHelp("This room alone. (default: all)", valueName: "room"),
            completion: NameCompletion.rooms)
        var room: String?

        func run() async throws { try await home.use(list) }

        private func list(_ session: HomeSession) async throws {
            let rooms = try await session.rooms()
            session.note(rooms.rooms.map(\.name), as: .room)
            let listedRooms = try room.map { [try rooms.room($0)] } ?? rooms.rooms
            var names: [String: String] = [:]
            do {
                let devices = try await session.devices()
                names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
                let outside = devices.filter { rooms[$0.id] == nil }.map { quoted($0.name) }
                if !json, room == nil, !outside.isEmpty, !rooms.rooms.isEmpty {
                    Console.note("in no room: \(listed(outside, most: 8))")
                }
            } catch let error as any UserError where error.kind == .unavailable {
                // The rooms themselves are the hub's.
                Console.note("warning: the names of the appliances are not known now: \(error)")
            }
            if json {
                return try JSONLine.write(listedRooms.map { $0.json(session, names, rooms.authors[$0.id]) })
            }
            if rooms.rooms.isEmpty {
                return Console.note(
                    "\(session.hub.name) has no rooms yet; "
                        + "'hubpair home room add NAME' makes one")
            }
            try Table(
                columns: ["ROOM", "AREA", "APPLIANCES", Authors.title],
                rows: listedRooms.map { room in
                    let list = listed(room.devices.map { shortened(names[$0] ?? $0) }, most: 20)
                    return [
                        room.name, room.area ?? "-", room.devices.isEmpty ? "-" : list,
                        rooms.authors[room.id]?.cell ?? "",
                    ]
                }, limits: [40, 24, 120]
            ).write()
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a room, and put appliances in it.",
            discussion: """
                EXAMPLES:
                  hubpair home room add Kitchen
                  hubpair home room add Hall --area 'Ground floor' Lamp 'Front door'
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Option(help: "The floor, the garden, or what else it belongs to.") var area: String?
        @Argument(help: "The new room's name, 1 to 63 bytes.") var name: String
        @Argument(
            help: ArgumentHelp("The appliances in it.", valueName: "appliance"),
            completion: NameCompletion.appliances)
        var devices: [String] = []

        func run() async throws {
            let name = try PeerName(name).description
            let area = try area.map { try PeerName($0).description }
            try await home.change { session in
                let rooms = try await session.rooms()
                let chosen = try await devices.isEmpty ? [] : appliances(devices, of: session.devices())
                let room = Room(
                    id: ArrangeRooms.newID(for: name, among: rooms.rooms), name: name, area: area,
                    devices: chosen.map(\.id))
                try await ArrangeRooms(session.household).put(room)
                session.note([name], as: .room, adding: true)
                try told(room, chosen, session, json) { "\($0) is a room of \(session.hub.name) now" }
            }
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Put appliances in a room; they leave the one that they were in.",
            discussion: """
                EXAMPLES:
                  hubpair home room put Kitchen Lamp
                  hubpair home room put Hall 'Front door' 'Ceiling light'
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Argument(help: .room, completion: NameCompletion.rooms) var room: String
        @Argument(
            help: ArgumentHelp("The appliances.", valueName: "appliance"),
            completion: NameCompletion.appliances)
        var devices: [String]

        func run() async throws {
            try await home.change { session in
                let rooms = try await session.rooms()
                let room: Room
                do {
                    room = try rooms.room(self.room)
                } catch let error as SelectionError {
                    throw turned(rooms) ?? error
                }
                let chosen = try appliances(devices, of: try await session.devices())
                let new = chosen.map(\.id).filter { !room.devices.contains($0) }
                let changed = room.with(devices: room.devices + new)
                try await ArrangeRooms(session.household).put(changed)
                try told(changed, chosen, session, json) { name in
                    "in \(name) now: " + chosen.map { quoted($0.name) }.joined(separator: ", ")
                }
            }
        }

        /// `home room put Lamp Kitchen`
        private func turned(_ rooms: HouseRooms) -> (any Error)? {
            guard let last = devices.last, (try? rooms.room(last)) != nil else { return nil }
            return UsageMistake(
                "the room comes first, and then the appliances",
                meant: ["home", "room", "put"], [last, room] + devices.dropLast())
        }
    }

    struct Out: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "out", abstract: "Take appliances out of their rooms; they are in none then.",
            discussion: """
                EXAMPLES:
                  hubpair home room out Lamp
                  hubpair home room out Lamp 'Front door'
                """)
        @OptionGroup var home: HouseholdOptions
        @Argument(
            help: ArgumentHelp("The appliances.", valueName: "appliance"),
            completion: NameCompletion.appliances)
        var devices: [String]

        func run() async throws {
            try await home.change { session in
                let rooms = try await session.rooms()
                let chosen = try appliances(devices, of: try await session.devices())
                let ids = Set(chosen.map(\.id))
                for room in rooms.rooms where !ids.isDisjoint(with: room.devices) {
                    let left = room.devices.filter { !ids.contains($0) }
                    try await ArrangeRooms(session.household).put(room.with(devices: left))
                }
                Console.note("in no room now: " + chosen.map { quoted($0.name) }.joined(separator: ", "))
            }
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a room another name, another area, or both.",
            discussion: """
                EXAMPLES:
                  hubpair home room rename Kitchen 'Big kitchen'
                  hubpair home room rename Kitchen --area Upstairs
                  hubpair home room rename Kitchen --area ''
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false
        @Option(help: "The floor, or what else it belongs to; '' for none. (default: as it is)")
        var area: String?
        @Argument(help: .room, completion: NameCompletion.rooms) var room: String
        @Argument(help: "The new name, 1 to 63 bytes. (default: as it is)") var name: String?

        func validate() throws {
            guard name != nil || area != nil else {
                throw ValidationError("what is to change is missing. Give a new name, or --area")
            }
        }

        func run() async throws {
            let name = try name.map { try PeerName($0).description }
            let newArea = try area.flatMap { try $0.isEmpty ? nil : PeerName($0).description }
            try await home.change { session in
                let room = try await session.rooms().room(self.room)
                let changed = Room(
                    id: room.id, name: name ?? room.name, area: area == nil ? room.area : newArea,
                    devices: room.devices)
                try await ArrangeRooms(session.household).put(changed)
                try told(changed, [], session, json) { _ in
                    "\(quoted(room.title)) is \(quoted(changed.title)) now"
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a room; its appliances are in none then.",
            discussion: """
                EXAMPLES:
                  hubpair home room remove Kitchen
                  hubpair home room remove 'Guest room' --hub Garden
                """)
        @OptionGroup var home: HouseholdOptions
        @Argument(help: .room, completion: NameCompletion.rooms) var room: String

        func run() async throws {
            try await home.change { session in
                let room: Room
                do {
                    room = try await session.rooms().room(self.room)
                } catch let error as SelectionError {
                    guard let device = try? Selection(self.room).device(in: await session.devices()) else {
                        throw error
                    }
                    throw UsageMistake(
                        "\(quoted(self.room)) is an appliance, and no room",
                        meant: ["home", "room", "out"], [device.name])
                }
                try await ArrangeRooms(session.household).remove(room)
                Console.note("the room \(quoted(room.name)) is removed; its appliances are in none now")
            }
        }
    }
}

/// The appliances that texts name, each once.
private func appliances(_ texts: [String], of devices: [ControlledDevice]) throws -> [ControlledDevice] {
    var seen: Set<String> = []
    return try texts.map { try Selection($0).device(in: devices) }.filter { seen.insert($0.id).inserted }
}

private func told(
    _ room: Room, _ devices: [ControlledDevice], _ session: HomeSession, _ isJSON: Bool,
    _ words: (String) -> String
) throws {
    guard isJSON else { return Console.note(words(quoted(room.name))) }
    let names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
    try JSONLine.write(room.json(session, names))
}

extension Room {
    /// - Parameter names: of the appliances, by their ids; null for others.
    fileprivate func json(
        _ session: HomeSession, _ names: [String: String], _ authors: Authors? = nil
    ) -> JSONValue {
        var line = session.json
        line["room"] = .string(name)
        line["id"] = .string(id)
        line["area"] = .text(area)
        line["devices"] = .array(
            devices.map { .object(["device": .string($0), "name": .text(names[$0])]) })
        line.merge(authors?.members ?? [:]) { $1 }
        return .object(line)
    }
}

extension ArgumentHelp {
    /// The words of the argument that names a room.
    static let room = ArgumentHelp("Its name, the beginning of it, or its id.", valueName: "room")
}
