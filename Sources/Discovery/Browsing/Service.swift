public import Addresses

/// A DNS-SD service instance, as seen on one interface over one address family.
public struct ServiceInstance: Hashable, Sendable {
    /// The instance name, unescaped: at most 63 bytes, UTF-8 by RFC 6763 § 4.1.1, but nobody checks.
    public let nameBytes: [UInt8]
    /// The interface that the announcement came in on.
    public let interface: NetworkInterface
    /// The family of the packets that announced it, and of the address that is asked for.
    public let family: NetworkAddress.Family

    /// An instance; only the first 63 bytes of a longer name count.
    public init(nameBytes: some Sequence<UInt8>, interface: NetworkInterface, family: NetworkAddress.Family) {
        self.nameBytes = Array(nameBytes.prefix(63))
        self.interface = interface
        self.family = family
    }

    /// The name as text. Bytes that are not UTF-8 are replaced by U+FFFD; nothing is escaped.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
}

/// A service with the address that its SRV record leads to.
public struct ResolvedService: Hashable, Sendable {
    /// Which service, and where it was seen.
    public let instance: ServiceInstance
    /// The SRV record's target, such as `hub.local`, at most 1,014 bytes with the escapes of RFC 1035 § 5.1.
    public let host: String
    /// The SRV record's port; 0 is possible.
    public let port: UInt16
    /// The address of ``host``; whether it makes sense, ``HubAddressRules`` say.
    public let address: NetworkAddress
    /// The TXT record.
    public let txt: TXTRecord

    /// A resolved service.
    public init(
        instance: ServiceInstance, host: String, port: UInt16, address: NetworkAddress, txt: TXTRecord
    ) {
        self.instance = instance
        self.host = host
        self.port = port
        self.address = address
        self.txt = txt
    }
}
