import Home
import Household
import JSON
import Pairing
import Testing

@testable import HubService

/// The rooms over HTTPS, through a hub that serves.
struct RoomResourcesTests {
    @Test func roomsAreKept() async throws {
        try await HubInTest.run { hub in
            let kitchen = #"{"area":"Ground floor","devices":["6b","6c"],"id":"kitchen","name":"Kitchen"}"#
            #expect(try await hub.send("GET", "rooms") == (200, #"{"rooms":[]}"#))
            let put = try await hub.send(
                "PUT", "rooms/kitchen",
                #"{"name":"Kitchen","area":"Ground floor","devices":["6b","6c"]}"#)
            #expect(put == (201, kitchen))
            #expect(try await hub.send("GET", "rooms") == (200, #"{"rooms":[\#(kitchen)]}"#))
            let bath = #"{"devices":["6c"],"id":"bath","name":"Bath"}"#
            #expect(try await hub.send("PUT", "rooms/bath", bath) == (201, bath))
            #expect(try await hub.send("PUT", "rooms/bath", bath) == (200, bath))
            let stored = try hub.state.open().read(Rooms.fileName, Rooms.init(parsing:))
            #expect(stored?.rooms.map(\.devices) == [["6b"], ["6c"]])
            let taken = try await hub.send("PUT", "rooms/x", #"{"name":"BATH"}"#)
            #expect(taken.status == 409)
            #expect(taken.body.contains(#""error":"conflict""#))
            #expect(try await hub.send("PUT", "rooms/x", "x").status == 400)
            #expect(try await hub.send("PUT", "rooms/a%2Fb", #"{"name":"X"}"#).status == 400)
            #expect(try await hub.send("DELETE", "rooms/bath") == (204, ""))
            #expect(try await hub.send("DELETE", "rooms/bath").status == 404)
        }
    }

    @Test func aChangeByHandCountsAtOnceAndAFaultIsSaid() async throws {
        try await HubInTest.run { hub in
            let head = "[keyfile]\nformat=1\n"
            try hub.write(Rooms.fileName, head + "[room a]\nname=A\n")
            #expect(
                try await hub.send("GET", "rooms") == (
                    200, #"{"rooms":[{"devices":[],"id":"a","name":"A"}]}"#
                ))
            try hub.write(Rooms.fileName, head + "[room a]\nname=B\n")
            #expect(try await hub.send("GET", "rooms").body.contains(#""name":"B""#))
            try hub.write(Rooms.fileName, head + "[room a]\n")
            let fault = try await hub.send("GET", "rooms")
            #expect(fault.status == 503)
            #expect(fault.body.contains(#""error":"unavailable""#))
            // A file that cannot be read is never replaced.
            #expect(try await hub.send("PUT", "rooms/b", #"{"name":"C"}"#).status == 503)
            #expect(try hub.state.open().read(Rooms.fileName) == Array((head + "[room a]\n").utf8))
            #expect(hub.log.text.contains("[room a] has no name"))
        }
    }
}

extension HubInTest {
    /// A request of the approved device for one of the hub's own resources.
    func send(_ method: String, _ path: String, _ body: String = "") async throws -> (
        status: Int, body: String
    ) {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let answer = try await ask(
            "\(method) /hubpair/v1/\(path) HTTP/1.1\r\nHost: h\r\n\(length)\r\n\(body)")
        let words = answer.head.split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, answer.body)
    }

    /// Writes a keyfile as a person with an editor does.
    func write(_ name: String, _ text: String) throws {
        try state.open().withLock { try $0.replace(name, with: Array(text.utf8)) }
    }
}
