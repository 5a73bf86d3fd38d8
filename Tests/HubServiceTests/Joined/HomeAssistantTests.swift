import FoundationEssentials
import GatewayRules
import Home
import Household
import Identity
import JSON
import Testing

@testable import House

/// A Home Assistant's words, as the real one (2024.3.3 with its demo integration) has said them:
/// `Tests/Strangers/homeassistant/recorded.jsonl`.
@Suite struct HomeAssistantTests {
    private struct Line {
        let asked: [String: JSONValue]
        let got: [HomeAssistantMessage]
    }

    private static func recorded() throws -> [Line] {
        let path = "\(#filePath)".split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let text = try Data(contentsOf: URL(filePath: path + "/Strangers/homeassistant/recorded.jsonl"))
        return try text.split(separator: UInt8(ascii: "\n")).map { line in
            let members = try #require(JSONValue(parsing: Array(line))?.asObject)
            guard case .array(let got)? = members["got"] else { throw CancellationError() }
            return Line(
                asked: members["asked"]?.asObject ?? [:],
                got: try got.map {
                    try JSONReader.read(HomeAssistantMessage.self, from: Array($0.text.utf8))
                })
        }
    }

    /// A house that has been told all.
    private static func told() throws -> HomeAssistantModel {
        var model = HomeAssistantModel()
        model.begin()
        let lines = try recorded()
        #expect(model.take(lines[0].got[0]) == .authenticate)
        #expect(model.take(lines[1].got[0]) == .ask)
        var last = HomeAssistantModel.Step.none
        let questions = model.nextQuestions()
        #expect(questions.count == HomeAssistantModel.Question.allCases.count)
        for question in questions {
            #expect(!model.isReady)
            let asked = try #require(question.asObject)
            let line = lines.first { $0.asked["type"] == asked["type"] }
            var answer = try #require(line?.got.first { $0.type == "result" })
            answer.id = asked["id"]?.asDouble.map { Int($0) }
            last = model.take(answer)
        }
        #expect(last == .changed && model.isReady)
        return model
    }

    private static func message(_ text: String) throws -> HomeAssistantMessage {
        try JSONReader.read(HomeAssistantMessage.self, from: Array(text.utf8))
    }

    private static func change(
        _ entity: String, _ state: String, _ attributes: String = "{}"
    ) throws -> HomeAssistantMessage {
        try message(
            """
            {"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":"\(entity)",
            "new_state":{"entity_id":"\(entity)","state":"\(state)","attributes":\(attributes)}}}}
            """)
    }

    @Test func `entities are appliances`() throws {
        let model = try HomeAssistantTests.told()
        let devices = Dictionary(uniqueKeysWithValues: model.devices.map { ($0.id, $0) })
        let lamp = try #require(devices["ha~light.ceiling_lights"])
        #expect(lamp.name == "Ceiling Lights" && lamp.kind == .light)
        #expect(lamp.activators.map(\.id) == ["on", "brightness", "hue", "saturation"])
        #expect(lamp.activators.map(\.kind) == [.bool, .float, .float, .float])
        let kinds = devices.mapValues(\.kind)
        #expect(kinds["ha~lock.front_door"] == .lock)
        #expect(kinds["ha~cover.garage_door"] == .gate)
        #expect(kinds["ha~cover.hall_window"] == .window)
        #expect(kinds["ha~climate.heatpump"] == .heating)
        #expect(kinds["ha~siren.siren"] == .alarm)
        #expect(kinds["ha~binary_sensor.basement_floor_wet"] == .detector)
        #expect(kinds["ha~sensor.outside_temperature"] == .sensor)
        #expect(devices["ha~lock.kitchen_door"]?.main?.state == .boolean(false))
        let target = try #require(devices["ha~climate.heatpump"]?.main)
        #expect(target.name == "Target temperature")
        // What nobody is to see, and what the house knows nothing of.
        for id in ["ha~sensor.sun_next_dawn", "ha~button.push", "ha~media_player.bedroom", "ha~zone.home"] {
            #expect(devices[id] == nil)
        }
        #expect(devices["ha~cover.pergola_roof"]?.canBeSwitched == false)
    }

