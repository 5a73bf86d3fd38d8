import FoundationEssentials
import JSON
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// What owners do over HTTP: the same as on the hub, answered when it is on disk.
@Suite struct OwnerPathsTests {
    /// Hands `body` a hub whose device is an owner.
    private func run(_ body: @escaping (HubInTest) async throws -> Void) async throws {
        try await HubInTest.run(hasUpstream: false) { hub in
            let device = PeerSelector("\(hub.device.pin.fingerprint)")
            _ = try AdministerDevices(state: hub.state).give(.owner, to: device)
            try await body(hub)
        }
    }

    private func ask(
        _ hub: HubInTest, _ line: String, _ body: String = "", as identity: TLSIdentity? = nil
    ) async throws -> (status: String, members: [String: JSONValue]) {
        let (head, text) = try await hub.ask(
            "\(line) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", as: identity)
        return (
            String(head.split(separator: " ")[1]), JSONValue(parsing: Array(text.utf8))?.asObject ?? [:]
        )
    }

    @Test func decisionsAreOnDiskWhenTheyAreAnswered() async throws {
        try await run { hub in
            let asking = TLSIdentity.random()
            let path = "/hubpair/v1/devices/\(asking.pin.fingerprint)"
            try hub.enter(asking, name: "Asks", .pending)
            func standing() throws -> ApprovedDevice? {
                try AdministerDevices(state: hub.state).list().first { $0.pin == asking.pin }
            }
            let (status, members) = try await ask(
                hub, "POST \(path)/approve", #"{"role":"guest","for":60}"#)
            #expect(status == "200" && members["changed"] == .boolean(true))
            #expect(members["device"]?.asObject?["role"] == .string("guest"))
            #expect(try standing()?.status == .approved && standing()?.expires != nil)
            #expect(try await ask(hub, "PUT \(path)", #"{"name":"Café","role":"member"}"#).status == "200")
            #expect(try standing()?.name.description == "Café" && standing()?.role == "member")
            #expect(
                try await ask(hub, "PUT /hubpair/v1/devices/Caf%C3%A9", #"{"role":"owner"}"#).status == "200")
            #expect(try standing()?.role == "owner")
            #expect(try await ask(hub, "POST \(path)/refuse").status == "409")
            #expect(try await ask(hub, "POST \(path)/revoke").members["changed"] == .boolean(true))
            #expect(try await ask(hub, "POST \(path)/revoke").members["changed"] == .boolean(false))
            #expect(try standing()?.status == .revoked)
        }
    }

    @Test(arguments: [
        ("POST /hubpair/v1/devices/X/approve", #"{"rol":"guest"}"#, "400"),
        ("POST /hubpair/v1/devices/X/approve", #"{"role":"guest","role":"owner"}"#, "400"),
        ("POST /hubpair/v1/devices/X/approve", #"{"role":"king"}"#, "400"),
        ("POST /hubpair/v1/devices/X/approve", #"{"for":0}"#, "400"),
        ("POST /hubpair/v1/devices/X/approve", #"{"for":1,"until":null}"#, "400"),
        ("POST /hubpair/v1/devices/X/approve", "[]", "400"),
        ("POST /hubpair/v1/devices/X/approve", "{", "400"),
        ("POST /hubpair/v1/devices/X/approve", "", "404"),
        ("POST /hubpair/v1/devices/X/revoke?x=1", "", "400"),
        ("POST /hubpair/v1/devices/X/revoke", "{\"a\":1}", "400"),
        ("PUT /hubpair/v1/devices/X", "{}", "400"),
        ("PUT /hubpair/v1/devices/X", #"{"name":" x"}"#, "400"),
        ("GET /hubpair/v1/devices/X", "", "405"),
        ("POST /hubpair/v1/codes", #"{"kind":"label","role":"guest"}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"count":0}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"count":201}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"sheet":"99x99"}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"sheet":"2x2","count":4}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"formats":["svg","svg"]}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"formats":["text"]}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"expires":null}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"expires":0}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"expires":1e300}"#, "400"),
        ("POST /hubpair/v1/codes", #"{"address":"fd77::1"}"#, "400"),
        ("POST /hubpair/v1/codes/void", "{}", "400"),
        ("POST /hubpair/v1/codes/void", #"{"codes":["X"],"all":true}"#, "400"),
        ("POST /hubpair/v1/codes/void", #"{"codes":[1]}"#, "400"),
        ("DELETE /hubpair/v1/codes/ZZZZ", "", "404"),
        ("GET /hubpair/v1/journal?limit=0", "", "400"),
        ("GET /hubpair/v1/journal?limit=1001", "", "400"),
        ("GET /hubpair/v1/journal?after=-1", "", "400"),
        ("GET /hubpair/v1/findings", "", "503"),
        ("GET /hubpair/v1/findings?x=1", "", "400"),
    ])
    func whatCannotBeDone(line: String, body: String, status: String) async throws {
        try await run { hub in
            let before = try hub.state.open().read(Tickets.fileName)
            let answer = try await ask(hub, line, body)
            #expect(answer.status == status)
            #expect(answer.members["error"] != nil && answer.members["message"] != nil)
            #expect(try hub.state.open().read(Tickets.fileName) == before)
        }
    }

    @Test func aCodeComesWithItsPictureAndIsOnlyThere() async throws {
        try await run { hub in
            let (status, members) = try await ask(
                hub, "POST /hubpair/v1/codes", #"{"role":"guest","expires":90,"formats":["svg","png"]}"#)
            #expect(status == "201")
            guard case .array(let codes)? = members["codes"], let made = codes.first?.asObject,
                let text = made["text"]?.asString, let files = members["files"]?.asObject
            else {
                Issue.record("\(members)")
                return
            }
            let code = try PairingCode(text: text)
            #expect(made["typed"]?.asString == TypedCode(secret: code.secret).text)
            #expect(made["role"] == .string("guest") && made["status"] == .string("good"))
            #expect(files["svg"]?.asString?.contains("<svg") == true)
            let png = files["png"]?.asString.flatMap { Data(base64Encoded: $0) }
            #expect(png?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
            // Neither the list nor a file has the secret.
            let list = try await hub.ask("GET /hubpair/v1/codes HTTP/1.1\r\nHost: h\r\n\r\n").body
            #expect(list.contains("\"ticket\":\"\(code.secret.ticketID)\"") && !list.contains(text))
            let name = try #require(made["code"]?.asString)
            #expect(try await ask(hub, "DELETE /hubpair/v1/codes/\(name)").status == "200")
            #expect(try AdministerCodes(state: hub.state).list().isEmpty)
        }
    }

    @Test func codesAreAskedForThirtyTimesAMinute() async throws {
        try await run { hub in
            let client = try await hub.connect(as: hub.device)
            // What was made more than a minute ago counts no more: a slow machine makes more of them.
            var made = 0
            var refusal: (head: String, body: String)?
            while refusal == nil, made < 1_000 {
                try await client.write(
                    "POST /hubpair/v1/codes HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
                let response = try await client.response()
                if response.head.hasPrefix("HTTP/1.1 201 ") { made += 1 } else { refusal = response }
            }
            #expect(made >= 30)
            #expect(refusal?.head.hasPrefix("HTTP/1.1 429 ") == true)
            #expect(refusal?.body.contains("too_many") == true)
            #expect(try AdministerCodes(state: hub.state).list().count == made)
            await client.close()
        }
    }

    @Test func anOwnerThatRevokesItselfIsTold() async throws {
        for _ in 0..<20 {
            try await run { hub in
                let path = "/hubpair/v1/devices/\(hub.device.pin.fingerprint)/revoke"
                let (status, members) = try await ask(hub, "POST \(path)")
                #expect(status == "200")
                #expect(members["message"]?.asString?.hasPrefix("this device has revoked itself") == true)
                #expect(try await ask(hub, "GET /hubpair/v1/devices").status == "403")
            }
        }
    }

    @Test func theJournalTellsWhoDidIt() async throws {
        try await run { hub in
            let asking = TLSIdentity.random()
            try hub.enter(asking, name: "Asks", .pending)
            let path = "/hubpair/v1/devices/\(asking.pin.fingerprint)"
            _ = try await ask(hub, "POST \(path)/approve", #"{"role":"guest"}"#)
            _ = try AdministerDevices(state: hub.state).revoke(PeerSelector("\(asking.pin.fingerprint)"))
            _ = try await ask(hub, "POST \(path)/revoke")  // changes nothing
            let body = try await hub.ask("GET /hubpair/v1/journal?limit=2 HTTP/1.1\r\nHost: h\r\n\r\n").body
            let members = try #require(JSONValue(parsing: Array(body.utf8))?.asObject)
            guard case .array(let entries)? = members["entries"] else {
                Issue.record("\(members)")
                return
            }
            #expect(entries.map { $0.asObject?["event"] } == [.string("approved"), .string("revoked")])
            #expect(
                entries.map { $0.asObject?["by"] } == [
                    .string("\(hub.device.pin.fingerprint)"), .null,
                ])
        }
    }

    @Test func whatIsDoneTooOftenWaits() {
        var rate = RequestRate(most: 2, in: .seconds(10))
        let start = ContinuousClock.now
        let admitted = [0, 1, 2, 9, 10, 10, 11, 12].map { rate.admits(at: start + .seconds($0)) }
        #expect(admitted == [true, true, false, false, true, false, true, false])
    }
}
