import Household
import Identity
import JSON
import Pairing
import TestSupport
import Testing

@testable import HubClient

/// The file `scenes` that hubpair 0.1 has left on a computer.
@Suite struct OldScenesTests {
    private static let text = """
        [keyfile]
        format=1

        [scene evening]
        hub=K7QF-2M9D-X0TW-8RHC
        state.1={"activator":"6b4b","device":"6b4d","name":"Lamp: On/Off","state":true}

        # up there
        [scene attic]
        stock=Attic
        state.1={"activator":"6b4b","device":"6b4d","name":"Lamp: On/Off","state":0.5}

        """

    @Test func areReadAndTakenOut() throws {
        let device = try ScratchDevice()
        let old = OldScenes(configuration: device.configuration)
        #expect(try old.all().isEmpty)
        try KnownHubsFile(in: device.configuration).change(createsDirectory: true) { _, directory in
            try directory.replace("scenes", with: Array(Self.text.utf8))
        }
        let scenes = try old.all()
        #expect(scenes.map(\.name.description) == ["evening", "attic"])
        #expect(scenes.map(\.hub) == [Fingerprint("K7QF-2M9D-X0TW-8RHC"), nil])
        #expect(
            scenes[1].states == [
                HubScene.State(device: "6b4d", activator: "6b4b", name: "Lamp: On/Off", state: .number(0.5))
            ])
        try old.remove(scenes[0].name)
        #expect(try old.all() == [scenes[1]])
        #expect(readFile(old.path).contains("# up there"))
        #expect(readFile(old.path + ".bak") == Self.text)
    }

    @Test(arguments: [
        ("hub=K7QF-2M9D-X0TW-8RHC", "hub=K7QF"), ("\"state\":true", "\"state\":"), ("format=1", "format=2"),
        ("[scene evening]", "[secne evening]"), ("[scene evening]", "[scene ]"), ("state.1={", "state.1=[{"),
    ])
    func badOnesAreRefused(_ text: String, _ other: String) {
        let bytes = Array(Self.text.replacing(text, with: other).utf8)
        #expect(throws: KeyFileError.self) { try OldScenes.scenes(parsing: bytes) }
    }
}
