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
            .homeAssistant, at: Upstream("http://127.0.0.1:8123"), token: "eyJ.abc-_")
        servers.put(server)
        #expect(try JoinedServers(parsing: servers.serialized).servers == [server])
        let other = try JoinedServer(.homeAssistant, at: Upstream("http://127.0.0.1:1"), token: "x")
        servers.put(other)
        #expect(try JoinedServers(parsing: servers.serialized).servers == [other])
        servers.remove(.homeAssistant)
        #expect(try JoinedServers(parsing: servers.serialized).servers.isEmpty)
    }

    @Test(arguments: [
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
        #expect(throws: JoinError.badToken) { try JoinedServer(.homeAssistant, at: url, token: token) }
    }
}