    @Test func `areas are rooms and units are kept`() throws {
        let model = try HomeAssistantTests.told()
        #expect(model.hints("ha~light.ceiling_lights")?.room == "Kitchen")
        #expect(model.hints("ha~cover.garage_door")?.room == "Hall")
        #expect(model.hints("ha~switch.ac")?.room == nil)
        let units = try #require(model.hints("ha~climate.heatpump")?.units)
        #expect(units == ["target": try StateUnit(symbol: "°C", from: 7, to: 35)])
        var rooms = Rooms()
        try rooms.put(Room(id: "mine", name: "KITCHEN", devices: ["x"]))
        let hints = model.devices.compactMap { model.hints($0.id) }
        FirstSight.put(hints, into: &rooms)
        #expect(rooms.rooms.map(\.name).sorted() == ["Hall", "KITCHEN"])
        let kitchen = try #require(rooms.rooms.first { $0.id == "mine" })
        #expect(kitchen.devices == ["x", "ha~light.ceiling_lights", "ha~light.kitchen_lights"])
        #expect(StateUnits(rooms.units)["ha~sensor.outside_temperature", "value"] != nil)
        // The file can be read again, and a second sight changes nothing.
        #expect(try Rooms(parsing: rooms.serialized) == rooms)
        let before = rooms
        FirstSight.put(hints, into: &rooms)
        #expect(rooms == before)
    }

    @Test func `orders are services, and what comes back confirms them`() throws {
        var model = try HomeAssistantTests.told()
        func order(_ id: String, _ part: String, _ state: JSONValue) throws -> HomeAssistantOrder {
            try HomeAssistantOrder(#require(model.thing(id)), part, to: state)
        }
        let lines = try HomeAssistantTests.recorded()
        for line in lines where line.asked["type"] == .string("call_service") {
            for message in line.got where message.type == "event" { _ = model.take(message) }
        }
        #expect(model.thing("ha~lock.front_door")?.device.main?.state == .boolean(false))
        let level = try order("ha~light.ceiling_lights", "brightness", .number(0.4))
        let asked = lines.first { $0.asked["service"] == .string("turn_on") }?.asked
        let sent = try #require(level.message(id: 11).asObject)
        #expect(sent["service_data"] == asked?["service_data"] && sent["target"] == asked?["target"])
        #expect(sent["domain"] == asked?["domain"] && sent["service"] == asked?["service"])
        #expect(try order("ha~light.ceiling_lights", "brightness", .integer(0)).service == "turn_off")
        #expect(try order("ha~lock.front_door", "locked", .boolean(true)).service == "lock")
        #expect(try order("ha~cover.garage_door", "open", .boolean(false)).service == "close_cover")
        #expect(
            try order("ha~cover.hall_window", "position", .number(0.5)).data == ["position": .integer(50)])
        let heat = try order("ha~climate.heatpump", "target", .number(0.5))
        #expect(heat.service == "set_temperature" && heat.data == ["temperature": .number(21)])
    }

    @Test func `what cannot be done is refused in words`() throws {
        let model = try HomeAssistantTests.told()
        func fault(_ id: String, _ part: String, _ state: JSONValue) throws -> ServerError? {
            do {
                _ = try HomeAssistantOrder(try #require(model.thing(id)), part, to: state)
                return nil
            } catch let error as ServerError {
                return error
            }
        }
        #expect(try fault("ha~light.bed_light", "on", .number(1)) == .badState("<class 'bool'>"))
        for state in [JSONValue.number(1.1), .number(-0.1), .boolean(true), .null, .string("1")] {
            #expect(
                try fault("ha~light.ceiling_lights", "brightness", state) == .badState("<class 'float'>"))
        }
        #expect(try fault("ha~light.bed_light", "turn_on\"}", .boolean(true)) == .noThing("activator"))
        #expect(try fault("ha~lock.front_door", "open", .boolean(true)) == .noThing("activator"))
        let told = try fault("ha~sensor.outside_temperature", "value", .number(1))
        #expect(told?.description.contains("only tells") == true)
    }

    @Test func `what it loses is silent and stays as it was`() throws {
        var model = try HomeAssistantTests.told()
        let id = "ha~light.ceiling_lights"
        let before = try #require(model.thing(id)?.device.activators)
        #expect(model.take(try HomeAssistantTests.change("light.ceiling_lights", "unavailable")) == .changed)
        #expect(model.unanswered == [id] && !model.devices.contains { $0.id == id })
        #expect(model.thing(id)?.device.activators == before)
        #expect(model.thing(id)?.isUnavailable == true)
        // The same word again is no news.
        #expect(model.take(try HomeAssistantTests.change("light.ceiling_lights", "unavailable")) == .none)
        // Gone is another thing than silent.
        let gone = """
            {"type":"event","event":{"event_type":"state_changed","data":
            {"entity_id":"light.ceiling_lights","new_state":null}}}
            """
        #expect(model.take(try HomeAssistantTests.message(gone)) == .changed)
        #expect(model.thing(id) == nil)
    }

