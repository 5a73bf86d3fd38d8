import FoundationEssentials
import Household
import Identity
import JSON
import Pairing
import Testing

/// Rules: their file, their JSON, and when they come true.
struct RuleTests {
    static let head = "[keyfile]\nformat=1\n"
    static let door =
        "[rule Door]\ndevice=d\nactivator=a\nwhen=off\nkind=alarm\ntext=The door is open\n"

    static func rule(
        _ name: String, when condition: RuleCondition = .on, in scenes: [String]? = nil
    ) throws -> Rule {
        Rule(
            name: try PeerName(name), device: "d", activator: "a", condition: condition, kind: .alarm,
            text: "it is so", scenes: try scenes?.map { try PeerName($0) })
    }

    private static func change(
        _ activator: String, _ state: JSONValue, from before: JSONValue?
    ) -> StateChange {
        StateChange(device: "d", activator: activator, state: state, before: before, time: Date())
    }

    @Test func theFileKeepsWhatOthersWrote() throws {
        let text =
            RuleTests.head + "# of the door\n" + RuleTests.door + "in=[\"Away\"]\nicon=bell\nrun=Lights\n"
        var rules = try Rules(parsing: Array(text.utf8))
        let door = try #require(rules.rules.first)
        #expect(door.condition == .off)
        #expect(door.scenes?.map(\.description) == ["Away"])
        #expect(door.run?.description == "Lights")
        try rules.put(try RuleTests.rule("Door", when: .above(0.5)))
        let changed = String(decoding: rules.serialized, as: UTF8.self)
        #expect(changed.contains("# of the door") && changed.contains("icon=bell"))
        #expect(!changed.contains("in=") && !changed.contains("run="))
        #expect(try Rules(parsing: rules.serialized) == rules)
        try rules.remove(Rule.self, "Door")
        #expect(rules.rules.isEmpty)
    }

