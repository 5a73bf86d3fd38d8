import Addresses
import GatewayRules
import Testing

@testable import HubService

/// Where a browser is sent.
@Suite struct PreferredHostTests {
    private func host(
        given: String? = nil, routes: String = "", _ body: (inout HubNames.Sources) -> Void
    ) -> String? {
        var sources = HubNames.Sources()
        sources.machine = "raspi"
        sources.networks = ["127.0.0.1", "169.254.1.1", "10.8.0.2", "192.168.1.20", "fd77::1"].compactMap {
            NetworkAddress($0)
        }.map { LocalNetwork(interface: "eth\($0.bytes[0])", address: $0, prefixLength: 24) }
        body(&sources)
        return HubNames(sources).preferredHost(given: given.flatMap { WebHost($0) }, routes: routes)?
            .description
    }

    @Test func theOrderIsWhatTheOwnerSaysThenNamesThenAnAddress() {
        #expect(host { _ in } == "raspi.local")
        #expect(host { $0.announced = ["raspi-2.local", "hubpair-7mrmfeph.local"] } == "raspi-2.local")
        #expect(host { $0.installed = ["kitchen.example.org"] } == "kitchen.example.org")
        #expect(host(given: "192.168.1.9") { $0.installed = ["kitchen.example.org"] } == "192.168.1.9")
        let added = host { $0.added = [.name("kitchen.fritz.box")] }
        #expect(added == "raspi.local", "a router's name works on its own network alone")
    }

    @Test func aNameThatMakesALargerCodeGivesWayToAnAddress() {
        let routes = "Iface\tDestination\nx\neth192\t00000000\t0101A8C0\t3\t0\t0\t100\t00000000\t0\t0\t0\n"
        let long = "a-name-of-22-characters".dropLast(7) + ".local"
        #expect(long.count == 22)
        #expect(host { $0.announced = [String(long)] } == String(long))
        #expect(host(routes: routes) { $0.announced = ["x\(long)"] } == "192.168.1.20")
        #expect(host(routes: routes) { $0.announced = ["ras_pi.local"] } == "192.168.1.20")
        // Without a route the first that is no link-local one, of those that it listens on.
        #expect(host { $0.announced = ["x\(long)"] } == "10.8.0.2")
        let listen = NetworkAddress("192.168.1.20").map { [$0] } ?? []
        #expect(
            host {
                $0.announced = ["x\(long)"]
                $0.listen = listen
            } == "192.168.1.20")
        #expect(
            host {
                $0.announced = ["x\(long)"]
                $0.networks = []
            } == "x\(long)")
    }

    @Test func theLastLineOfTheResolverCounts() {
        let text = "# x\nnameserver 192.168.1.1\ndomain fritz.box\nsearch home.arpa internal. bad..name\n"
        #expect(HubNames.Sources.domains(inResolverConfiguration: text) == ["home.arpa", "internal"])
        #expect(HubNames.Sources.domains(inResolverConfiguration: "").isEmpty)
    }
}
