import GatewayRules
import Pairing
import Testing

@testable import HubService

@Suite struct JoinedServersTests {
    private static func file(_ lines: String) -> [UInt8] {
        Array("[keyfile]\nformat=1\n\n\(lines)\n".utf8)
    }

    @Test func `what is written is read again`() throws {
        var servers = JoinedServers()
        let server = try JoinedServer(
            homeAssistant: Upstream("http://127.0.0.1:8123"), token: "eyJ.abc-_")
        servers.put(server)
        #expect(try JoinedServers(parsing: servers.serialized).servers == [server])
        let other = try JoinedServer(homeAssistant: Upstream("http://127.0.0.1:1"), token: "x")
        servers.put(other)
        #expect(try JoinedServers(parsing: servers.serialized).servers == [other])
        servers.remove(.homeAssistant)
        #expect(try JoinedServers(parsing: servers.serialized).servers.isEmpty)
    }

    @Test func `a broker has a name and a password, or lets in everybody`() throws {
        var servers = JoinedServers()
        let url = try Upstream(mqtt: "mqtt://127.0.0.1")
        let home = try JoinedServer(homeAssistant: Upstream("http://127.0.0.1:1"), token: "x")
        let login = try JoinedServer.Login(name: "hub", password: "correct horse\\ ")
        servers.put(home)
        for broker in [JoinedServer(mqtt: url, login: nil), JoinedServer(mqtt: url, login: login)] {
            servers.put(broker)
            let read = try JoinedServers(parsing: servers.serialized).servers
            #expect(read == [home, broker] && read[1].url.port == 1883)
        }
        for bad in [("", "x"), ("x", ""), ("a\nb", "x"), (String(repeating: "x", count: 257), "x")] {
            #expect(throws: JoinError.badLogin) { try JoinedServer.Login(name: bad.0, password: bad.1) }
        }
    }

    @Test(arguments: [
        "[server mqtt]\nurl=mqtt://nas.lan", "[server mqtt]\nurl=http://127.0.0.1:1",
        "[server mqtt]\nurl=mqtt://127.0.0.1\nusername=x", "[server mqtt]\nurl=mqtt://a:b@127.0.0.1",
        "[server nas]\nurl=http://127.0.0.1:1\ntoken=x", "[server home-assistant]\ntoken=x",
        "[server home-assistant]\nurl=http://127.0.0.1:1", "[server home-assistant]\nurl=http://nas\ntoken=x",
        "[server home-assistant]\nurl=http://127.0.0.1:1\ntoken=a b",
        "[server home-assistant]\nurl=http://127.0.0.1:1\ntoken=",
    ])
    func `a fault refuses all of it`(_ lines: String) {
        #expect(throws: KeyFileError.self) { try JoinedServers(parsing: JoinedServersTests.file(lines)) }
    }

    @Test(arguments: ["", "a b", "a\nb", "ä", "a\u{0}", String(repeating: "x", count: 2_049)])
    func `a token stands in the head of a request`(_ token: String) throws {
        let url = try Upstream("http://127.0.0.1:8123")
        #expect(throws: JoinError.badToken) { try JoinedServer(homeAssistant: url, token: token) }
    }
}
