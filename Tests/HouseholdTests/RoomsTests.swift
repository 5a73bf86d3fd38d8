import Home
import Household
import Pairing
import Testing

/// The file `rooms`, and what changes it.
struct RoomsTests {
    static let head = "[keyfile]\nformat=1\n"

    private func rooms(_ text: String) throws -> Rooms { try Rooms(parsing: Array(text.utf8)) }

    @Test func readsAndKeepsWhatOthersWrote() throws {
        let text =
            RoomsTests.head + """

                # where we eat
                [room kitchen]
                name=Kitchen
                area=Ground floor
                colour=red
                devices=["6b4d","6b4e"]

                [room attic]
                name=Attic

                """
        var rooms = try rooms(text)
        #expect(
            rooms.rooms == [
                Room(id: "kitchen", name: "Kitchen", area: "Ground floor", devices: ["6b4d", "6b4e"]),
                Room(id: "attic", name: "Attic", devices: []),
            ])
        try rooms.put(Room(id: "attic", name: "Attic", area: "Roof", devices: ["6b4e"]))
        #expect(rooms.record(Room.self, "kitchen")?.devices == ["6b4d"])
        #expect(
            String(decoding: rooms.serialized, as: UTF8.self)
                == RoomsTests.head + """

                    # where we eat
                    [room kitchen]
                    name=Kitchen
                    area=Ground floor
                    colour=red
                    devices=["6b4d"]

                    [room attic]
                    name=Attic
                    area=Roof
                    devices=["6b4e"]

                    """)
        #expect(try Rooms(parsing: rooms.serialized) == rooms)
    }

    @Test(arguments: [
        "", "[keyfile]\nformat=2\n", head + "[room a]\n", head + "[room kü]\nname=K\n",
        head + "[room ..]\nname=K\n", head + "[scene a]\nname=K\n", head + "[room a]\nname=K\ndevices=6b\n",
        head + "[room a]\nname=K\ndevices=[\"\"]\n", head + "[room a]\nname=K\ndevices=[1]\n",
        head + "[room a]\nname=K\n[room b]\nname=k\n", head + "[room a]\nname= K\\s\n",
        head + "[room a]\nname=K\ndevices=[\"6b\"]\n[room b]\nname=L\ndevices=[\"6b\"]\n",
        head + "[room a]\nname=K\narea=\n", head + "[room a]\nname=K\ndevices=[\"6b\",\"6b\"]\n",
        head + "[room a]\nname=K\ndevices=[\"\(String(repeating: "x", count: 257))\"]\n",
        head + "[unit 6b]\nsymbol=°C\nfrom=5\nto=30\n", head + "[unit 6b/6c/6d]\nsymbol=°C\nfrom=5\nto=30\n",
        head + "[unit /6c]\nsymbol=°C\nfrom=5\nto=30\n", head + "[unit 6b/6c]\nsymbol=°C\nfrom=5\n",
        head + "[unit 6b/6c]\nsymbol=°C\nfrom=5\nto=5\n", head + "[unit 6b/6c]\nsymbol=%\nfrom=5\nto=30\n",
        head + "[unit 6b/6c]\nsymbol=°C\nfrom=5..6\nto=30\n",
        head + "[unit 6b/..]\nsymbol=°C\nfrom=5\nto=30\n",
        head + (0...1000).map { "[unit 6b/\($0)]\nsymbol=°C\nfrom=5\nto=30\n" }.joined(),
        head + (0...1000).map { "[room r\($0)]\nname=R\($0)\n" }.joined(),
    ])
    func refusesAFile(_ text: String) {
        #expect(throws: KeyFileError.self) { try Rooms(parsing: Array(text.utf8)) }
    }

    @Test func unitsStandBesideTheRooms() throws {
        var rooms = try rooms(RoomsTests.head + "\n[room a]\nname=Attic\n")
        let unit = try StateUnit(symbol: "°C", range: "-5..30.5")
        try rooms.put(ActivatorUnit(device: "6b", activator: "6c", unit: unit))
        try rooms.put(ActivatorUnit(device: "6b", activator: "6d", unit: unit))
        #expect(
            String(decoding: rooms.serialized, as: UTF8.self).hasSuffix(
                "[unit 6b/6d]\nsymbol=°C\nfrom=-5\nto=30.5\n"))
        #expect(try Rooms(parsing: rooms.serialized) == rooms)
        #expect(
            rooms.record(ActivatorUnit.self, "6b/6c")?.unit == unit
                && rooms.record(ActivatorUnit.self, "6c/6b") == nil)
        try rooms.put(Room(id: "b", name: "Bath", devices: ["6b"]))
        try rooms.remove(ActivatorUnit.self, "6b/6c")
        #expect(rooms.units.map(\.activator) == ["6d"])
        #expect(throws: HouseholdError.unknown(.unit, "6b/6c")) {
            try rooms.remove(ActivatorUnit.self, "6b/6c")
        }
        #expect(try Rooms(parsing: rooms.serialized) == rooms)
    }

    @Test(arguments: [
        "{}", "[]", #"{"unit":"°C","from":5}"#, #"{"unit":"°C","from":5,"to":5}"#,
        #"{"unit":"°C","from":"5","to":30}"#,
        #"{"unit":"°C","from":5,"to":1e999}"#, #"{"unit":"%","from":5,"to":30}"#,
        #"{"unit":5,"from":5,"to":30}"#,
        #"{"unit":"°C","from":5,"to":30,"to":31}"#, #"{"unit":"°C","from":null,"to":30}"#,
    ])
    func refusesAUnit(_ body: String) {
        #expect(throws: HouseholdError.self) {
            try ActivatorUnit(id: "6b/6c", body: Array(body.utf8))
        }
    }

    @Test(arguments: [
        (Room(id: "b", name: "KITCHEN", devices: []), "conflict"),
        (Room(id: "b", name: "Ku\u{308}che", devices: []), nil),
        (Room(id: "kitchen", name: "kitchen", devices: []), nil),
        (Room(id: "Kitchen", name: "Other", devices: []), nil),
        (Room(id: "\u{212A}itchen", name: "Kelvin", devices: []), "bad_request"),
        (Room(id: "b", name: "", devices: []), "bad_request"),
        (Room(id: "b", name: " B", devices: []), "bad_request"),
        (Room(id: "b", name: "B\u{200B}", devices: []), "bad_request"),
        (Room(id: "b", name: "B", area: "a\nb", devices: []), "bad_request"),
        (Room(id: "b", name: "B", devices: ["1", "1"]), "bad_request"),
        (Room(id: "b", name: "B", devices: [""]), "bad_request"),
        (Room(id: "b", name: "B", devices: (0...1000).map(String.init)), "bad_request"),
        (Room(id: String(repeating: "b", count: 64), name: "B", devices: []), nil),
        (Room(id: String(repeating: "b", count: 65), name: "B", devices: []), "bad_request"),
        (Room(id: ".", name: "B", devices: []), "bad_request"),
    ])
    func putsARoomOrSaysWhyNot(_ room: Room, _ word: String?) throws {
        var rooms = Rooms()
        try rooms.put(Room(id: "kitchen", name: "Kitchen", devices: ["6b"]))
        let before = rooms
        do throws(HouseholdError) {
            try rooms.put(room)
            #expect(word == nil)
            #expect(rooms.record(Room.self, room.id) == room)
            #expect((try? Rooms(parsing: rooms.serialized))?.rooms == rooms.rooms)
        } catch {
            #expect(error.word == word)
            #expect(rooms == before)
        }
    }

    @Test func anApplianceIsInOneRoom() throws {
        var rooms = Rooms()
        try rooms.put(Room(id: "a", name: "A", devices: ["1", "2", "3"]))
        try rooms.put(Room(id: "b", name: "B", devices: ["2", "4"]))
        try rooms.put(Room(id: "a", name: "A", devices: ["4", "1"]))
        #expect(rooms.record(Room.self, "a")?.devices == ["4", "1"])
        #expect(rooms.record(Room.self, "b")?.devices == ["2"])
        try rooms.remove(Room.self, "a")
        #expect(throws: HouseholdError.unknown(.room, "a")) { try rooms.remove(Room.self, "a") }
        #expect(rooms.rooms.map(\.id) == ["b"])
        #expect(try Rooms(parsing: rooms.serialized).rooms == rooms.rooms)
    }

    @Test func keepsAThousandRooms() throws {
        var rooms = Rooms()
        for number in 0..<1000 { try rooms.put(Room(id: "r\(number)", name: "R\(number)", devices: [])) }
        #expect(throws: HouseholdError.tooMany(.room, limit: 1000)) {
            try rooms.put(Room(id: "more", name: "More", devices: []))
        }
        try rooms.put(Room(id: "r7", name: "Seven", devices: ["x"]))
        #expect(rooms.record(Room.self, "r7")?.name == "Seven")
    }

    @Test(arguments: [
        (#"{"name":"Kitchen"}"#, Room(id: "k", name: "Kitchen", devices: [])),
        (
            #"{"id":"other","name":"K","area":null,"devices":["1"],"x":{}}"#,
            Room(id: "k", name: "K", devices: ["1"])
        ),
        (#"{"name":"K","area":"A"}"#, Room(id: "k", name: "K", area: "A", devices: [])),
        ("", nil), ("[]", nil), ("{}", nil), (#"{"name":1}"#, nil), (#"{"name":"K","devices":"1"}"#, nil),
        (#"{"name":"K","name":"K"}"#, nil), (#"{"name":"K","area":2}"#, nil),
    ])
    func readsTheBodyOfAPut(_ body: String, _ room: Room?) throws {
        guard let room else {
            #expect(throws: HouseholdError.self) { try Room(id: "k", body: Array(body.utf8)) }
            return
        }
        #expect(try Room(id: "k", body: Array(body.utf8)) == room)
    }
}
