/// A web service that a hub announces beside itself: a DNS-SD service instance of the type `_https._tcp` with
/// the TXT record `path=/`, `id=<the hub's fingerprint>`, by which one knows whose service it is.
public struct WebAnnouncement: Hashable, Sendable {
    /// The DNS-SD service type (RFC 6763 § 4.1.2).
    public static let serviceType = "_https._tcp"

    /// The instance name; an alternative is announced if it is taken.
    public var name: PeerName
    /// The hub's TCP port for the service, 1–65535.
    public var port: UInt16
    /// The hub's fingerprint.
    public var id: Fingerprint

    /// Creates an announcement of a service of the hub with the fingerprint `id`.
    public init(name: PeerName, port: UInt16, id: Fingerprint) {
        (self.name, self.port, self.id) = (name, port, id)
    }

    /// The strings of the TXT record in order.
    public var txt: [[UInt8]] { ["path=/", "id=\(id)"].map { Array($0.utf8) } }
}
