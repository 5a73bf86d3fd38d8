package import Addresses
package import Discovery

/// The DNS records with which name servers announce a hub (RFC 6763 § 4 to § 6, § 11), as text for them.
///
/// The host has a name of its own, made from the hub's fingerprint: no record of the machine's is touched.
package struct HubRecords {
    /// What the text is for.
    package enum Format: String, Sendable, CaseIterable {
        /// Lines of a zone file (RFC 1035 § 5).
        case zone
        /// Input of nsupdate(1) or knsupdate(1): a dynamic update (RFC 2136).
        case nsupdate
    }

    private struct Record {
        let name: DNSName
        let timeToLive: Int
        let type: String
        let data: String
    }

    /// Seconds, as RFC 6762 § 10 has them: records with an address may change, the others stay.
    private static let timesToLive = (host: 120, service: 4_500)

    private let announcement: HubAnnouncement
    private let addresses: [NetworkAddress]
    private let domain: SearchDomain?

    /// - Parameters:
    ///   - addresses: the hub's; those that no name server may tell are left out.
    ///   - domain: nil for names relative to any zone.
    package init(_ announcement: HubAnnouncement, addresses: [NetworkAddress], domain: SearchDomain?) {
        (self.announcement, self.domain) = (announcement, domain)
        let rules = HubAddressRules(networks: [])
        self.addresses = rules.bestFirst(
            Set(addresses).filter { (try? rules.checkUnicast($0, port: announcement.port)) != nil })
    }

    /// The records of the hub that is set up in `state`, with the addresses that it listens on.
    package init(of state: HubState, domain: SearchDomain?) throws {
        let hub = try HubState.hub(in: state.open())
        let settings = hub.settings
        let own = settings.listen.isEmpty ? LocalNetwork.current().map(\.address) : settings.listen
        self.init(
            HubAnnouncement(name: settings.name, port: settings.port, id: hub.pin.fingerprint),
            addresses: own, domain: domain)
    }

    /// True if it has an address to tell.
    package var hasAddress: Bool { !addresses.isEmpty }

    /// Lines, each with its end.
    ///
    /// Without a domain the names are relative to the zone that they are put into; nsupdate has no such
    /// names.
    package func text(_ format: Format) -> String {
        switch format {
        case .zone:
            let about = "; \(announcement.name) (\(announcement.id)), by 'hubpair hub records'\n"
            return about
                + records.map { record in
                    "\(written(record.name))\t\(record.timeToLive)\tIN\t\(record.type)\t\(record.data)\n"
                }.joined()
        case .nsupdate:
            // What changes is deleted first: a record that is there already stays as it is.
            let old = [(instance, "SRV"), (instance, "TXT"), (host, "A"), (host, "AAAA")]
            return old.map { "del \(written($0.0)) IN \($0.1)\n" }.joined()
                + records.map { record in
                    "add \(written(record.name)) \(record.timeToLive) IN \(record.type) \(record.data)\n"
                }.joined() + "send\n"
        }
    }

    private var type: DNSName { name(announcement.serviceType.split(separator: ".").map { Array($0.utf8) }) }
    private var instance: DNSName {
        DNSName(labels: [Array(announcement.name.description.utf8)] + type.labels)
    }
    private var host: DNSName { name([Array(announcement.embeddedHostName.utf8)]) }

    private var records: [Record] {
        let (brief, long) = (HubRecords.timesToLive.host, HubRecords.timesToLive.service)
        let strings = announcement.txt.map(HubRecords.quoted).joined(separator: " ")
        // Browsing domain, and the one for clients that cannot ask for one; the list of service types (§ 9).
        let pointers =
            [DNSName.browsing, DNSName.legacyBrowsing].map {
                ($0.labels, domain == nil ? "@" : written(name([])))
            }
            + [(DNSName.serviceTypes.labels, written(type)), (type.labels, written(instance))]
        return pointers.map { labels, target in
            Record(
                name: labels == type.labels ? type : name(labels), timeToLive: long, type: "PTR", data: target
            )
        } + [
            Record(
                name: instance, timeToLive: brief, type: "SRV",
                data: "0 0 \(announcement.port) \(written(host))"),
            Record(name: instance, timeToLive: long, type: "TXT", data: strings),
        ]
            + addresses.map { address in
                Record(
                    name: host, timeToLive: brief, type: address.family == .ipv4 ? "A" : "AAAA",
                    data: address.description)
            }
    }

    private func name(_ labels: [[UInt8]]) -> DNSName {
        DNSName(labels: labels + (domain?.name.labels ?? []))
    }

    /// With a dot at the end, if there is a domain.
    private func written(_ name: DNSName) -> String { domain == nil ? name.text : name.text + "." }

    /// A string of a TXT record in quotes (RFC 1035 § 5.1).
    private static func quoted(_ bytes: [UInt8]) -> String {
        "\""
            + bytes.map { byte in
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(UnicodeScalar(byte))
                case 0x20...0x7E: String(UnicodeScalar(byte))
                default:
                    "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + String(byte)
                }
            }.joined() + "\""
    }
}
