import Pairing
import Testing

@testable import GatewayRules

/// The targets of the hub's own resources, and their queries.
@Suite struct HubResourceTests {
    @Test(
        arguments: [
            ("GET", "rooms", ResourcePattern.rooms, [], ""), ("GET", "rooms?x", .rooms, [], "x"),
            ("PUT", "rooms/kitchen", .room, ["kitchen"], ""),
            ("PUT", "units/6b4d5c/6b4d5e", .unit, ["6b4d5c", "6b4d5e"], ""),
            ("GET", "pictures/6b4d5c", .picture, ["6b4d5c"], ""),
            ("GET", "messages/17/picture", .messagePicture, ["17"], ""),
            ("PUT", "scenes/Movie%20night", .scene, ["Movie night"], ""),
            ("PUT", "scenes/a%2Fb", .scene, ["a/b"], ""),
            ("GET", "scenes/current", .currentScene, [], ""),
            ("PUT", "scenes/current", .scene, ["current"], ""),
            ("POST", "scenes/current/run", .sceneRun, ["current"], ""),
            ("GET", "messages/stream?after=1?2", .messageStream, [], "after=1?2"),
            ("POST", "messages/acknowledge", .messagesAcknowledge, [], ""),
            ("POST", "messages/17/acknowledge", .messageAcknowledge, ["17"], ""),
            ("POST", "messages/read", .messagesRead, [], ""), ("DELETE", "armed", .armed, [], ""),
            ("DELETE", "scenes/%C3%A9", .scene, ["é"], ""),
            // A method that no pattern takes: the first that matches says which it takes.
            ("TRACE", "rooms/kitchen", .room, ["kitchen"], ""),
        ] as [(String, String, ResourcePattern, [String], String)])
    func aTargetIsAResource(
        method: String, path: String, pattern: ResourcePattern, segments: [String], query: String
    ) {
        let resource = HubResource(target: "/hubpair/v1/" + path, method: method)
        #expect(resource == HubResource(pattern, segments: segments, query: query))
    }

    @Test(arguments: [
        "/hubpair/v1/", "/hubpair/v1/rooms/", "/hubpair/v1//rooms", "/hubpair/v1/Rooms",
        "/hubpair/v1/%72ooms",
        "/hubpair/v1/rooms//kitchen", "/hubpair/v1/rooms/a/b", "/hubpair/v1/units/a",
        "/hubpair/v1/units/a//b", "/hubpair/v1/units",
        "/hubpair/v1/rooms/%ff",
        "/hubpair/v1/rooms/%c3", "/hubpair/v1/rooms/a%2", "/hubpair/v1/rooms/a%zz", "/hubpair/v1/rooms/a\"b",
        "/hubpair/v1/rooms/a\\b", "/hubpair/v1/scenes/x/run/", "/hubpair/v1/x/../rooms", "/hubpair/v2/rooms",
        "/hubpair/v1/rooms/" + String(repeating: "a", count: 190),
    ])
    func anotherSpellingIsNone(target: String) {
        for method in ["GET", "PUT", "POST", "DELETE"] {
            #expect(HubResource(target: target, method: method) == nil)
            #expect(GatewayPath(target: target, method: method) == .withheld)
        }
    }

    @Test func aQueryIsReadAsAWholeOrNotAtAll() throws {
        let names = ["after", "kind"]
        let query = try QueryItems("after=12&kind=a%20b", names: names)
        #expect(try query.number("after", in: 0...100) == 12 && query.text("kind") == "a b")
        #expect(try QueryItems("", names: names).number("after", in: 0...1) == nil)
        for (text, message) in [
            ("afte=1", "the query has an item that is not known here; known are: after, kind"),
            ("after", "the query has an item that is not known here; known are: after, kind"),
            ("after=1&after=1", "the query has 'after' twice"),
            ("kind=%ff", "the value of 'kind' in the query cannot be read"),
        ] {
            #expect(throws: QueryItems.Fault(message: message)) { try QueryItems(text, names: names) }
        }
        #expect(throws: QueryItems.Fault(message: "'after' in the query is a number from 0 to 5")) {
            try query.number("after", in: 0...5)
        }
    }

    @Test func rolesUseWhatTheTableSays() {
        let table: [(Role?, [ResourceUse])] = [
            (nil, []), (.guest, [.using]), (.member, [.using, .arranging]),
            (.owner, [.using, .arranging, .administering]),
        ]
        for (role, allowed) in table {
            #expect(ResourceUse.allCases.filter { RoleTable.allows(role, $0) } == allowed)
        }
    }
}
