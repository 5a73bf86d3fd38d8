public import FoundationEssentials

/// What a browse says, as it happens.
///
/// Nothing in it can be trusted: names, hosts, addresses and TXT records are whatever a host of the network
/// sent. Escape before you print.
public enum Sighting: Hashable, Sendable {
    /// The daemon has taken the question, or the embedded stack has; a busy daemon can take seconds. It comes once. Hints
    /// may come before it.
    case began
    /// A service answered with its address. It comes again if the service is announced anew.
    case resolved(ResolvedService)
    /// A service answered a one-shot query (RFC 6762 § 5.1) with its address. Nothing but that one packet says so;
    /// ``resolved(_:)`` of the same instance confirms it. Nobody says ``gone(_:)`` of a hint that was never
    /// confirmed.
    case hinted(ResolvedService)
    /// A host has this address too, as its A or AAAA records on this interface say. Host as in
    /// ``ResolvedService/host``.
    case address(NetworkAddress, host: String, interface: NetworkInterface)
    /// A host no longer has this address.
    case addressGone(NetworkAddress, host: String, interface: NetworkInterface)
    /// A service is announced, but its address did not come. It may still come, as ``resolved(_:)``.
    case unresolved(ServiceInstance, ResolveError)
    /// A service said goodbye or its records ran out (RFC 6762 § 10).
    case gone(ServiceInstance)
    /// The daemon expects no more answers for now, and every resolver has answered or run out of time. It
    /// comes once; what comes after it is news.
    case settled
    /// As many services as are given wait for their address now; it comes with every change from or to 0.
    case pending(Int)
    /// A host answered one question and not another: on this network packets are lost. It comes once.
    case lossy
    /// The daemon went away. What was seen stays; when the daemon is back the browse goes on by itself.
    case interrupted(DiscoveryError)
    /// The daemon is back. What it does not see again within some seconds is ``gone(_:)``.
    case resumed
    /// More services are announced than are followed (``HubBrowser/maximumInstances``); the others are
    /// ignored. It comes once.
    case flooded
}

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

/// A network interface of this machine. Two are the same if their index is: an interface that is unplugged
/// has lost its name by the time its services are gone.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's index, above 0.
    public let index: UInt32
    /// The name, such as `eth0`; the index in digits if the interface is gone.
    public let name: String

    /// An interface by index and name.
    public init(index: UInt32, name: String) {
        self.index = index
        self.name = name
    }

    /// True if the indexes are equal.
    public static func == (one: NetworkInterface, other: NetworkInterface) -> Bool {
        one.index == other.index
    }

    /// Hashes the index, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(index) }
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

/// Why the address of an announced service is not there.
public enum ResolveError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// No answer within ``HubBrowser/resolveDeadline``.
    case timedOut
    /// The avahi-daemon's error.
    case avahi(code: Int32, text: String)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .timedOut: "no answer to the question for its address"
        case .avahi(let code, let text): "avahi: \(text) (\(code))"
        }
    }

    /// The same as the description.
    public var errorDescription: String? { description }
}
