import Crypto
import FoundationEssentials
import Home
import Household
import JSON
import Pairing
import Testing

@testable import House
@testable import HubService

/// The rooms over HTTPS, through a hub that serves.
struct RoomResourcesTests {
    @Test func roomsAreKept() async throws {
        try await HubInTest.run { hub in
            let kitchen = #"{"area":"Ground floor","devices":["6b","6c"],"id":"kitchen","name":"Kitchen"}"#
            #expect(try await hub.send("GET", "rooms") == (200, #"{"kinds":[],"rooms":[],"units":[]}"#))
            let put = try await hub.send(
                "PUT", "rooms/kitchen",
                #"{"name":"Kitchen","area":"Ground floor","devices":["6b","6c"]}"#)
            #expect(put == (201, kitchen))
            let listed =
                #"{"area":"Ground floor","devices":["6b","6c"],"etag":"\"\#(Self.tag(kitchen))\"","#
                + #""id":"kitchen","name":"Kitchen"}"#
            // Who has made it stands beside it, and is no part of its tag.
            let answer = try await hub.send("GET", "rooms").body
            let parts = answer.split(separator: #""made":{"#, maxSplits: 1)
            let rest = parts.count == 2 ? parts[1].split(separator: "},", maxSplits: 1).last ?? "" : ""
            #expect(parts[0] + rest == #"{"kinds":[],"rooms":[\#(listed)],"units":[]}"#)
            let bath = #"{"devices":["6c"],"id":"bath","name":"Bath"}"#
            #expect(try await hub.send("PUT", "rooms/bath", bath) == (201, bath))
            #expect(try await hub.send("PUT", "rooms/bath", bath) == (200, bath))
            let stored = try hub.state.house.open().read(Rooms.fileName, Rooms.init(parsing:))
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

    /// The entity tag of a room in its canonical JSON, computed apart.
    private static func tag(_ json: String) -> String {
        SHA256.hash(data: Data(json.utf8)).prefix(8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Of two who change what both have read, the later one is told, and nothing is undone.
    @Test func aChangeOfWhatHasChangedIsRefused() async throws {
        try await HubInTest.run { hub in
            let none = "If-None-Match: *\r\n"
            let path = "rooms/kitchen"
            #expect(
                try await hub.send("PUT", path, #"{"name":"A"}"#, fields: "If-Match: *\r\n").status == 412)
            #expect(try await hub.send("PUT", path, #"{"name":"A"}"#, fields: none).status == 201)
            let again = try await hub.send("PUT", path, #"{"name":"B"}"#, fields: none)
            #expect(again.status == 412)
            #expect(again.body.contains(#""error":"precondition_failed""#))
            let first = Self.tag(#"{"devices":[],"id":"kitchen","name":"A"}"#)
            for wrong in ["W/\"\(first)\"", first, "\"0\"", "", "\"\(first)"] {
                let fields = "If-Match: \(wrong)\r\n"
                #expect(
                    try await hub.send("PUT", path, #"{"name":"B"}"#, fields: fields).status == 412,
                    "\(wrong)")
                #expect(try await hub.send("DELETE", path, fields: fields).status == 412, "\(wrong)")
            }
            let right = "If-Match: \"x\", \"\(first)\"\r\n"
            #expect(try await hub.send("PUT", path, #"{"name":"B"}"#, fields: right).status == 200)
            #expect(try await hub.send("PUT", path, #"{"name":"C"}"#, fields: right).status == 412)
            // What is wrong with the request itself is told first.
            #expect(try await hub.send("PUT", path, "x", fields: right).status == 400)
            #expect(try await hub.send("DELETE", "rooms/other", fields: right).status == 404)
            #expect(try await hub.send("DELETE", path, fields: "If-Match: *\r\n").status == 204)
        }
    }

    @Test func aChangeByHandCountsAtOnceAndAFaultIsSaid() async throws {
        try await HubInTest.run { hub in
            let head = "[keyfile]\nformat=1\n"
            try hub.write(Rooms.fileName, head + "[room a]\nname=A\n")
            #expect(try await hub.send("GET", "rooms").body.contains(#""name":"A""#))
            try hub.write(Rooms.fileName, head + "[room a]\nname=B\n")
            #expect(try await hub.send("GET", "rooms").body.contains(#""name":"B""#))
            try hub.write(Rooms.fileName, head + "[room a]\n")
            let fault = try await hub.send("GET", "rooms")
            #expect(fault.status == 503)
            #expect(fault.body.contains(#""error":"unavailable""#))
            // A file that cannot be read is never replaced.
            #expect(try await hub.send("PUT", "rooms/b", #"{"name":"C"}"#).status == 503)
            #expect(try hub.state.house.open().read(Rooms.fileName) == Array((head + "[room a]\n").utf8))
            #expect(hub.log.text.contains("[room a] has no name"))
        }
    }
}

extension HubInTest {
    /// A request of the approved device for one of the hub's own resources.
    ///
    /// - Parameter fields: further lines of the head, each with its CR LF.
    func send(_ method: String, _ path: String, _ body: String = "", fields: String = "") async throws -> (
        status: Int, body: String
    ) {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let answer = try await ask(
            "\(method) /hubpair/v1/\(path) HTTP/1.1\r\nHost: h\r\n\(fields)\(length)\r\n\(body)")
        let words = answer.head.split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, answer.body)
    }

    /// Writes a keyfile as a person with an editor does.
    func write(_ name: String, _ text: String) throws {
        try state.house.open().withLock { try $0.replace(name, with: Array(text.utf8)) }
    }
}
