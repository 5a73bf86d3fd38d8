import CAvahi
import Glibc
import Testing

@testable import Discovery

/// The scope of a link-local address is the interface's name, wherever the address comes from.
///
/// The loopback interface is "lo" with index 1 in every network namespace of Linux. For files and options see
/// HubAddressTests, for accept(2) ServeRulesTests.
@Suite struct ScopeTests {
    @Test func aSocketAddressNamesItsInterface() throws {
        let address = try #require(NetworkAddress("fe80::1"))
        let read = SystemAddress(address, port: 7, interface: 1).withPointer { pointer, _ in
            SystemAddress(pointer)
        }
        #expect(read?.address.description == "fe80::1%lo")
        #expect(read?.port == 7)
        // And back: the same value, whether the interface came by its index or by its name.
        let named = try #require(NetworkAddress("fe80::1%lo"))
        #expect(SystemAddress(named, port: 7) == read)
    }

    @Test func anInterfaceThatIsGoneKeepsItsIndex() throws {
        let address = try #require(NetworkAddress("fe80::1"))
        let gone: UInt32 = 2_000_000_000
        let read = SystemAddress(address, port: 7, interface: gone).withPointer { pointer, _ in
            SystemAddress(pointer)
        }
        let kept = try #require(read)
        #expect(kept.address.description == "fe80::1%2000000000")
        #expect(SystemAddress(kept.address, port: 7) == kept)
        #expect(SystemAddress(try #require(NetworkAddress("fe80::1%no-such-if")), port: 7) == nil)
    }

    @Test(arguments: [("fe80::1%lo", "fe80::1%lo"), ("fe80::1%1", "fe80::1%lo"), ("::1", "::1")])
    func getaddrinfoGivesAName(text: String, expected: String) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        try #require(getaddrinfo(text, nil, &hints, &list) == 0)
        defer { freeaddrinfo(list) }
        #expect(SystemAddress(list?.pointee.ai_addr)?.address.description == expected)
    }

    @Test func getifaddrsGivesAName() throws {
        let addresses = LocalNetwork.current() + UDPLinks.current().links.values.flatMap(\.networks)
        #expect(addresses.contains { $0.interface == "lo" })
        for network in addresses where network.address.family == .ipv6 && network.address.isLinkLocal {
            #expect(network.address.scope == network.interface)
        }
    }

    @Test(arguments: [("fe80::1", "fe80::1%lo"), ("2001:db8::1", "2001:db8::1"), ("192.0.2.1", "192.0.2.1")])
    func avahiGivesTheInterfaceThatWasAskedOn(text: String, expected: String) throws {
        let interface = AvahiIfIndex(1)
        let instance = try #require(
            ServiceInstance(
                name: "Hub", of: "_hestia._tcp", interface: interface, family: Int32(AVAHI_PROTO_INET6)))
        var address = AvahiAddress()
        try #require(avahi_address_parse(text, Int32(AVAHI_PROTO_UNSPEC), &address) != nil)
        #expect(NetworkAddress(address, on: instance.interface)?.description == expected)
        let service = ResolvedService(
            instance, AVAHI_RESOLVER_FOUND, host: "hub.local", address: &address, port: 8_000, txt: nil)
        #expect(service?.address.description == expected)
    }

    @Test func anOwnAddressIsOwnOnEveryInterface() throws {
        #expect(LocalNetwork.isOwn(try #require(NetworkAddress("127.0.0.1"))))
        #expect(!LocalNetwork.isOwn(try #require(NetworkAddress("192.0.2.99"))))
        for network in LocalNetwork.current() {
            let elsewhere = NetworkAddress(bytes: network.address.bytes, scope: "another0")
            #expect(LocalNetwork.isOwn(try #require(elsewhere)))
        }
    }

    @Test func aDatagramsSourceHasTheNameOfItsLink() throws {
        let link = UDPLink(
            interface: NetworkInterface(index: 1), isLoopback: false, canBroadcast: false, canMulticast: true,
            networks: [
                LocalNetwork(
                    interface: "lo", address: try #require(NetworkAddress("fe80::2%lo")), prefixLength: 64)
            ])
        let sender = try #require(NetworkAddress("fe80::1")).bytes
        #expect(UDPLinks([link]).onLinkSource(sender, on: 1)?.description == "fe80::1%lo")
    }

    @Test(arguments: [
        ("fe80::1%1", "fe80::1%lo"), ("fe80::1%lo", "fe80::1%lo"), ("fe80::1", "fe80::1"),
        ("fe80::1%2000000000", "fe80::1%2000000000"), ("fe80::1%0", "fe80::1%0"), ("192.0.2.1", "192.0.2.1"),
    ])
    func textFromOutsideGetsTheName(text: String, expected: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(address.description == text)
        #expect(address.withScopeName.description == expected)
    }

    @Test func ipv4InsideIPv6IsIPv4() throws {
        let mapped = try #require(NetworkAddress("::ffff:192.0.2.7"))
        let read = SystemAddress(mapped, port: 7, interface: 0).withPointer { pointer, _ in
            SystemAddress(pointer)
        }
        #expect(read?.address.description == "192.0.2.7")
    }

    @Test(arguments: ["192.0.2.7", "fd77::1:2:3", "fe80::1%eth0", "fe80::1", "2001:db8::1"])
    func aSourceIsReadAsItWasWritten(text: String) throws {
        let source = SourcePrefix(try #require(NetworkAddress(text)))
        #expect(SourcePrefix(source.description) == source)
    }

    @Test func aSourceKeepsItsInterface() throws {
        let source = { (text: String) in SourcePrefix(try #require(NetworkAddress(text))) }
        #expect(try source("fe80::1%eth0") != source("fe80::1%eth1"))
        #expect(try source("fe80::1%eth0") == source("fe80::2%eth0"))
        #expect(try source("fe80::1%eth0").description == "ipv6 fe80:0000:0000:0000%eth0")
    }
}
