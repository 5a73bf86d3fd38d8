/// What a hub announces over mDNS: a DNS-SD service instance (RFC 6763) with the TXT record `api_level=0.7`,
/// `id=<fingerprint>`, `hubpair=1`, and while the hub also shows the key that it had before,
/// `was=<fingerprint>` of that one.
///
/// `api_level` is the version of Hestia's HTTP interface (`/devices/`, `/plugins/`), to which the hub
/// forwards requests; a server without hubpair announces the same, so its clients find the value that they
/// compare. The version of hubpair's own protocol is `hubpair=1`, and `api` in `GET /hubpair/v1/hub`.
public struct HubAnnouncement: Hashable, Sendable {
    /// The instance name; an alternative is announced if it is taken.
    public var name: PeerName
    /// The TCP port of the hub's HTTPS server, 1–65535.
    public var port: UInt16
    /// The hub's fingerprint.
    public var id: Fingerprint
    /// The fingerprint of the key before, if the hub shows that, too.
    public var was: Fingerprint?
    /// The version of Hestia's HTTP interface: at most 200 bytes.
    public var apiLevel: String
    /// The DNS-SD service type (RFC 6763 § 4.1.2).
    public var serviceType: String

    /// Creates an announcement of the hub with the fingerprint `id`.
    public init(
        name: PeerName, port: UInt16, id: Fingerprint, was: Fingerprint? = nil, apiLevel: String = "0.7",
        serviceType: String = "_hestia._tcp"
    ) {
        self.name = name
        self.port = port
        (self.id, self.was) = (id, was)
        self.apiLevel = apiLevel
        self.serviceType = serviceType
    }

    /// The strings of the TXT record in order, each at most 255 bytes.
    public var txt: [[UInt8]] {
        (["api_level=\(apiLevel)", "id=\(id)", "hubpair=1"] + (was.map { ["was=\($0)"] } ?? [])).map {
            Array($0.utf8.prefix(255))
        }
    }

    /// The host name that the embedded stack announces, and that name servers are given: `hubpair-` and the
    /// first half of the fingerprint. It differs from the machine's host name, so that an avahi-daemon that
    /// starts later does not find that name taken.
    package var embeddedHostName: String {
        "hubpair-" + id.description.lowercased().filter { $0 != "-" }.prefix(8)
    }
}
