import Foundation
import Home
import Identity
import JSON
import Pairing
import TestSupport
import Testing

@testable import HubClient

/// The file `appliances`, from which a shell completes names: a server fills it, and anything may have
/// broken it.
@Suite struct ApplianceNamesTests {
    private let device: ScratchDevice
    private let hub: SavedHub
    private var names: ApplianceNames { ApplianceNames(configuration: device.configuration) }
    private var path: String { device.path + "/config/appliances" }

    init() throws {
        device = try ScratchDevice()
        let added = AddedHub(name: try PeerName("Stock"), address: "10.0.0.3:8000", kind: .stock, id: nil)
        hub = .added(added)
        try KnownHubsFile(in: device.configuration).change(createsDirectory: true) { known, _ in
            known.add(added)
        }
    }

    /// What a server says of appliances of these names.
    private func appliances(_ names: [String]) throws -> [ControlledDevice] {
        let list = JSONValue.array(
            names.enumerated().map { number, name in
                .object([
                    "deviceId": .string("d\(number)"), "name": .string(name), "type": .string("Light"),
                    "activators": .array([]),
                ])
            })
        return try #require(ControlledDevice.list(parsing: Array(list.text.utf8)))
    }

    @Test(arguments: [
        "Kitchen lamp", "It's late", "Say \"hi\"", "two  spaces", "$(reboot)", "`reboot`", "a;b", "a=b",
        "[x]",
        "# no comment", "back\\slash\\n", "Küche 😀", "-rf", "!!", String(repeating: "x", count: 63),
        String(repeating: "😀", count: 63), String(repeating: "x", count: 255),
    ])
    func aNameIsKeptAsItIs(name: String) throws {
        names.note(try appliances([name]), of: hub)
        #expect(names.names() == [name])
    }

    @Test func roomsAndRulesStandBesideAppliances() throws {
        names.note(["Kitchen", "Hall"], as: .room, of: hub)
        names.note(["Leak"], as: .rule, of: hub)
        names.note(try appliances(["Lamp", "Fan"]), of: hub)
        names.note(["Smoke", "Leak"], as: .rule, of: hub, adding: true)
        #expect(names.names() == ["Lamp", "Fan"])
        #expect(names.names(.room) == ["Kitchen", "Hall"])
        #expect(names.names(.rule) == ["Leak", "Smoke"])
        #expect(names.names(.type) == ["Light", "Light"])
        #expect(names.memory(of: hub)?.appliances.map(\.name) == ["Lamp", "Fan"])
        names.note(["Hall"], as: .room, of: hub)
        names.note(try appliances(["Lamp"]), of: hub)
        #expect(names.names(.room) == ["Hall"])
        #expect(names.names(.rule) == ["Leak", "Smoke"])
        #expect(names.names() == ["Lamp"])
    }

    @Test(arguments: [
        "", "\u{1B}[31mred", "line\nbreak", "tab\there", "\u{0}", "\u{7F}", "right \u{202E}left",
        "zero\u{200B}width",
        "\u{2028}", "\u{9B}31m", String(repeating: "x", count: 256), String(repeating: "😀", count: 64),
    ])
    func aNameThatNoTerminalShowsIsLeftOut(name: String) throws {
        names.note(try appliances(["Before", name, "After"]), of: hub)
        #expect(names.names() == ["Before", "After"])
    }

    @Test func aHubHasAThousandNamesAtMost() throws {
        names.note(try appliances((0..<1_200).map { "Lamp \($0)" }), of: hub)
        #expect(names.names() == (0..<1_000).map { "Lamp \($0)" })
    }

    @Test func eachHubHasItsOwnAndTakesThemWithIt() throws {
        let other = AddedHub(name: try PeerName("Attic"), address: "10.0.0.4:8000", kind: .stock, id: nil)
        // No group can be called so.
        let odd = AddedHub(name: try PeerName("[Cellar]"), address: "10.0.0.5:8000", kind: .stock, id: nil)
        try KnownHubsFile(in: device.configuration).change { known, _ in
            known.add(other)
            known.add(odd)
        }
        names.note(try appliances(["Lamp"]), of: hub)
        names.note(try appliances(["Fan", "Heater"]), of: .added(other))
        names.note(try appliances(["Pump"]), of: .added(odd))
        #expect(names.names() == ["Lamp", "Fan", "Heater"])
        #expect(names.names(of: .added(other)) == ["Fan", "Heater"])
        #expect(names.names(of: .added(odd)) == [])
        _ = try ManageHubs(configuration: device.configuration).forget(PeerSelector("Attic"))
        #expect(names.names() == ["Lamp"])
        for file in [path, path + ".bak"] { #expect(!readFile(file).contains("Heater"), "\(file)") }
    }

    @Test func whatHasNotChangedIsNotWritten() throws {
        names.note(try appliances(["Lamp"]), of: hub)
        names.note(try appliances(["Lamp", "Fan"]), of: hub)
        let backup = readFile(path + ".bak")
        names.note(try appliances(["Lamp", "Fan"]), of: hub)
        #expect(readFile(path + ".bak") == backup)
    }

    /// Whatever lies there: no names, no error, and no trap; what a file can be is replaced by the next list.
    @Test(arguments: [
        "", "\n", "no keyfile", "[keyfile]\nformat=2\n[stock Stock]\nname.1=Lamp\n",
        "[keyfile]\nformat=1\n[stock Stock",
        "[keyfile]\nformat=1\n[stock Stock]\nname.1=a\nname.1=b\n", "\u{FEFF}[keyfile]\n",
        "[keyfile]\nformat=1\n\u{0}\n",
        "[keyfile]\nformat=1\n\n[stock Stock]\nname.2=Lamp\n",
        "[keyfile]\nformat=1\n\n[stock Stock]\nname.1=\n",
        "[keyfile]\nformat=1\n\n[stock Stock]\nname.1=\\q\n",
    ])
    func aBrokenFileOffersNothing(text: String) throws {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        #expect(chmod(path, 0o600) == 0)
        #expect(names.names() == [])
        names.note(try appliances(["Lamp"]), of: hub)
        #expect(names.names() == ["Lamp"])
    }

    @Test func aFileThatCannotBeOneOffersNothing() throws {
        names.note(try appliances(["Lamp"]), of: hub)
        #expect(chmod(path, 0o644) == 0)
        #expect(names.names() == [])
        #expect(truncate(path, 1 << 30) == 0 && chmod(path, 0o600) == 0)
        #expect(names.names() == [])
        #expect(unlink(path) == 0 && symlink("known-hubs", path) == 0)
        #expect(names.names() == [])
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(names.names() == [])
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        names.note(try appliances(["Lamp"]), of: hub)
        #expect(names.names() == [])
        #expect(rmdir(path) == 0)
    }

    /// Files with bytes changed, left out and doubled: what is offered can stand in a terminal.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func noDamagedFileOffersWhatNoTerminalShows(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        names.note(try appliances(["Kitchen lamp", "It's late", "back\\slash", "Küche 😀"]), of: hub)
        let good = Array(readFile(path).utf8)
        var read = 0
        for _ in 0..<300 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: Array("\\n\\r\\t\u{1B}[2J".utf8), at: place)
                default: bytes += bytes[place...]
                }
            }
            try Data(bytes).write(to: URL(filePath: path))
            try #require(chmod(path, 0o600) == 0)
            let found = names.names()
            read += found.isEmpty ? 0 : 1
            for name in found {
                #expect(SafeText.escaped(name) == name && !name.isEmpty && name.utf8.count <= 255, "\(bytes)")
            }
        }
        // Some of the damage is such that names are left.
        #expect(read >= 10)
    }
}
