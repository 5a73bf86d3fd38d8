import FoundationEssentials
import Pairing
import Testing

@testable import HubService

/// The household's files of a hub of 0.1 come into the folder of the house.
@Suite struct HouseFolderTests {
    private let path = FileManager.default.temporaryDirectory.path() + "hubpair-folder-" + UUID().uuidString

    private func state() throws -> HubState {
        _ = try ProtectedDirectory(path: path, create: true)
        return HubState(option: path, environment: [:], isRoot: false, home: "/")
    }

    @Test func allIsTakenOverAndNothingElse() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let state = try state()
        let names = ["rooms", "rules.bak", "scene-runs", "household.sqlite", "household.sqlite-wal"]
        for name in names + ["hub-key.pem", "journal"] {
            try state.open().create(name, with: Array(name.utf8))
        }
        #expect(state.household.path == path)
        try state.takeOverHousehold()
        #expect(state.household.path == path + "/house")
        for name in names {
            #expect(try state.house.open().read(name) == Array(name.utf8))
            #expect(try state.open().stamp(of: name) == nil)
        }
        #expect(try state.house.open().stamp(of: "hub-key.pem") == nil)
        #expect(try state.open().read("journal") == Array("journal".utf8))
    }

    /// Killed after any number of files: the next start takes over the rest.
    @Test func whatWasCutShortGoesOn() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let state = try state()
        try state.takeOverHousehold()
        try state.house.open().create("household.sqlite-wal", with: [2])
        try state.open().create("household.sqlite", with: [1])
        try state.open().create("rooms", with: [3])
        try state.takeOverHousehold()
        let house = try state.house.open()
        #expect(try house.read("household.sqlite") == [1])
        #expect(try house.read("household.sqlite-wal") == [2])
        #expect(try house.read("rooms") == [3])
    }

    /// The log of another database would make a broken one of it.
    @Test func aDatabaseGetsNoLogOfAnother() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let state = try state()
        try state.takeOverHousehold()
        try state.house.open().create("household.sqlite", with: [1])
        try state.open().create("household.sqlite-wal", with: [2])
        try state.takeOverHousehold()
        #expect(try state.house.open().stamp(of: "household.sqlite-wal") == nil)
        #expect(try state.open().read("household.sqlite-wal") == [2])
    }

    /// Who may be at the other end of a socket: whoever can reach into its folder.
    @Test func aSocketAdmitsItsTwoUsersAndRoot() {
        let shared = LocalSocket.Peers(user: 991, group: 992, isShared: true)
        #expect(shared.admit(user: 991, group: 991, me: 992))
        #expect(shared.admit(user: 992, group: 992, me: 991))
        #expect(shared.admit(user: 0, group: 0, me: 991))
        #expect(!shared.admit(user: 993, group: 993, me: 991))
        let own = LocalSocket.Peers(user: 1000, group: 1000, isShared: false)
        #expect(own.admit(user: 1000, group: 1000, me: 1000))
        #expect(!own.admit(user: 1001, group: 1000, me: 1000))
    }

    @Test func whatTheHouseHasStays() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let state = try state()
        try state.takeOverHousehold()
        try state.house.open().create("rooms", with: [1])
        try state.open().create("rooms", with: [2])
        try state.takeOverHousehold()
        #expect(try state.house.open().read("rooms") == [1])
        #expect(try state.open().read("rooms") == [2])
    }
}
