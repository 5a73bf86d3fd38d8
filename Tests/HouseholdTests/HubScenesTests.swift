import FoundationEssentials
import Household
import Identity
import JSON
import Pairing
import Testing

/// Scenes of the hub: their file and their JSON.
struct HubScenesTests {
    static let head = "[keyfile]\nformat=1\n"
    static let lamp = #"{"activator":"a","device":"d","state":true}"#

    private func scene(_ name: String, _ states: Int, at time: SceneTime? = nil) throws -> HubScene {
        HubScene(
            name: try PeerName(name),
            states: (0..<states).map { .init(device: "d\($0)", activator: "a", state: .number(0.5)) },
            time: time)
    }

    @Test func theFileKeepsWhatOthersWrote() throws {
        let text =
            HubScenesTests.head
                + """
                # cosy
                [scene Movie night]
                at=sunset+30
                days=fri sat
                arms=["Front door"]
                icon=film
                state.1={"activator":"a","device":"d","name":"Lamp: On/Off","state":true}
                state.2={"activator":"b","device":"d","state":0.4}

                [scene Away]
                arms=[]

                """
        var scenes = try HubScenes(parsing: Array(text.utf8))
        #expect(String(decoding: scenes.serialized, as: UTF8.self) == text)
        let movie = try #require(scenes.scenes.first)
        #expect(movie.time == .sun(.set, 30))
        #expect(movie.days.names == ["fri", "sat"])
        #expect(movie.states.map(\.name) == ["Lamp: On/Off", nil])
        #expect(movie.states.map(\.state) == [.boolean(true), .number(0.4)])
        try scenes.put(
            HubScene(
                name: movie.name,
                states: [.init(device: "d", activator: "b", state: .integer(1))], time: .clock(450)))
        #expect(
            String(decoding: scenes.serialized, as: UTF8.self)
                == HubScenesTests.head
                    + """
                    # cosy
                    [scene Movie night]
                    at=07:30
                    icon=film
                    state.1={"activator":"b","device":"d","state":1}

                    [scene Away]
                    arms=[]

                    """)
        #expect(try HubScenes(parsing: scenes.serialized) == scenes)
    }

    @Test(arguments: [
        head + "[scene a]\nat=25:00\n", head + "[scene a]\ndays=mon\n", head + "[scene a]\nat=07:00\ndays=\n",
        head + "[scene a]\nat=07:00\ndays=mon mon\n", head + "[scene a]\narms=Door\n",
        head + "[scene a]\nstate.1=x\n", head + "[scene a]\nstate.1={\"device\":\"d\",\"activator\":\"a\"}\n",
        head + "[scene a]\nstate.1=\(lamp)\nstate.2=\(lamp)\n",
        head + "[scene a]\nstate.1={\"device\":\"d\",\"activator\":\"a\",\"state\":\"on\"}\n",
        head + "[scene a]\n[scene A]\n", head + "[room a]\n", head + "[scene ]\n",
        head + (0...1000).map { "[scene s\($0)]\n" }.joined(),
    ])
    func refusesAFile(_ text: String) {
        #expect(throws: KeyFileError.self) { try HubScenes(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        (#"{"states":[]}"#, nil), (#"{"states":[\#(lamp)],"at":null,"days":null,"arms":null}"#, nil),
        (#"{"states":[\#(lamp)],"at":"sunrise-15","days":["sun"],"arms":["Door"]}"#, nil),
        (#"{}"#, "states is missing"), (#"{"states":[\#(lamp),\#(lamp)]}"#, "same activator"),
        (#"{"states":[],"at":"24:00"}"#, "at: neither"), (#"{"states":[],"at":"7:30"}"#, "at: neither"),
        (#"{"states":[],"at":"sunrise+721"}"#, "at: neither"),
        (#"{"states":[],"at":"07:30","days":[]}"#, "days: not days"),
        (#"{"states":[],"at":"07:30","days":["today"]}"#, "days: not days"),
        (#"{"states":[],"days":["mon"]}"#, "there is no 'at'"),
        (#"{"states":[{"device":"d","activator":"a","state":null}]}"#, "neither true"),
        (#"{"states":[{"device":"d","activator":"a","state":[]}]}"#, "neither true"),
        (#"{"states":[{"device":"","activator":"a","state":1}]}"#, "an id has"), ("[]", "not a scene"),
    ])
    func readsTheBodyOfAPutOrSaysWhyNot(_ body: String, _ reason: String?) throws {
        var scenes = HubScenes()
        do throws(HouseholdError) {
            let scene = try HubScene(id: "Night", body: Array(body.utf8))
            try scenes.put(scene)
            #expect(reason == nil)
            #expect((try? HubScenes(parsing: scenes.serialized))?.scenes == [scene])
            let json = scene.json.text
            #expect(try HubScene(id: "Night", body: Array(json.utf8)) == scene)
        } catch {
            #expect(error.word == "bad_request")
            let reason = try #require(reason)
            #expect(error.description.contains(reason))
        }
    }

    @Test func namesInUseAndBoundsAreSaid() throws {
        var scenes = HubScenes()
        try scenes.put(scene("Night", 1000))
        #expect(throws: HouseholdError.nameInUse(.scene, "Night")) { try scenes.put(scene("NIGHT", 1)) }
        #expect(throws: HouseholdError.self) { try scenes.put(scene("Big", 1001)) }
        #expect(throws: HouseholdError.badName(.scene, "it holds brackets")) {
            try scenes.put(scene("[a]", 1))
        }
        try scenes.put(scene("Night", 3))
        for number in 1..<1000 { try scenes.put(scene("S\(number)", 0)) }
        #expect(throws: HouseholdError.tooMany(.scene, limit: 1000)) { try scenes.put(scene("More", 0)) }
        #expect(try HubScenes(parsing: scenes.serialized) == scenes)
        try scenes.remove(HubScene.self, "S7")
        #expect(throws: HouseholdError.unknown(.scene, "S7")) { try scenes.remove(HubScene.self, "S7") }
    }

    @Test func theCurrentSceneIsTheLatestThatMatches() throws {
        let states = ["d0": JSONValue.number(0.501), "d1": .integer(0)]
        let names = try ["One", "Same", "Two", "Empty"].map { try PeerName($0) }
        let scenes = [
            HubScene(name: names[0], states: [.init(device: "d0", activator: "a", state: .number(0.5))]),
            HubScene(
                name: names[1],
                states: [
                    .init(device: "d0", activator: "a", state: .number(0.5)),
                    .init(device: "d1", activator: "a", state: .number(0)),
                ]),
            HubScene(name: names[2], states: [.init(device: "gone", activator: "a", state: .integer(1))]),
            HubScene(name: names[3], states: []),
        ]
        var runs = SceneRuns()
        func current() -> [String] {
            CurrentScene(scenes, runs) { device, _ in states[device] }.matching.map(\.description)
        }
        #expect(current() == ["One", "Same"])
        runs.note(names[1], at: .init(timeIntervalSince1970: 9e8))
        #expect(current() == ["Same", "One"])
        // The clock was set back: the newest run is still the newest.
        runs.note(names[0], at: .init(timeIntervalSince1970: 0))
        runs.note(names[3], at: .init(timeIntervalSince1970: 0))
        #expect(current() == ["Empty", "One", "Same"])
        #expect(try SceneRuns(parsing: runs.serialized) == runs)
    }

    /// What decides what is armed is kept with its author; what is so already keeps both.
    @Test func whoDecidesIsKept() throws {
        let anna = JournalEntry.Author(
            device: try #require(Fingerprint("AAAA-BBBB-CCCC-DDDD")), name: try PeerName("Anna"))
        let (away, night) = (try PeerName("Away"), try PeerName("Night"))
        let times = (0..<4).map { Date(timeIntervalSince1970: 1_795_000_000 + 60 * Double($0)) }
        var runs = SceneRuns()
        #expect(runs.decision == .init())
        runs.decide(.init(scene: away, since: times[0], author: anna))
        runs.decide(.init(scene: away, since: times[1]))
        #expect(runs.decision == .init(scene: away, since: times[0], author: anna))
        #expect(try SceneRuns(parsing: runs.serialized).decision == runs.decision)
        runs.decide(.init(scene: night, since: times[2]))
        #expect(runs.decision == .init(scene: night, since: times[2]))
        runs.decide(.init(scene: nil, since: times[3], author: anna))
        #expect(runs.decision == .init(scene: nil, since: times[3], author: anna))
        // A hub of 0.1 knows when the scene ran.
        let old =
            "[keyfile]\nformat=1\n[runs]\ncount=1\ndecided=Away\n[scene Away]\nrun=1\n"
            + "ran=2026-11-21T08:10:00Z\n"
        let decision = try SceneRuns(parsing: Array(old.utf8)).decision
        #expect(decision == .init(scene: away, since: Date(timestamp: "2026-11-21T08:10:00Z")))
    }
}
