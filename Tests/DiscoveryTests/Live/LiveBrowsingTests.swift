import Discovery
import Glibc
import Synchronization
import Testing

/// Against a real avahi-daemon, with avahi-publish-service as the stranger. Each test has a service type of
/// its own, so that none sees the services of another that are still saying goodbye.
@Suite(
    .serialized,
    .enabled(
        if: Lab.isWanted,
        "run: HUBPAIR_LAB=1 samples/with-avahi swift test --skip-build --filter LiveBrowsing"))
struct LiveBrowsing {
    @Test func findsAHubOnEveryInterfaceAsOneRow() async throws {
        let type = "_hp-find._tcp"
        let stranger = try Program.announcing("My Hub", type: type, port: 8123, txt: [Array("a=1".utf8)])
        defer { stranger.stop() }
        // It takes about a second until the service is there; so the first "settled" may come before it.
        let seen = try await sightings(of: type) { seen in
            seen.isSettled && seen.hubs.first?.addresses.count ?? 0 >= 5
        }
        let hub = try #require(seen.hubs.first)
        #expect(seen.hubs.count == 1)
        #expect(hub.name == "My Hub")
        #expect(hub.host == "lab.local")
        #expect(hub.port == 8123)
        #expect(hub.txt.text("a") == "1")
        #expect(hub.addresses.prefix(2).map(\.description) == ["192.168.77.1", "192.168.78.1"])
        #expect(hub.addresses.last?.description == "127.0.0.1")
        #expect(Set(seen.compactMap { $0.resolved?.instance.interface.name }) == ["lan0", "lan1", "lo"])
        #expect(Set(seen.compactMap { $0.resolved?.instance.family }) == [.ipv4, .ipv6])
        #expect(seen.isSettled)
    }

    @Test func linkLocalAddressesCarryTheirInterface() async throws {
        let type = "_hp-scope._tcp"
        let stranger = try Program.announcing("Hub", type: type, options: ["-H", "linklocal.local"])
        defer { stranger.stop() }
        let address = try Program(
            ["avahi-publish-address", "-R", "linklocal.local", "fe80::1234"].map { Array($0.utf8) })
        defer { address.stop() }
        let seen = try await sightings(of: type) { $0.hubs.first?.addresses.count == 2 }
        #expect(seen.hubs.first?.addresses.map(\.description) == ["fe80::1234%lan0", "fe80::1234%lan1"])
    }

    @Test func namesArriveAsTheyAre() async throws {
        let type = "_hp-names._tcp"
        let names = [
            "With space", "a.b.c", #"back\slash \032 \.""#, "Küche 😀", "\u{1B}[31mred\u{1B}[0m",
            "new\nline\ttab",
            "\u{202E}txet", " ", String(repeating: "x", count: 63), String(repeating: "ü", count: 31),
        ]
        let strangers = try names.map { try Program.announcing($0, type: type) }
        defer { for stranger in strangers { stranger.stop() } }
        let seen = try await sightings(of: type) { Set($0.hubs.map(\.name)).count == names.count }
        #expect(Set(seen.hubs.map(\.name)) == Set(names))
    }

    @Test func recordsArriveAsTheyAre() async throws {
        let type = "_hp-txt._tcp"
        let long = Array("long=".utf8) + [UInt8](repeating: 0x78, count: 250)
        let binary = Array("bin=".utf8) + [0x01, 0x1B, 0x80, 0xFF, 0x0A]
        let texts = ["z=first", "Z=second", "flag", "empty=", "=no key", "id=K7QF-2M9D-X0TW-8RHC"]
        let stranger = try Program.announcing(
            "TXT", type: type, txt: texts.map { Array($0.utf8) } + [long, binary])
        let bare = try Program.announcing("Bare", type: type)
        defer {
            stranger.stop()
            bare.stop()
        }
        let seen = try await sightings(of: type) { $0.hubs.count == 2 }
        let record = try #require(seen.hubs.first { $0.name == "TXT" }).txt
        #expect(record.entries.map(\.key) == ["z", "flag", "empty", "id", "long", "bin"])
        #expect(record.text("z") == "first")
        #expect(record["flag"]?.value == .some(nil))
        #expect(record["empty"]?.value == [])
        #expect(record["long"]?.value?.count == 250)
        #expect(record["bin"]?.value == [0x01, 0x1B, 0x80, 0xFF, 0x0A])
        #expect(record.fingerprint != nil)
        #expect(try #require(seen.hubs.first { $0.name == "Bare" }).txt.entries.isEmpty)
    }

    // avahi sends a record in one packet, so that over Ethernet 1.3 KB are the most; loopback carries all of
    // it. A packet has 9,000 bytes at most, and so have we.
    @Test(arguments: [(33, 33, false), (40, 35, true)])
    func aLargeRecordArrives(sent: Int, read: Int, isTruncated: Bool) async throws {
        let type = "_hp-big\(sent)._tcp"
        let txt = (0..<sent).map { Array("k\($0)=".utf8) + [UInt8](repeating: 0x78, count: 245) }
        let stranger = try Program.announcing("Big", type: type, txt: txt)
        defer { stranger.stop() }
        let seen = try await sightings(of: type) { seen in
            seen.contains { $0.resolved?.instance.interface.name == "lo" } && seen.isSettled
        }
        let record = try #require(seen.compactMap(\.resolved).first).txt
        #expect(record.entries.count == read)
        #expect(record.isTruncated == isTruncated)
        #expect(record.entries.allSatisfy { $0.value?.count == 245 })
        let elsewhere = seen.unresolved.filter { $0.error == .timedOut }.map(\.instance.interface.name)
        #expect(Set(elsewhere) == ["lan0", "lan1"])
    }

