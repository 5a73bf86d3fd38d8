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
        /// A signed reply to a UDP probe.
        case udp
        /// It answered over TLS when it was asked at its address: by a sweep, or because it was known there.
        case scan
    }

    /// What makes two sightings one hub: all of it must be the same.
    ///
    /// An `id` alone does not: it is announced in the clear, and a server that copies one gets a row of its
    /// own, so that it can neither hide nor rename the hub that it copies.
    public struct Key: Hashable, Sendable {
        /// The instance name's bytes.
        public let name: [UInt8]
        /// The SRV record's target, its ASCII letters in lower case (RFC 1035 § 2.3.3).
        public let host: String
        /// The SRV record's port.
        public let port: UInt16
        /// The TXT record's `id`, if it has a valid one.
        public let id: Fingerprint?
        /// The key, if the row stands for it alone: what was not announced by mDNS, or one of several servers
        /// that are announced as one.
        public let pin: Pin?

        init(name: [UInt8], host: String, port: UInt16, id: Fingerprint?, pin: Pin? = nil) {
            (self.name, self.host, self.port, self.id, self.pin) = (name, host, port, id, pin)
        }
    }

    /// The same as long as the row exists.
    public let key: Key
    /// The instance name, unescaped; bytes that are not UTF-8 are replaced by U+FFFD. At most 63 bytes
    /// before that.
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
    /// The key that it has proven to hold, by a signed reply or a TLS handshake at one of its addresses.
    public let pin: Pin?
    /// The TXT record; empty if it was not found by mDNS.
    public let txt: TXTRecord
    /// When it was first seen, since the start of the search.
    public let firstSeen: Duration
}

extension DiscoveredHub.Key {
    init(_ service: ResolvedService) {
        self.init(
            name: service.instance.nameBytes, host: service.host.lowercased(), port: service.port,
            id: service.txt.fingerprint)
    }
}
