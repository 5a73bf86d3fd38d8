import FoundationEssentials
import Home
import Identity
import JSON
import Testing

@Suite struct ControlValuesTests {
    static let house = """
        [{"deviceId": "6b49", "name": "Front door", "type": "Lock", "colour": {"deep": [1, 2.5, null]},
          "activators":
          [{"activatorId": "6b48", "rank": 0, "name": "Activate", "type": "bool", "state": true}]},
         {"deviceId": "6b4d", "name": "Kitchen light", "type": "Light", "activators":
          [{"activatorId": "6b4c", "rank": 1.0, "name": "Dimmer", "type": "float", "state": 0.5},
           {"activatorId": "6b4b", "rank": 0e0, "name": "On/Off", "type": "bool", "state": false}]},
         {"deviceId": "6b4f", "name": "Kitchen lamp", "type": "Light", "activators":
          [{"activatorId": "6b4e", "rank": 0, "name": "Scene", "type": "enum", "state": "warm",
            "of": ["warm"]}]}]
        """

    static func devices() throws -> [ControlledDevice] {
        try #require(ControlledDevice.list(parsing: Array(house.utf8)))
    }

    @Test func unknownKindsAndFieldsSurvive() throws {
        let devices = try Self.devices()
        #expect(devices.map { $0.main?.stateText } == ["on", "off", "\"warm\""])
        #expect(devices[1].activators.map(\.stateText) == ["off", "50%"])
        #expect(devices[2].activators[0].kind == .other("enum"))
        #expect(devices[2].activators[0].extra == ["of": .array([.string("warm")])])
        let again = ControlledDevice.list(parsing: Array(JSONValue.array(devices.map(\.json)).text.utf8))
        #expect(again == devices)
        #expect(again?[0].extra["colour"] == .object(["deep": .array([.integer(1), .number(2.5), .null])]))
    }

