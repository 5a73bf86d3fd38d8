public import Addresses

/// A DNS-SD service instance, as seen on one interface over one address family, or as name servers have it.
public struct ServiceInstance: Hashable, Sendable {
    /// The instance name, unescaped: at most 63 bytes. RFC 6763 § 4.1.1 requires UTF-8, but senders are not
    /// checked.
    public let nameBytes: [UInt8]
    /// The interface on which the announcement was received; index 0 for unicast DNS.
    public let interface: NetworkInterface
    /// The address family of the packets that announced it. Its address is asked for over the same family,
    /// but the answer can be an address of the other one.
    public let family: NetworkAddress.Family
    /// The service type and domain, such as `_hestia._tcp.local`.
    public let service: String

    /// Creates an instance; only the first 63 bytes of `nameBytes` are kept.
    public init(
        nameBytes: some Sequence<UInt8>, interface: NetworkInterface, family: NetworkAddress.Family,
        service: String = "_hestia._tcp.local"
    ) {
        self.nameBytes = Array(nameBytes.prefix(63))
        self.interface = interface
        self.family = family
        self.service = service
    }

    /// True if it was learned from name servers (unicast DNS), not heard on an interface.
    package var isUnicast: Bool { interface == .none }

    /// The name as text. Invalid UTF-8 is replaced by U+FFFD; nothing is escaped, so escape it before
    /// printing.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
}

/// A service instance with its SRV and TXT data and one address of its host.
public struct ResolvedService: Hashable, Sendable {
    /// The instance, with the interface and family on which it was seen.
    public let instance: ServiceInstance
    /// The SRV record's target, such as `hub.local`: at most 1,014 bytes, including the escapes of RFC 1035 §
    /// 5.1.
    public let host: String
    /// The SRV record's TCP port, 0–65535; 0 is not checked here.
    public let port: UInt16
    /// An address of ``host``, unchecked; ``HubAddressRules`` decide whether a hub can have it.
    public let address: NetworkAddress
    /// The TXT record.
    public let txt: TXTRecord

    /// Creates a resolved service from its parts.
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
