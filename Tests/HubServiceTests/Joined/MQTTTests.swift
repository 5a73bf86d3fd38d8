import GatewayRules
import Home
import JSON
import TestSupport
import Testing

@testable import House

/// Things as zigbee2mqtt and Tasmota announce them, and as liars do.
@Suite struct MQTTTests {
    private static let lamp = """
        {"availability":[{"topic":"z/bridge/state","value_template":"{{ value_json.state }}"},
        {"topic":"z/hall/availability","value_template":"{{ value_json.state }}"}],"availability_mode":"all",
        "brightness":true,"brightness_scale":254,"command_topic":"z/hall/set",
        "device":{"identifiers":["z"],"name":"Hall lamp","suggested_area":"Hall"},"name":null,
        "schema":"json","state_topic":"z/hall","supported_color_modes":["xy","color_temp"]}
        """
    private static let kettle = """
        {"name":"Kettle","~":"tele/kettle","stat_t":"~/STATE","avty_t":"~/LWT","pl_avail":"Online",
        "pl_not_avail":"Offline","cmd_t":"cmnd/kettle/POWER","val_tpl":"{{value_json.POWER}}","pl_off":"OFF",
        "pl_on":"ON","dev":{"ids":["5C32B1"]}}
        """

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A model that has one thing announced, and been told something.
    private static func model(
        _ topic: String, _ announcement: String, _ told: (String, String)...
    ) throws -> MQTTModel {
        var model = MQTTModel()
        #expect(model.begin().isEmpty)
        let step = model.take("homeassistant/\(topic)/config", bytes(announcement))
        #expect(step.refused == nil, "\(String(describing: step.refused))")
        for (topic, text) in told { _ = model.take(topic, bytes(text)) }
        return model
    }

    private static func states(_ model: MQTTModel) -> [String: JSONValue] {
        Dictionary(
            model.devices.flatMap { device in device.activators.map { ("\(device.id) \($0.id)", $0.state) } }
        ) { one, _ in one }
    }

