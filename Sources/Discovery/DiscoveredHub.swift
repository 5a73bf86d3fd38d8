public import Identity

/// One hub as the network shows it: a row of a ``HubListing``.
///
/// A claim, never proof: name, host, `id` and TXT record are what somebody announced. Escape before you
/// print.
public struct DiscoveredHub: Hashable, Sendable {
    /// How a hub was found.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// Multicast DNS (RFC 6762).
        case mdns
    }

    /// What makes two sightings one hub.
    public enum Key: Hashable, Sendable {
        /// The TXT record's `id`, and the port. A second port under the same `id` is a hub that moved or an
        /// impostor; either way a row of its own, so that it cannot hide the other.
        case fingerprint(Fingerprint, port: UInt16)
        /// Without a valid `id`: instance name, SRV host and port.
        case service(name: [UInt8], host: String, port: UInt16)
    }

    /// The same as long as the row exists.
    public let key: Key
    /// The instance name, unescaped; bytes that are not UTF-8 are replaced by U+FFFD. At most 63 bytes
    /// before that. The first announcement that is still there names the row.
    public let name: String
    /// The SRV record's target, such as `hub.local`.
    public let host: String
    /// The TCP port, 1–65535.
    public let port: UInt16
    /// 1–64 addresses, each once, the best first (``HubAddressRules/bestFirst(_:)``).
    public let addresses: [NetworkAddress]
    /// How it was found, at least one.
    public let sources: Set<Source>
    /// The fingerprint that the hub claims; nil for a stock hub.
    public let id: Fingerprint?
    /// The TXT record.
    public let txt: TXTRecord
    /// When it was first seen, since the start of the search.
    public let firstSeen: Duration
}

extension DiscoveredHub.Key {
    init(_ service: ResolvedService) {
        if let fingerprint = service.txt.fingerprint {
            self = .fingerprint(fingerprint, port: service.port)
        } else {
            self = .service(name: service.instance.nameBytes, host: service.host, port: service.port)
        }
    }
}
