import FoundationEssentials
import GatewayRules
import Home
import Household
import Pairing
import Testing

@testable import House

@Suite struct SeenAppliancesTests {
    private static func device(_ id: String, _ name: String = "x") -> ControlledDevice {
        ControlledDevice(id: id, name: name, type: "Light", activators: [], extra: [:])
    }

    private static func time(_ seconds: Double) -> Moment {
        Moment(wall: Date(timeIntervalSince1970: seconds))
    }

    private static func part(
        _ kind: JoinedKind?, _ ids: [String], at seconds: Double = 0, unanswered: Set<String> = []
    ) -> SeenAppliances.Part {
        SeenAppliances.Part(
            kind: kind, devices: ids.map { device($0) }, time: time(seconds), unanswered: unanswered)
    }

    @Test func `what does not answer stays as it was, in its place`() {
        var seen = SeenAppliances()
        seen.take([Self.part(nil, ["a", "b", "c"]), Self.part(.homeAssistant, ["ha~x", "ha~y"])])
        #expect(seen.ids == ["a", "b", "c", "ha~x", "ha~y"])
        seen.take([
            Self.part(nil, ["a", "c"], at: 9, unanswered: ["b"]),
            Self.part(.homeAssistant, [], at: 9, unanswered: ["ha~x", "ha~y"]),
        ])
        #expect(seen.ids == ["a", "b", "c", "ha~x", "ha~y"])
        #expect(seen.all.map { $0.time == Self.time(0) } == [false, true, false, true, true])
        #expect(seen.ids(of: .homeAssistant) == ["ha~x", "ha~y"] && seen.ids(of: nil) == ["a", "b", "c"])
    }

    @Test func `what no server has any more is forgotten`() {
        var seen = SeenAppliances()
        seen.take([Self.part(nil, ["a"]), Self.part(.homeAssistant, ["ha~x", "ha~y"])])
        // Gone while another is silent, and a server that has left.
        seen.take([Self.part(nil, ["a"]), Self.part(.homeAssistant, [], unanswered: ["ha~y"])])
        #expect(seen.ids == ["a", "ha~y"])
        seen.take([Self.part(nil, ["b", "a", "b"])])
        #expect(seen.ids == ["b", "a"])
    }

    @Test func `a silent thing that was never seen is not there`() {
        var seen = SeenAppliances()
        seen.take([Self.part(.homeAssistant, ["ha~y"], unanswered: ["ha~x"])])
        #expect(seen.ids == ["ha~y"])
    }
}