    @Test func `a lamp of zigbee2mqtt`() throws {
        let there = #"{"state":"online"}"#
        var model = try MQTTTests.model("light/0x01/light", MQTTTests.lamp, ("z/bridge/state", there))
        let id = "mqtt~light.0x01.light"
        #expect(model.devices.isEmpty && model.unanswered == [id])
        #expect(model.hints(id)?.room == "Hall")
        let step = model.take("z/hall", MQTTTests.bytes(#"{"state":"ON","brightness":127,"color":{"x":1}}"#))
        #expect(step.told == [id] && model.devices.isEmpty)
        #expect(model.take("z/hall/availability", MQTTTests.bytes(there)).isChange)
        #expect(model.devices.map(\.name) == ["Hall lamp"])
        #expect(MQTTTests.states(model) == ["\(id) on": .boolean(true), "\(id) brightness": .number(0.5)])
        let thing = try #require(model.thing(id))
        #expect(try MQTTOrder(thing, "on", to: .boolean(false)).messages.map(\.text) == [#"{"state":"OFF"}"#])
        let half = try MQTTOrder(thing, "brightness", to: .number(0.25))
        #expect(half.messages.map(\.text) == [#"{"brightness":64,"state":"ON"}"#])
        #expect(half.messages.map(\.topic) == ["z/hall/set"])
        #expect(throws: ServerError.self) { try MQTTOrder(thing, "hue", to: .number(0.5)) }
        #expect(throws: ServerError.self) { try MQTTOrder(thing, "on", to: .number(1)) }
        _ = model.take("z/bridge/state", MQTTTests.bytes(#"{"state":"offline"}"#))
        #expect(model.devices.isEmpty && model.unanswered == [id])
    }

    @Test func `a switch of Tasmota`() throws {
        let model = try MQTTTests.model(
            "switch/5C32B1_RL_1", MQTTTests.kettle, ("tele/kettle/LWT", "Online"),
            ("tele/kettle/STATE", #"{"Time":"x","POWER":"ON"}"#))
        let id = "mqtt~switch.5C32B1_RL_1"
        #expect(MQTTTests.states(model) == ["\(id) on": .boolean(true)])
        let thing = try #require(model.thing(id))
        let order = try MQTTOrder(thing, "on", to: .boolean(false))
        #expect(order.messages == [.init(topic: "cmnd/kettle/POWER", payload: Array("OFF".utf8))])
        #expect(order.awaited == .boolean(false))
    }

    @Test(
        arguments: [
            ("value_json.a", #"{"a":"x"}"#, "x"), ("value_json['a']", #"{"a":true}"#, "True"),
            ("value_json[\"a b\"].c", #"{"a b":{"c":21.5}}"#, "21.5"),
            ("value_json.a[1]", #"{"a":[1,2]}"#, "2"),
            ("value", "plain", "plain"), ("value_json", "7", "7"), ("value_json.a", #"{"a":null}"#, "None"),
            ("value_json.a", #"{"b":1}"#, nil), ("value_json.a", "x", nil),
            ("value_json.a", #"{"a":{}}"#, nil),
        ] as [(String, String, String?)])
    func `templates that are read`(_ path: String, _ message: String, _ value: String?) throws {
        for spaced in ["{{\(path)}}", "{{ \(path) }}", " {{  \(path)  }} "] {
            let template = try #require(MQTTTemplate(spaced), "\(spaced)")
            #expect(template.text(in: try #require(MQTTMessage(MQTTTests.bytes(message)))) == value)
        }
    }

    @Test func `a template that chooses`() throws {
        let template = try #require(
            MQTTTemplate("{% if value_json.lock %} true {% else %} false {% endif %}"))
        let cases = [(#"{"lock":true}"#, "true"), (#"{"lock":0}"#, "false"), ("{}", "false"), ("x", nil)]
        for (message, word) in cases {
            #expect(template.text(in: try #require(MQTTMessage(MQTTTests.bytes(message)))) == word)
        }
    }

    @Test(arguments: [
        "", "on", "{{ }}", "{{ value_json.x | int }}", "{{ value_json.x + 1 }}", "{{ value_json.x }} W",
        "{{ value_json['x }}", "{{ value_json[x] }}", "{{ value_json..x }}", "{{ value_jsonx }}",
        "{{ value.x }}",
        "{{ values[value_json.x] }}", "{% set a = 1 %}{{ a }}", "{{ value_json.1x }}", "{{ value_json[-1] }}",
        "{% if value_json.x == 1 %} a {% else %} b {% endif %}", "{% if value %} a {% else %} b {% endif %}",
        "{{ value_json.a.a.a.a.a.a.a.a.a }}", "{{ value_json[99999999999999999999] }}",
    ])
    func `templates that are refused`(_ text: String) { #expect(MQTTTemplate(text) == nil) }

    @Test(arguments: [
        ("light/x", "[]"), ("light/x", "{"), ("light/x", "{}"), ("light/x", #"{"state_topic":"a/#"}"#),
        ("light/x", ##"{"state_topic":"a/+/b"}"##), ("light/x", #"{"state_topic":""}"#),
        ("switch/x", #"{"state_topic":"$SYS/x"}"#), ("switch/x", #"{"state_topic":7.5e300,"x":1}"#),
        ("switch/x", #"{"state_topic":"a","command_topic":"homeassistant/switch/y/config"}"#),
        ("switch/x", #"{"state_topic":"a","value_template":"{{ value_json.x|int }}"}"#),
        ("lock/x", #"{"state_topic":"a","command_topic":"b","code_format":"^\\d+$"}"#),
        ("light/x", #"{"state_topic":"a","schema":"template"}"#),
        (
            "cover/x",
            #"{"position_topic":"a","set_pos_t":"b","set_position_template":"{{ position|int }}"}"#
        ),
        ("sensor/x", ##"{"state_topic":"a","availability":[{"topic":"#"}]}"##),
    ])
    func `what announces itself badly stays outside`(_ topic: String, _ announcement: String) {
        var model = MQTTModel()
        _ = model.begin()
        let step = model.take("homeassistant/\(topic)/config", MQTTTests.bytes(announcement))
        let isOutside = step.refused != nil && step.subscribe.isEmpty && model.count == 0
        // A topic may be called by a number.
        #expect(isOutside || announcement.contains("7.5e300"), "\(announcement)")
    }

    @Test func `what is for no one's eyes, or of another kind, does not come`() throws {
        var model = MQTTModel()
        _ = model.begin()
        for (topic, text) in [
            ("sensor/x", #"{"state_topic":"a","entity_category":"diagnostic"}"#),
            ("sensor/x", #"{"state_topic":"a","en":false}"#), ("camera/x", #"{"topic":"a"}"#),
            ("sensor/x/y/z", #"{"state_topic":"a"}"#), ("sensor/ä", #"{"state_topic":"a"}"#),
            ("sensor/x.y", #"{"state_topic":"a"}"#),
        ] {
            #expect(model.take("homeassistant/\(topic)/config", MQTTTests.bytes(text)) == MQTTModel.Step())
        }
        #expect(model.count == 0)
    }

    @Test func `who does not announce himself again is gone`() throws {
        var model = try MQTTTests.model("switch/5C32B1_RL_1", MQTTTests.kettle)
        #expect(model.begin() == ["tele/kettle/LWT", "tele/kettle/STATE"])
        let end = model.end()
        let topics = ["tele/kettle/LWT", "tele/kettle/STATE"]
        #expect(end.isChange && end.unsubscribe == topics && model.count == 0)
    }

    @Test func `many things are too many`() throws {
        var model = MQTTModel()
        _ = model.begin()
        for number in 0..<(MQTTModel.maximumCount + 5) {
            _ = model.take("homeassistant/sensor/s\(number)/config", MQTTTests.bytes(#"{"stat_t":"s"}"#))
        }
        #expect(model.count == MQTTModel.maximumCount && model.leftOut == 5)
        #expect(model.take("s", MQTTTests.bytes("7")).told.count == MQTTModel.maximumCount)
    }

    /// Announcements and states that somebody has made up: nothing traps, everything stays bounded, and what
    /// is subscribed to is what things that are there have named.
    @Test func `generated liars`() {
        var generator = SplitMix64(seed: 41)
        let keys = [
            "state_topic", "stat_t", "command_topic", "value_template", "~", "availability", "device", "name",
            "payload_on", "min", "max", "step", "position_topic", "set_position_topic", "schema",
            "brightness",
            "brightness_scale", "modes", "temperature_state_topic", "temp_cmd_t", "min_temp", "state_closed",
            "position_open", "position_closed", "availability_mode", "unit_of_measurement", "device_class",
        ]
        let values = [
            "null", "true", "1e400", "-0", "1e308", "[]", "{}", "\"~/x\"", "\"x~\"", "\"t\"", "\"t/\\u0000\"",
            "\"#\"", "\"{{ value_json.a }}\"", "\"{{ value }}\"", "\"json\"", "\"\"", "\"°C\"", "\"%\"",
            "[{\"topic\":\"t\"},{\"t\":\"u\"}]", "{\"name\":\"\\u202e\",\"sa\":\"x\\ny\"}", "100",
            "\"100\"", "0",
            "[\"off\",\"heat\"]", "\"any\"", "\"garage\"", "\"\(String(repeating: "x", count: 300))\"",
        ]
        let payloads = [
            "ON", "OFF", "{\"a\":1}", "{\"a\":\"ON\"}", "{\"state\":\"ON\",\"brightness\":1e9}",
            "nan", "1e999",
            "-1", "50", "", "None", "{", "[[[[", "\u{0}", "{\"a\":{}}", "open", "online", "offline",
        ]
        let kinds = MQTTConfiguration.Component.allCases
        var model = MQTTModel()
        var topics: Set<String> = []
        topics.formUnion(model.begin())
        for _ in 0..<20_000 {
            let step: MQTTModel.Step
            if Bool.random(using: &generator) {
                let count = Int.random(in: 0...8, using: &generator)
                let members = (0..<count).map { _ in
                    let key = keys.randomElement(using: &generator) ?? ""
                    return "\"\(key)\":\(values.randomElement(using: &generator) ?? "")"
                }
                let kind = kinds.randomElement(using: &generator)?.rawValue ?? ""
                let name = Int.random(in: 0..<40, using: &generator)
                step = model.take(
                    "homeassistant/\(kind)/n\(name)/config",
                    MQTTTests.bytes(count == 0 ? "" : "{\(members.joined(separator: ","))}"))
            } else {
                let topic = ["t", "u", "t/x", "x", "xt", "tx"].randomElement(using: &generator) ?? ""
                step = model.take(topic, MQTTTests.bytes(payloads.randomElement(using: &generator) ?? ""))
            }
            #expect(step.subscribe.allSatisfy(MQTTKeys.isTopic))
            topics.formUnion(step.subscribe)
            topics.subtract(step.unsubscribe)
            for device in model.devices {
                for activator in device.activators {
                    guard let thing = model.thing(device.id) else { continue }
                    if activator.kind == .float {
                        #expect((0...1).contains(activator.state.asDouble ?? -1), "\(thing)")
                    }
                    let order = try? MQTTOrder(thing, activator.id, to: activator.state)
                    #expect(order?.messages.allSatisfy { MQTTKeys.isTopic($0.topic) } ?? true)
                }
            }
        }
        #expect(model.begin() == topics.sorted() && model.count <= kinds.count * 40)
    }
}

extension MQTTOrder.Message {
    fileprivate var text: String { String(decoding: payload, as: UTF8.self) }
}

/// The heads of packets, before libmosquitto sees them.
@Suite struct MQTTGaugeTests {
    @Test(
        arguments: [
            ([], .unfinished), ([0x30], .unfinished), ([0x30, 0x80], .unfinished),
            ([0x30, 0xFF, 0xFF, 0xFF], .unfinished),
            ([0x30, 0xFF, 0xFF, 0xFF, 0xFF], .malformed), ([0x30, 0], .packet(kind: 0x30, byteCount: 2)),
            ([0x30, 0x7F, 0xFF], .packet(kind: 0x30, byteCount: 129)),
            ([0x90, 0x80, 0x01, 9], .packet(kind: 0x90, byteCount: 131)),
            ([0x30, 0xFF, 0xFF, 0xFF, 0x7F], .packet(kind: 0x30, byteCount: 268_435_460)),
        ] as [([UInt8], MQTTGauge.Head)])
    func heads(bytes: [UInt8], head: MQTTGauge.Head) { #expect(MQTTGauge.Head(bytes) == head) }

    @Test func verdicts() {
        let most = MQTTGauge.maximumByteCount
        func verdict(_ kind: UInt8, _ count: Int) -> MQTTGauge.Verdict? {
            MQTTGauge.Head.packet(kind: kind, byteCount: count).verdict
        }
        #expect(verdict(0x31, most) == .read && verdict(0x30, most + 1) == nil)
        #expect(verdict(0x32, 9) == .refuse && verdict(0x3C, most + 1) == .refuse)
        #expect(verdict(0x90, most) == .read && verdict(0x90, most + 1) == .refuse)
    }
}
