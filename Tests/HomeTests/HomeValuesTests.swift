import FoundationEssentials
import Home
import Identity
import JSON
import Pairing
import Testing

@Suite struct HomeValuesTests {
    private func device(_ id: String, _ name: String, _ state: JSONValue = .boolean(false)) throws
        -> ControlledDevice
    {
        let activator = JSONValue.object([
            "activatorId": .string("x" + id), "rank": .integer(0), "name": .string("On/Off"),
            "type": .string("bool"),
            "state": state,
        ])
        let device = JSONValue.object([
            "deviceId": .string(id), "name": .string(name), "type": .string("Light"),
            "activators": .array([activator]),
        ])
        return try #require(ControlledDevice.list(parsing: Array("[\(device.text)]".utf8))?.first)
    }

    @Test func changes() throws {
        let before = try [device("1", "Lamp"), device("2", "Fan"), device("3", "Radio")]
        let now = try [
            device("1", "Lamp", .boolean(true)), device("4", "Door"), device("3", "TV"), device("4", "Copy"),
        ]
        let changes = HomeChange.between(before, now)
        #expect(
            changes == [
                .state(now[0].activators[0], of: now[0], before: before[0].activators[0]), .added(now[1]),
                .renamed(now[2], from: "Radio"), .removed(before[1]),
            ])
        #expect(HomeChange.between(now, now) == [])
    }

    @Test func aLevelGoesToTheOnlyDimmer() throws {
        let light = try ControlValuesTests.devices()[1]
        #expect(try light.activator(for: .level(0.4)).name == "Dimmer")
        #expect(try light.activator(for: .on).name == "On/Off")
        let door = try ControlValuesTests.devices()[0]
        #expect(try door.activator(for: .level(0.4)).name == "Activate")
    }

    @Test func devicesOfAType() throws {
        let targets = try SpokenTargets(devices: ControlValuesTests.devices())
        #expect(try targets.devices(ofType: "locks").map(\.name) == ["Front door"])
        #expect(
            throws: SelectionError.unknown("Lihgt", kind: "type of appliance", near: ["Light"], all: [])
        ) { try targets.devices(ofType: "Lihgt") }
        #expect(throws: SettingError.unknownKind("enum", activator: "Scene")) {
            try targets.orders(of: SpokenSentence("turn all lights off"))
        }
    }

    @Test func addedHubs() throws {
        let text = """
            [keyfile]
            format=1
            default=added 1

            [added 1]
            name=Attic
            address=192.0.2.9:8000
            kind=stock

            """
        var known = try KnownHubs(parsing: Array(text.utf8))
        let attic = try PeerName("Attic")
        #expect(known.defaultAdded == attic && known.added[0].isInsecureAllowed == false)
        known.allowInsecure(attic)
        #expect(try KnownHubs(parsing: known.serialized).added[0].isInsecureAllowed)
        known.forgetAdded(attic)
        #expect(try KnownHubs(parsing: known.serialized) == known && known.defaultAdded == nil)
        for (good, bad) in [
            ("default=added 1", "default=added 2"), ("kind=stock", "kind=stock\ninsecure=yes"),
        ] {
            #expect(throws: KeyFileError.self) {
                try KnownHubs(parsing: Array(text.replacing(good, with: bad).utf8))
            }
        }
    }

    @Test func givenAnswers() throws {
        let text = #"{"collection":"c","plugin_name":"p","required_info":{"name":"n","ip":"i","port":"p"}}"#
        let plugin = try #require(PluginDescription(parsing: Array(text.utf8)))
        let (answers, missing) = try InfoAnswers(["ip=::1", "name=a=b"]).check(against: plugin)
        #expect(answers == ["ip": "::1", "name": "a=b"] && missing.map(\.name) == ["port"])
        #expect(throws: InfoAnswersError.notAsked("x", fields: ["name", "ip", "port"])) {
            try InfoAnswers(["x=1"]).check(against: plugin)
        }
        #expect(throws: InfoAnswersError.notAPair("=1")) { try InfoAnswers(["=1"]) }
        #expect(throws: InfoAnswersError.twice("ip")) { try InfoAnswers(["ip=1", "ip=2"]) }
    }

    @Test func gatewaysWords() {
        let body = #"{"error":"not_approved","message":"no"}"#
        let error = ServerError(status: 403, contentType: "application/json", body: Array(body.utf8))
        #expect(
            error == .gateway(status: 403, word: "not_approved", message: "no") && error.description == "no")
    }

    @Test func aGatewayWithNothingBehindIt() {
        let body = #"{"error":"no_upstream","message":"none"}"#
        let error = ServerError(status: 502, contentType: "application/json", body: Array(body.utf8))
        #expect(
            error.description == "there is no server behind its gateway, so there is nothing to control")
        #expect(error.recoverySuggestion?.contains("--upstream") == true)
        let down = ServerError.gateway(status: 502, word: "upstream_unavailable", message: "down")
        #expect(down.recoverySuggestion?.contains("--upstream") == false)
    }

    @Test func namesOfAnyLengthAreShortened() {
        let name = "é" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(quoted(name).unicodeScalars.count == 83)
        #expect(shortened("kurz") == "kurz")
    }
}

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .boolean(true)), ("-0", .integer(0)), ("12", .integer(12)),
        ("9223372036854775808", .number(9223372036854775808)), ("-1.5e3", .number(-1500)),
        ("999999999999999999", .integer(999_999_999_999_999_999)), ("-7", .integer(-7)), ("0", .integer(0)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("10000000000000000000000", .number(1e22)),
        ("1E-2", .number(0.01)),
        (#""\u00e9\ud83d\ude00\n\/""#, .string("é😀\n/")), ("[]", .array([])), ("{ }", .object([:])),
        (
            #"[{"a": [1, "x"], "b": null}]"#,
            .array([.object(["a": .array([.integer(1), .string("x")]), "b": .null])])
        ),
        (#"{"a": 1, "a": 2}"#, .object(["a": .integer(2)])),
    ])
    func reads(_ text: String, _ value: JSONValue) {
        #expect(JSONValue(parsing: Array(text.utf8)) == value)
        #expect(JSONValue(parsing: Array(value.text.utf8)) == value)
        #expect(JSONValueTests.canSkip(text))
    }

    /// What is not needed is read as strictly.
    private struct Skipped: JSONReadable {
        init(reading reader: inout JSONReader) throws(JSONFault) { try reader.skip() }
    }

    private static func canSkip(_ text: String) -> Bool {
        (try? JSONReader.read(Skipped.self, from: Array(text.utf8))) != nil
    }

    @Test(arguments: [
        "", " ", "nul", "True", "01", "-", "1.", ".5", "+1", "1e", "0x1", "1e999", "[1,]", "[,1]", "[1", "{",
        "{a:1}",
        #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #""a"#, #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#,
        #""\udc00""#,
        "\"a\nb\"", "1 2", #""a\"#, "[1] x", "NaN", "Infinity", "1-2", "\u{FEFF}1",
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        String(repeating: "[", count: 1_000_000),
    ])
    func refuses(_ text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == nil)
        #expect(!JSONValueTests.canSkip(text))
    }

    @Test func refusesWhatIsNotUTF8() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
        // A key that is not known must still be a valid text.
        let info = #"{"collection":"c","plugin_name":"p","required_info":{"name":"n"},"X":1}"#
        #expect(PluginDescription(parsing: Array(info.utf8)) != nil)
        #expect(PluginDescription(parsing: info.utf8.map { $0 == UInt8(ascii: "X") ? 0xC0 : $0 }) == nil)
    }

    /// With and without fields that this version does not know.
    @Test(arguments: [#""#, #","x":"\u202e""#])
    func anApplianceIsWrittenAsItsJSON(_ extra: String) throws {
        let activator =
            #"{"activatorId":"1","name":"\u001b","rank":2,"state":[0.5,null],"type":"odd"\#(extra)}"#
        let text = #"{"activators":[\#(activator)],"deviceId":"6b","name":"é","type":"Lock"\#(extra)}"#
        let device = try #require(ControlledDevice.list(parsing: Array("[\(text)]".utf8))?.first)
        var written: [UInt8] = []
        device.write(to: &written)
        #expect(String(decoding: written, as: UTF8.self) == text && device.json.text == text)
    }

    @Test func isSafeForATerminal() {
        #expect(
            JSONValue.string("\u{1B}[2J\u{202E}\u{7F}\u{9B}\\\"é").text
                == #""\u001b[2J\u202e\u007f\u009b\\\"é""#)
        #expect(JSONValue.number(2).text == "2.0" && JSONValue.number(0.25).text == "0.25")
    }
}
