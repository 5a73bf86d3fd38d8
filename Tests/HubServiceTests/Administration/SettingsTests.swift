import Addresses
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

@Suite struct SettingsTests {
    private let hub: PairingHub

    init() throws { hub = try PairingHub() }

    private func change(_ wishes: SetUpHub.Wishes) throws -> (hub: Hub, before: HubSettings) {
        try SetUpHub(wishes, defaultName: try PeerName("x"), state: hub.state).change()
    }

    @Test func onlyWhatIsWishedChangesAndCommentsStay() throws {
        let text = String(decoding: try #require(hub.content("hub")), as: UTF8.self)
        let edited = text + "# mine\ncolour=blue\n"
        try hub.restore("hub", Data(edited.utf8))
        let names = ["hub-key.pem", "hub-certificate.pem", "approved-devices", "tickets"]
        let before = names.map { hub.content($0) }
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        _ = try change(.init(port: 9000, upstream: try Upstream("http://127.0.0.1:81"), listen: [loopback]))
        let after = String(decoding: try #require(hub.content("hub")), as: UTF8.self)
        #expect(after.contains("# mine\ncolour=blue\n") && after.contains("port=9000\n"))
        #expect(after.contains("upstream=http://127.0.0.1:81\n") && after.contains("listen=127.0.0.1\n"))
        #expect(after.contains("name=Kitchen\n"))
        #expect(names.map { hub.content($0) } == before)
        let (changed, settings) = try change(.init(upstream: .some(nil), listen: []))
        #expect(settings.upstream?.port == 81 && changed.settings.upstream == nil)
        #expect(
            changed.settings.listen.isEmpty && changed.settings.port == 9000 && changed.pin == hub.hub.pin)
        let last = hub.content("hub")
        let (same, same2) = try change(.init(port: 9000))
        #expect(same.settings == same2 && hub.content("hub") == last)
    }

    @Test func whatServeWouldRefuseIsRefusedAndNothingWritten() throws {
        let before = hub.content("hub")
        #expect(throws: HubError.upstreamIsHub("https://localhost:8000")) {
            try change(.init(upstream: try Upstream("https://localhost:8000")))
        }
        _ = try change(.init(upstream: try Upstream("https://127.0.0.1:8443")))
        #expect(throws: HubError.upstreamIsHub("https://127.0.0.1:8443")) { try change(.init(port: 8443)) }
        let address = try #require(NetworkAddress("192.0.2.77"))
        #expect(throws: HubError.noSuchAddress(address)) { try change(.init(listen: [address])) }
        _ = try change(.init(upstream: .some(nil)))
        #expect(hub.content("hub") == before)
        let path = hub.path + "-new"
        let state = HubState(option: path, environment: [:], isRoot: false, home: "/")
        #expect(throws: HubError.upstreamIsHub("https://127.0.0.1:8000")) {
            try SetUpHub(
                .init(upstream: try Upstream("https://127.0.0.1:8000")), defaultName: try PeerName("x"),
                state: state
            ).run()
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        ("https://127.0.0.1:8000", [], true), ("https://localhost:8000", [], true),
        ("https://[::1]:8000", [], true), ("https://127.0.0.1:8001", [], false),
        ("https://127.0.0.1:8000", ["192.0.2.1"], false), ("https://127.0.0.1:8000", ["0.0.0.0"], true),
        ("https://127.0.0.1:8000", ["127.0.0.1"], true), ("https://127.0.0.2:8000", ["127.0.0.1"], false),
        ("https://192.0.2.1:8000#sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", [], true),
        ("https://192.0.2.2:8000#sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", [], false),
        ("https://nas.lan:8000#sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", [], false),
    ])
    func anUpstreamThatIsTheHub(url: String, listen: [String], isHub: Bool) throws {
        let own = ["127.0.0.1", "192.0.2.1", "::1"].compactMap { NetworkAddress($0) }
        let listen = listen.compactMap { NetworkAddress($0) }
        #expect(try Upstream(url).isHub(onPort: 8000, listen: listen, own: own) == isHub)
    }

    @Test(arguments: [
        ("listen=192.168.1.20 fd77::1", 2), ("listen=", 0), ("listen=eth0", nil),
        ("listen=1.2.3.4,5.6.7.8", nil),
        ("listen=fe80::1%eth0", 1), ("listen=" + String(repeating: "::1 ", count: 17), nil),
    ])
    func addressesToListenOn(line: String, count: Int?) throws {
        let bytes = Array("[keyfile]\nformat=1\n\n[hub]\nname=x\nport=1\n\(line)\n".utf8)
        #expect((try? HubSettings(parsing: bytes))?.listen.count == count)
    }

    @Test(arguments: [
        ("", false), ("reads-bodies=no", false), ("reads-bodies=yes", true), ("reads-bodies=true", nil),
        ("reads-bodies=", nil),
    ])
    func theOwnersWordForTheUpstream(line: String, isGiven: Bool?) throws {
        let text = "[keyfile]\nformat=1\n\n[hub]\nname=x\nport=1\nconcurrency=3\n\(line)\n"
        let settings = try? HubSettings(parsing: Array(text.utf8))
        #expect(settings?.readsBodies == isGiven)
        // It counts when the hub starts, and no change of another setting takes it away.
        let other = HubSettings(name: try PeerName("y"), port: 1, upstream: nil)
        #expect(settings.map { other.with(handwritten: $0).readsBodies } == isGiven)
        #expect(
            settings.map { other.isServed(as: other.with(handwritten: $0)) } == isGiven.map { _ in false })
    }

    @Test(arguments: [
        (false, false, "hubpair serve"), (false, true, "sudo hubpair serve"),
        (true, false, "systemctl enable --now hubpair"), (true, true, "sudo systemctl enable --now hubpair"),
    ])
    func howAHubIsStarted(hasUnit: Bool, isSudo: Bool, command: String) throws {
        if hasUnit { try Data().write(to: URL(filePath: hub.path + "/hubpair.service")) }
        let state = HubState(option: nil, environment: [:], isRoot: true, home: "/")
        let start = StartCommands(state, user: 0, isSudo: isSudo, directories: ["/nowhere", hub.path])
        #expect(start.start == command)
        // The unit serves the machine's directory only.
        let mine = HubState(option: "/a b", environment: [:], isRoot: true, home: "/")
        let own = StartCommands(mine, user: 1000, isSudo: false, directories: [hub.path])
        #expect(own.start == "hubpair serve --state '/a b'" && !own.isService)
    }

    @Test(arguments: [
        (0, "root", "/var/lib/hubpair", "sudo hubpair codes"),
        (0, "root", "/srv/my hub", "sudo hubpair codes --state '/srv/my hub'"),
        (998, "hubpair", "/var/lib/hubpair", "sudo hubpair codes"),
        (4711, nil, "/h", "sudo -u '#4711' hubpair codes --state /h"),
    ])
    func howTheOwnerRunsACommand(user: UInt32, name: String?, path: String, command: String) throws {
        let owner = HubOwner(path: path, user: user, name: name)
        #expect(owner.command("hubpair codes", for: 1000) == command)
        #expect(!owner.command("hubpair codes", for: user).contains("sudo"))
    }
}