    /// A key is the same however it is written, and of two equal ones the last counts.
    @Test func keysWithEscapes() throws {
        let text = #"""
            [{"device\u0049d": "1", "n\u0061me": "\u00e9\"", "name\u0000": 1, "type": "Fan",
             "type": "Light", "nam": 2,
              "activators": [], "": 3}]
            """#
        let device = try #require(ControlledDevice.list(parsing: Array(text.utf8))?.first)
        #expect((device.id, device.name, device.type) == ("1", "é\"", "Light"))
        #expect(device.extra == ["name\0": .integer(1), "nam": .integer(2), "": .integer(3)])
    }

    @Test(arguments: [
        ("on", Setting.on), ("OFF", .off), ("0.4", .level(0.4)), ("40%", .level(0.4)), ("1", .level(1)),
        ("0", .level(0)), ("100%", .level(1)), ("0.5%", .level(0.005)),
    ])
    func settings(_ text: String, _ setting: Setting) throws {
        #expect(try Setting(text) == setting)
    }

    @Test(arguments: [
        ("", SettingError.notASetting("")), ("yes", .notASetting("yes")), (".5", .notASetting(".5")),
        ("0x1", .notASetting("0x1")), ("1e0", .notASetting("1e0")), ("nan", .notASetting("nan")),
        ("-1", .notASetting("-1")), ("+1", .notASetting("+1")), ("1.5", .outOfRange("1.5")),
        ("140%", .outOfRange("140%")), ("%", .notASetting("%")), ("4,5%", .notASetting("4,5%")),
        ("0.000000000000000001", .notASetting("0.000000000000000001")), ("33333333", .outOfRange("33333333")),
    ])
    func badSettings(_ text: String, _ error: SettingError) {
        #expect(throws: error) { try Setting(text) }
    }

    @Test func statesThatAnActivatorTakes() throws {
        let light = try Self.devices()[1]
        #expect(try Setting.on.state(for: light.activators[0]) == .boolean(true))
        #expect(try Setting.level(1).state(for: light.activators[0]) == .boolean(true))
        #expect(throws: SettingError.onlyOnAndOff(activator: "On/Off")) {
            try Setting.level(0.4).state(for: light.activators[0])
        }
        #expect(try Setting.off.state(for: light.activators[1]) == .number(0))
        #expect(throws: SettingError.unknownKind("enum", activator: "Scene")) {
            try Setting.on.state(for: Self.devices()[2].activators[0])
        }
    }

    @Test(arguments: [
        ("Front door", "6b49"), ("front DOOR", "6b49"), ("fro", "6b49"), ("6b4d", "6b4d"),
        ("kitchen li", "6b4d"),
    ])
    func selects(_ text: String, _ id: String) throws {
        #expect(try Selection(text).device(in: Self.devices()).id == id)
    }

    @Test func selectsOneOrNone() throws {
        let devices = try Self.devices()
        let both = [Match(id: "6b4d", name: "Kitchen light"), Match(id: "6b4f", name: "Kitchen lamp")]
        #expect(throws: SelectionError.ambiguous("kitchen", kind: "appliance", both)) {
            try Selection("kitchen").device(in: devices)
        }
        #expect(
            throws: SelectionError.unknown("Fornt door", kind: "appliance", near: ["Front door"], all: [])
        ) {
            try Selection("Fornt door").device(in: devices)
        }
        #expect(throws: SelectionError.self) { try Selection("").device(in: devices) }
        // Several are meant, and not the one with a name like it.
        for text in ["lights", "all"] {
            #expect(throws: SelectionError.several(text)) { try Selection(text).device(in: devices) }
        }
    }

    @Test func serversWords() {
        let body =
            #"{"error": {"exception": "NotFoundException", "details": {"type": "device"}}, "message": null}"#
        #expect(
            ServerError(status: 404, contentType: "application/json", body: Array(body.utf8)).description
                == "the hub knows no such appliance")
        #expect(
            ServerError(status: 500, contentType: "text/html", body: Array("<html>".utf8))
                == .status(500, contentType: "text/html"))
        #expect(
            ServerError(status: 405, contentType: nil, body: Array(#"{"message": "no"}"#.utf8)).description
                == "the hub answers 405: no")
        let state =
            #"{"error": {"exception": "InvalidStateException", "#
            + #""details": {"expected_type": "<class 'bool'>"}}}"#
        let refused = ServerError(status: 400, contentType: nil, body: Array(state.utf8))
        #expect(refused.description == "the hub refuses the state: it expects on or off")
        #expect(refused.recoverySuggestion?.contains("home show") == true)
    }

    @Test(arguments: [
        ("turn the kitchen light off", ["6b4d/6b4b"]), ("front door on", ["6b49/6b48"]),
        ("set the kitchen light's dimmer to 40%", ["6b4d/6b4c"]), ("dim the dimmer to 40%", ["6b4d/6b4c"]),
        ("turn the dimmer and the kitchen light on", ["6b4d/6b4c", "6b4d/6b4b"]),
    ])
    func findsWhatIsSpokenOf(_ sentence: String, _ ids: [String]) throws {
        let understood = try SpokenTargets(devices: Self.devices()).orders(of: SpokenSentence(sentence))
        #expect(understood.orders.map { "\($0.device)/\($0.activator)" } == ids)
    }

    @Test func answersAreChecked() throws {
        #expect(try InfoField.check("192.168.1.2", for: "ip") == "192.168.1.2")
        #expect(try InfoField.check("fd00::2", for: "bridge_ip") == "fd00::2")
        // The words of the Hue plugin.
        #expect(try InfoField.check("", for: "user", explanation: "if left empty the button") == "")
        #expect(throws: InfoFieldError.notAnAddress("300.1.1.1", field: "ip")) {
            try InfoField.check("300.1.1.1", for: "ip")
        }
        #expect(throws: InfoFieldError.notAPort("0", field: "port")) { try InfoField.check("0", for: "port") }
        #expect(throws: InfoFieldError.notALine(field: "room")) { try InfoField.check("a\nb", for: "room") }
        #expect(throws: InfoFieldError.empty(field: "room")) { try InfoField.check("", for: "room") }
        #expect(throws: InfoFieldError.self) { try InfoField.check(" x", for: "name") }
    }
}
