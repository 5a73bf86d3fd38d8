public import Identity

/// Evidence that a server at an address holds a private key: a signed reply to a UDP probe, or a TLS
/// handshake.
///
/// Only the key is proven. The name, and that the server is a hub at all, are its own claims.
public struct HubProof: Hashable, Sendable {
    /// The address at which it answered.
    public let address: NetworkAddress
    /// The TCP port at that address, 1–65535.
    public let port: UInt16
    /// The pin of the proven key.
    public let pin: Pin
    /// The name that the server claims; empty if it claims none.
    public let name: String
    /// The fingerprint that the server claims; nil if it claims none.
    public let id: Fingerprint?
    /// How it was found; nil if it was known before and only asked for its key.
    public let source: DiscoveredHub.Source?
    /// True for a TLS handshake, which proves that the key is at this address. A signed reply does not prove
    /// that: it may have been relayed, or its source address forged.
    public let isHandshake: Bool
    /// When it answered, as the time since the start of the search.
    public let time: Duration

    /// Creates a proof from its parts.
    public init(
        address: NetworkAddress, port: UInt16, pin: Pin, name: String, id: Fingerprint?,
        source: DiscoveredHub.Source?, isHandshake: Bool, time: Duration
    ) {
        (self.address, self.port, self.pin, self.name) = (address, port, pin, name)
        (self.id, self.source, self.isHandshake, self.time) = (id, source, isHandshake, time)
    }

    package var place: HubAddress { HubAddress(address, port: port) }

    /// True if the row `hub` may describe the holder of this key: its `id` is the key's fingerprint, or it
    /// has no `id` and the names match or this proof has no name.
    func mayBe(_ hub: DiscoveredHub) -> Bool {
        hub.id.map { $0 == pin.fingerprint } ?? (name.isEmpty || name == hub.name)
    }

    /// Combines two proofs of the same place and key. The newer name and `id` win; the time stays.
    func renewed(by new: HubProof) -> HubProof {
        HubProof(
            address: address, port: port, pin: pin, name: new.name.isEmpty ? name : new.name,
            id: new.id ?? id,
            source: source ?? new.source, isHandshake: isHandshake || new.isHandshake, time: time)
    }
}
