public import Identity

/// A server that has proven to hold a key: by a signed reply to a UDP probe, or in a TLS handshake.
///
/// The key is certain; the name, and that it is a home's hub at all, is the server's own word.
public struct HubProof: Hashable, Sendable {
    /// Where it answered, 1–65535.
    public let address: NetworkAddress
    /// The TCP port at that address.
    public let port: UInt16
    /// The key.
    public let pin: Pin
    /// What the server calls itself; empty if it does not say.
    public let name: String
    /// What it says that its fingerprint is; nil if it says nothing.
    public let id: Fingerprint?
    /// How it was found; nil if it had been found already, and was only asked for its key.
    public let source: DiscoveredHub.Source?
    /// True for a TLS handshake: the key is at this address. A signed reply may have been passed on, or its packet's
    /// source made up.
    public let isHandshake: Bool
    /// When it answered, since the start of the search.
    public let time: Duration

    /// A proof of these parts.
    public init(
        address: NetworkAddress, port: UInt16, pin: Pin, name: String, id: Fingerprint?,
        source: DiscoveredHub.Source?, isHandshake: Bool, time: Duration
    ) {
        (self.address, self.port, self.pin, self.name) = (address, port, pin, name)
        (self.id, self.source, self.isHandshake, self.time) = (id, source, isHandshake, time)
    }

    /// True if `hub` says to be what has this key: by its `id`; or by the name, if it says no `id`.
    func mayBe(_ hub: DiscoveredHub) -> Bool {
        hub.id.map { $0 == pin.fingerprint } ?? (name.isEmpty || name == hub.name)
    }

    /// What both say, if both are of the same place and key; the newer name counts.
    func renewed(by new: HubProof) -> HubProof {
        HubProof(
            address: address, port: port, pin: pin, name: new.name.isEmpty ? name : new.name,
            id: new.id ?? id,
            source: source ?? new.source, isHandshake: isHandshake || new.isHandshake, time: time)
    }
}
