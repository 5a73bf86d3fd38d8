public import Identity

/// One hub as it appears on the network: a row of a ``HubListing``, or of the table that ``HubProofs``
/// merges.
///
/// It is a claim, not proof: name, host, `id` and TXT record are whatever a host announced. Only ``pin`` is
/// proven. Escape before printing.
public struct DiscoveredHub: Hashable, Sendable {
    /// How a hub was found.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// Multicast DNS (RFC 6762).
        case mdns
        /// Unicast DNS: the name servers of a domain (RFC 6763 § 11).
        case dns
        /// A signed reply to a UDP probe (``ProbeReply``).
        case udp
        /// A TLS handshake at its address, made by a sweep or because a hub was known to be there.
        case scan
    }

    /// The identity of a row: two sightings are of the same hub only if all these fields are equal.
    ///
    /// An `id` alone is not enough. It is announced in the clear, and a server that copies an `id` must get a
    /// row of its own, so that it can neither hide nor rename the hub that it imitates.
    public struct Key: Hashable, Sendable {
        /// The bytes of the instance name.
        public let name: [UInt8]
        /// The SRV record's target, with its ASCII letters in lower case (RFC 1035 § 2.3.3); empty if not
        /// announced over mDNS.
        public let host: String
        /// The SRV record's port.
        public let port: UInt16
        /// The fingerprint in the TXT record's `id`; nil if it is missing or invalid.
        public let id: Fingerprint?
        /// The pin of the proven key, if this row is identified by it: either it was not announced over mDNS,
        /// or several servers with different keys are announced as one. Nil otherwise.
        public let pin: Pin?

        init(name: [UInt8], host: String, port: UInt16, id: Fingerprint?, pin: Pin? = nil) {
            (self.name, self.host, self.port, self.id, self.pin) = (name, host, port, id, pin)
        }
    }

    /// Unchanged as long as the row exists.
    public let key: Key
    /// The instance name, unescaped: at most 63 bytes, in which invalid UTF-8 is replaced by U+FFFD.
    public let name: String
    /// The SRV record's target, such as `hub.local`; empty if not announced over mDNS.
    public let host: String
    /// The TCP port, 1–65535.
    public let port: UInt16
    /// 1–64 distinct addresses, the best first (``HubAddressRules/bestFirst(_:)``).
    public let addresses: [NetworkAddress]
    /// How it was found: at least one source.
    public let sources: Set<Source>
    /// The fingerprint that the hub claims; nil for a server without hubpair.
    public let id: Fingerprint?
    /// The pin of the key that it has proven to hold, by a signed reply or a TLS handshake at one of its
    /// addresses.
    public let pin: Pin?
    /// The TXT record; empty if not announced over mDNS.
    public let txt: TXTRecord
    /// When it was first seen, as the time since the start of the search.
    public let firstSeen: Duration

    package var places: [HubAddress] { addresses.map { HubAddress($0, port: port) } }
}

extension DiscoveredHub.Key {
    init(_ service: ResolvedService) {
        self.init(
            name: service.instance.nameBytes, host: service.host.lowercased(), port: service.port,
            id: service.txt.fingerprint)
    }
}