    @Test func `a lamp that is off keeps its colour`() throws {
        var model = try HomeAssistantTests.told()
        let modes = #""supported_color_modes":["hs"],"friendly_name":"L""#
        let on = #"{"hs_color":[180,50],"brightness":255,\#(modes)}"#
        _ = model.take(try HomeAssistantTests.change("light.l", "on", on))
        _ = model.take(
            try HomeAssistantTests.change("light.l", "off", #"{"hs_color":null,"brightness":null,\#(modes)}"#)
        )
        let states = model.thing("ha~light.l")?.device.activators.map(\.state)
        #expect(states == [.boolean(false), .number(0), .number(0.5), .number(0.5)])
    }

    @Test func `strange words do no harm`() throws {
        var model = try HomeAssistantTests.told()
        let count = model.devices.count
        let strange = [
            #"{}"#, #"[]"#, #"{"type":1}"#, #"{"type":"event"}"#, #"{"type":"event","event":[]}"#,
            #"{"type":"event","event":{"event_type":"state_changed","data":{"entity_id":7,"new_state":{}}}}"#,
            #"{"type":"result","id":1e300,"success":true,"result":[[],{},{"entity_id":{}}]}"#,
            #"{"type":"result","id":-1,"success":"yes","error":"no"}"#,
        ]
        for text in strange {
            guard let message = try? HomeAssistantTests.message(text) else { continue }
            _ = model.take(message)
        }
        for entity in ["light.../x", "light.A", "light.a/b", "light.%2e", "", "light", "other.x"] {
            #expect(model.take(try HomeAssistantTests.change(entity, "on")) == .none)
        }
        for state in ["nan", "inf", "1e999", "0x10", "-1e13"] {
            _ = model.take(
                try HomeAssistantTests.change("sensor.s", state, #"{"unit_of_measurement":"°C"}"#))
            #expect(model.thing("ha~sensor.s")?.device.main?.kind == .other("text"), "\(state)")
        }
        let odd = #"{"brightness":"x","supported_color_modes":{"a":1},"hs_color":[1,"2",[3]],"min_temp":[]}"#
        _ = model.take(try HomeAssistantTests.change("light.odd", "on", odd))
        #expect(model.thing("ha~light.odd")?.device.activators.count == 1)
        #expect(model.devices.count == count + 2)
        // A name of any length, and too many levels.
        let long = String(repeating: "ä", count: 5_000)
        _ = model.take(try HomeAssistantTests.change("light.long", "on", #"{"friendly_name":"\#(long)"}"#))
        #expect(model.thing("ha~light.long")?.device.name.utf8.count ?? 999 <= 200)
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONFault.self) { try HomeAssistantTests.message(#"{"x":\#(deep)"#) }
    }

    @Test func `more than the house has room for is left out`() throws {
        var model = HomeAssistantModel()
        model.begin()
        _ = model.take(try HomeAssistantTests.message(#"{"type":"auth_ok"}"#))
        let questions = model.nextQuestions().compactMap(\.asObject)
        let isStates = { (question: [String: JSONValue]) in question["type"] == .string("get_states") }
        let id = try #require(questions.first(where: isStates)?["id"]?.asDouble.map { Int($0) })
        for question in questions where !isStates(question) {
            let number = try #require(question["id"]).text
            let answer = #"{"id":\#(number),"type":"result","success":true}"#
            #expect(model.take(try HomeAssistantTests.message(answer)) == .none)
        }
        let states = (0..<12_000).map { #"{"entity_id":"light.l\#($0)","state":"on","attributes":{}}"# }
        let all = states.joined(separator: ",")
        #expect(
            model.take(
                try HomeAssistantTests.message(
                    #"{"id":\#(id),"type":"result","success":true,"result":[\#(all)]}"#)) == .changed)
        #expect(model.devices.count == HomeAssistantModel.maximumCount && model.leftOut == 2_000)
        #expect(model.take(try HomeAssistantTests.change("light.more", "on")) == .none)
    }

    @Test func `every id is one that fits in a path`() throws {
        let long = "light." + String(repeating: "a", count: 249)
        let ids = [long, long.dropLast() + "b", "light.a"].compactMap {
            HomeAssistantThing.id(of: String($0))
        }
        #expect(Set(ids).count == 3)
        #expect(ids.allSatisfy { PathID.isOne($0.utf8) && $0.utf8.count <= 64 })
        #expect(ids.allSatisfy { JoinedKind(thing: $0) == .homeAssistant })
        #expect(HomeAssistantThing.id(of: "light." + String(repeating: "a", count: 250)) == nil)
        #expect(JoinedKind(target: "/devices/ha~light.a/activators/on") == .homeAssistant)
        for target in ["/devices/", "/devices/6b01", "/devices/%68a~x", "/x/ha~y", "ha~y"] {
            #expect(JoinedKind(target: target) == nil)
        }
    }
}
