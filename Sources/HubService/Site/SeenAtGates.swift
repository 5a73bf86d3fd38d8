import FoundationEssentials
package import Pairing

/// When and from where devices were last let in, at whichever gate of a site: without it a device that always
/// comes in at one gate would look unused at all others.
package struct SeenAtGates: Equatable, Sendable {
    /// As many as a site has parts.
    static let maximumCount = SiteSnapshot.maximumParts

    package var entries: [Fingerprint: LastSeen.Entry] = [:]
    /// Up to which revision of the site.
    package var revision: Int64 = 0

    package init() {}

    mutating func take(_ fresh: SeenAtGates) {
        entries.merge(fresh.entries) { $1 }
        revision = fresh.revision
    }

    /// What a gate has to tell: what it has seen an hour later than the site knows, or with another key; and
    /// nil for devices that nobody knows any more.
    ///
    /// - Parameters:
    ///   - own: what this gate has seen.
    ///   - known: the devices of the site.
    func news(
        _ own: LastSeen, known: Set<Fingerprint>, at now: Date
    ) -> [Fingerprint: LastSeen.Entry?] {
        var news: [Fingerprint: LastSeen.Entry?] = [:]
        for (device, entry) in own.entries where known.contains(device) {
            guard let told = entries[device], told.time <= now else {
                news[device] = .some(entry)
                continue
            }
            let ahead = entry.time.timeIntervalSince(told.time)
            if ahead >= SeenDevices.precision || ahead > 0 && entry.key != told.key {
                news[device] = .some(entry)
            }
        }
        for device in entries.keys where !known.contains(device) { news.updateValue(nil, forKey: device) }
        return news
    }
}

extension LastSeen.Entry {
    /// Longer than any time, address with its zone, and fingerprint.
    private static let maximumByteCount = 160

    /// `2026-11-21T10:22:03Z 192.168.1.31 D8EW-7XH8-EQM5-V02H`; without the key if it is not known.
    ///
    /// Accepted: the above, with one space each. Rejected: another form of time, an address with a port, a
    /// fourth word.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.count <= LastSeen.Entry.maximumByteCount,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count), let time = Date(timestamp: String(words[0])),
            let address = NetworkAddress(String(words[1]))
        else { return nil }
        var key: Fingerprint?
        if words.count == 3 {
            guard let fingerprint = Fingerprint(String(words[2])) else { return nil }
            key = fingerprint
        }
        self.init(time, from: address, key: key)
    }

    package var line: [UInt8] {
        Array("\(time.timestamp) \(address)\(key.map { " \($0)" } ?? "")".utf8)
    }
}