    @Test func aGoodbyeRemovesTheRow() async throws {
        let type = "_hp-bye._tcp"
        let stranger = try Program.announcing("Hub", type: type)
        let seen = try await sightings(of: type) { seen in
            if seen.last?.resolved != nil, seen.hubs.first?.addresses.count == 5 { stranger.stop() }
            return seen.contains(where: \.isGone) && seen.hubs.isEmpty
        }
        #expect(seen.contains { $0.resolved != nil })
        #expect(seen.contains { $0.isGone })
        #expect(seen.hubs.isEmpty)
    }

    @Test func aHostWithoutAddressIsReportedAndNotWaitedFor() async throws {
        let type = "_hp-dead._tcp"
        let dead = try Program.announcing("Dead", type: type, options: ["-H", "nobody.local"])
        let good = try Program.announcing("Good", type: type)
        defer {
            dead.stop()
            good.stop()
        }
        // Both must be there before the browse begins, because it settles only once.
        _ = try await sightings(of: type) { seen in
            seen.hubs.map(\.name) == ["Good"]
                && !seen.unresolved.isEmpty
        }
        let seen = try await sightings(of: type, deadline: .seconds(2)) { $0.isSettled }
        #expect(seen.hubs.map(\.name) == ["Good"])
        let failures = seen.unresolved.filter { $0.error == .timedOut }.map(\.instance.name)
        // Once for each interface and family that announces it.
        #expect(failures.count == seen.count { $0.resolved != nil })
        #expect(Set(failures) == ["Dead"])
        #expect(seen.last?.isSettled == true)
    }

    @Test func anAddressElsewhereIsRejected() async throws {
        let type = "_hp-evil._tcp"
        let evil = try Program.announcing("Evil", type: type, options: ["-H", "evil.local"])
        let address = try Program(
            ["avahi-publish-address", "-R", "evil.local", "203.0.113.5"].map { Array($0.utf8) })
        defer {
            evil.stop()
            address.stop()
        }
        let seen = try await sightings(of: type) { $0.contains { $0.resolved != nil } }
        let service = try #require(seen.compactMap(\.resolved).first)
        var listing = HubListing(networks: LocalNetwork.current())
        #expect(
            listing.apply(.found(service, by: .announced), at: .zero)
                == [.rejected(service, .notLocal(service.address))])
    }

    // 60 services on five pairs of interface and family: more than the resolvers that run at a time.
    @Test func resolvesMoreThanRunAtATime() async throws {
        let type = "_hp-many._tcp"
        let strangers = try (0..<60).map { try Program.announcing("Hub \($0)", type: type) }
        defer { for stranger in strangers { stranger.stop() } }
        _ = try await sightings(of: type) { $0.count { $0.resolved != nil } == 300 }
        let seen = try await sightings(of: type) { $0.isSettled }
        #expect(seen.hubs.count == 60)
        #expect(seen.hubs.allSatisfy { $0.addresses.count >= 5 })
        #expect(seen.last?.isSettled == true)
    }

    @Test func aTypeThatIsNoneIsAnError() async throws {
        await #expect(throws: DiscoveryError.avahi(code: -11, text: "invalid service type")) {
            _ = try await sightings(of: "no type") { _ in false }
        }
    }

    @Test func theDaemonDiesAndComesBack() async throws {
        let type = "_hp-crash._tcp"
        let stranger = try Program.announcing("Before", type: type)
        let killed = Atomic(false)
        let seen = try await sightings(of: type) { seen in
            if seen.hubs.map(\.name) == ["Before"], seen.isSettled,
                !killed.exchange(true, ordering: .relaxed)
            {
                // The service of the old daemon is forgotten with it.
                try? Lab.killDaemon()
                stranger.stop()
                try? Lab.startDaemon()
            }
            return seen.resumption != nil && seen.contains(where: \.isGone) && seen.hubs.isEmpty
        }
        #expect(seen.compactMap(\.source).contains { $0.interruption == .daemonLost })
        // Rows stay until it is certain that they are not there any more.
        let end = try #require(seen.resumption)
        #expect(seen[...end].allSatisfy { !$0.isGone })
        // And it goes on.
        let next = try Program.announcing("After", type: type)
        defer { next.stop() }
        #expect(try await sightings(of: type) { !$0.hubs.isEmpty }.hubs.map(\.name) == ["After"])
    }

    @Test func withoutADaemonItIsAnErrorOfItsOwn() async throws {
        try Lab.killDaemon()
        await #expect(throws: DiscoveryError.noDaemon) {
            _ = try await sightings(of: "_hp-none._tcp") { _ in false }
        }
        try Lab.startDaemon()
    }
}

@Suite struct WithoutABus {
    // In a process of its own: libdbus reads the variable only once.
    @Test func isAnErrorOfItsOwn() async throws {
        await #expect(processExitsWith: .success) {
            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            await #expect(throws: DiscoveryError.noBus) {
                for try await _ in HubBrowser(through: .daemon).sightings {}
            }
        }
    }

    @Test(arguments: [
        (DiscoveryError.noBus, "systemctl start dbus"), (.noDaemon, "sudo systemctl start avahi-daemon"),
        (.daemonLost, "systemctl restart avahi-daemon"),
        (.noClient("none"), "install it: sudo apt-get install libavahi-client3"),
    ])
    func theHintNamesTheCommand(error: DiscoveryError, command: String) {
        #expect(error.recoverySuggestion?.contains(command) == true)
    }
}