    @Test(arguments: [
        head + "[rule Door]\n", head + door.replacing("off", with: "open"),
        head + door.replacing("alarm", with: "alert"), head + door + "in=Away\n", head + door + "in=[1]\n",
        head + door + door.replacing("Door", with: "DOOR"),
        head + door.replacing("device=d", with: "device="),
        head + door.replacing("The door is open", with: ""),
        head + door.replacing("The door is open", with: "a\\nb"),
        head + door.replacing("The door is open", with: String(repeating: "x", count: 501)),
        head + "[scene Door]\n", head + (0...1000).map { door.replacing("Door]", with: "D\($0)]") }.joined(),
    ])
    func refusesAFile(_ text: String) {
        #expect(throws: KeyFileError.self) { try Rules(parsing: Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("on", .on), ("off", .off), ("above 0.5", .above(0.5)), ("below -3", .below(-3)),
            ("above 1e2", .above(100)), ("On", nil), ("", nil), ("above", nil), ("above 1,5", nil),
            ("above 50%", nil), ("above  1", nil), ("above 1 ", nil), (" on", nil), ("above nan", nil),
            ("below 0x10", nil), ("above true", nil), ("above [1]", nil),
        ] as [(String, RuleCondition?)])
    func readsAConditionOrNot(_ text: String, _ condition: RuleCondition?) {
        #expect(RuleCondition(text) == condition)
        if let condition { #expect(RuleCondition(condition.description) == condition) }
    }

    @Test(arguments: [
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t"}"#, nil),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","in":null,"run":null}"#, nil),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","in":["A"],"run":"B"}"#, nil),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm"}"#, "text is missing"),
        (#"{"device":"d","activator":"a","when":"maybe","kind":"alarm","text":"t"}"#, "when: neither on"),
        (#"{"device":"d","activator":"a","when":"on","kind":"alert","text":"t"}"#, "kind: neither"),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","in":"A"}"#, "another type"),
        (#"{"device":"d","activator":"a","when":"on","kind":"notification","text":"t","run":"A"}"#, nil),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","and":"e/b above 0.5"}"#, nil),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","and":"e on"}"#, "and: "),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","and":"e/b open"}"#, "and: "),
        (#"{"device":"","activator":"a","when":"on","kind":"alarm","text":"t"}"#, "device: "),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"a\nb"}"#, "text: "),
        (#"{"device":"d","activator":"a","when":"on","kind":"alarm","text":"t","run":"[A]"}"#, "brackets"),
        ("", "not a rule"),
    ])
    func readsTheBodyOfAPutOrSaysWhyNot(_ body: String, _ reason: String?) throws {
        var rules = Rules()
        do throws(HouseholdError) {
            let rule = try Rule(id: "Door", body: Array(body.utf8))
            try rules.put(rule)
            #expect(reason == nil)
            #expect((try? Rules(parsing: rules.serialized))?.rules == [rule])
            #expect(try Rule(id: "Door", body: Array(rule.json.text.utf8)) == rule)
        } catch {
            #expect(error.word == "bad_request")
            let reason = try #require(reason)
            #expect(error.description.contains(reason))
        }
    }

    @Test(
        arguments: [
            (RuleCondition.on, nil, JSONValue.boolean(true), true),
            (.on, .boolean(false), .boolean(true), true),
            (.on, .boolean(true), .boolean(true), false), (.on, .boolean(true), .boolean(false), false),
            (.off, .boolean(true), .boolean(false), true), (.off, nil, .null, false),
            (.on, .integer(0), .number(0.1), true), (.on, .number(0.1), .number(0.9), false),
            (.off, .number(0.1), .integer(0), true),
            (.above(21), .integer(21), .number(21.5), true), (.above(21), .number(21.5), .integer(22), false),
            (.above(21), .integer(22), .integer(21), false), (.above(21), nil, .integer(22), true),
            (.below(5), .integer(5), .number(4.9), true), (.below(5), .null, .integer(4), true),
            (.above(0), .integer(0), .boolean(true), false), (.on, .boolean(false), .string("on"), false),
        ] as [(RuleCondition, JSONValue?, JSONValue, Bool)])
    func comesTrueOnceWhenTheStateCrosses(
        _ condition: RuleCondition, _ before: JSONValue?, _ state: JSONValue, _ comesTrue: Bool
    ) throws {
        let rule = try RuleTests.rule("R", when: condition)
        let watch = RuleWatch([rule], Arming([rule], []), in: nil)
        #expect(watch.rules(for: RuleTests.change("a", state, from: before)).isEmpty != comesTrue)
        #expect(watch.rules(for: RuleTests.change("b", state, from: before)).isEmpty)
    }

    @Test func whatIsArmedFollowsTheScenesThatDecide() throws {
        let always = try RuleTests.rule("Smoke")
        let away = try RuleTests.rule("Motion", in: ["AWAY"])
        let night = try RuleTests.rule("Door")
        let never = try RuleTests.rule("Never", in: [])
        let scenes = [
            HubScene(name: try PeerName("Away"), states: []),
            HubScene(name: try PeerName("Night"), states: [], arms: [try PeerName("door")]),
            HubScene(name: try PeerName("Home"), states: [], arms: []),
            HubScene(name: try PeerName("Sunset"), states: []),
        ]
        let rules = [always, away, night, never]
        let arming = Arming(rules, scenes)
        #expect(scenes.map { arming.decides($0.name) } == [true, true, true, false])
        func armed(_ scene: Int?) -> [String] {
            rules.filter { arming.isArmed($0, in: scene.map { scenes[$0].name }) }.map(\.name.description)
        }
        #expect(armed(nil) == ["Smoke"])
        #expect(armed(0) == ["Smoke", "Motion"])
        #expect(armed(1) == ["Smoke", "Door"])
        #expect(armed(2) == ["Smoke"])

        func state(_ scene: Int?) -> ArmedRules {
            ArmedRules(rules, arming, .init(scene: scene.map { scenes[$0].name }))
        }
        #expect(state(0).entries.map(\.isArmed) == [true, true, false, false])
        #expect(state(0).entries.map { $0.scenes?.map(\.description) } == [nil, ["Away"], ["Night"], []])
        #expect(state(0).armed.map(\.description) == ["Motion"])
        #expect(state(nil).arming(try PeerName("aWAY")) == scenes[0].name)
        #expect(state(nil).arming(try PeerName("Home")) == nil)
        #expect(state(1).change(from: state(0)) == #"armed: "Door"; disarmed: "Motion""#)
        #expect(state(2).change(from: state(0)) == #"disarmed: "Motion""#)
        #expect(state(2).change(from: state(nil)) == nil)
        // A guest may arm, and not disarm.
        for (before, after, keeps) in [(0, 1, false), (0, 2, false), (0, 0, true), (2, 0, true)] {
            #expect(state(after).keeps(state(before)) == keeps)
        }
    }

    @Test func severalRulesOfOneChangeComeInTheFilesOrder() throws {
        let rules = [
            try RuleTests.rule("B", when: .above(1)), try RuleTests.rule("A"),
            try RuleTests.rule("C", when: .below(9)),
        ]
        let watch = RuleWatch(rules, Arming(rules, []), in: nil)
        let found = watch.rules(for: RuleTests.change("a", .integer(2), from: .integer(0)))
        #expect(found.map(\.name.description) == ["B", "A"])
    }
}
