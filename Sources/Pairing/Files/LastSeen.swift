package import FoundationEssentials

/// The hub's file `last-seen`: when and from where devices were last let in.
///
///     [keyfile]
///     format=1
///     since=2026-11-20T07:00:00Z
///
///     [device K7QF-2M9D-X0TW-8RHC]
///     seen=2026-11-21T10:22:03Z
///     address=192.168.1.31
///     key=D8EW-7XH8-EQM5-V02H
///
/// `since` is when the file was begun: of a device that is not in it, nothing is known before. `address` is
/// as `NetworkAddress` writes it. `key` is the fingerprint of the hub's key that it has seen then; missing if
/// nobody noted it. Nothing depends on the file but what the owner is told: one that is lost or
/// has a fault is replaced by a new one.
///
/// Accepted: the above. Rejected: no `since`, a group whose name is no fingerprint, an address with a port,
/// `format=2`.
package struct LastSeen: Equatable, Sendable {
    package static let fileName = "last-seen"
    private static let kind = "device"
    private static let sinceKey = "since"

    /// When and from where.
    package struct Entry: Equatable, Sendable {
        package let time: Date
        package let address: NetworkAddress
        /// The hub's key that it has seen.
        package let key: Fingerprint?

        package init(_ time: Date, from address: NetworkAddress, key: Fingerprint? = nil) {
            (self.time, self.address, self.key) = (time, address, key)
        }
    }

    /// When the record began.
    package let since: Date
    package private(set) var entries: [Fingerprint: Entry] = [:]
    private var file: KeyFile

    /// A record that begins now, in whole seconds.
    package init(since: Date) {
        self.since = Date(timeIntervalSince1970: since.timeIntervalSince1970.rounded(.down))
        file = .empty(comment: "When and from where devices were last let in; written by 'hubpair serve'.")
        file.set(LastSeen.sinceKey, to: since.timestamp, in: KeyFile.formatGroup)
    }

    /// Reads the file; the first fault refuses all of it.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        guard let since = try file.time(LastSeen.sinceKey, in: KeyFile.formatGroup) else {
            throw .missingKey(LastSeen.sinceKey, group: KeyFile.formatGroup)
        }
        self.since = since
        for name in try file.identifiers(of: LastSeen.kind) {
            let group = "\(LastSeen.kind) \(name)"
            guard let fingerprint = Fingerprint(name) else { throw .unknownGroup(group) }
            guard let time = try file.time("seen", in: group) else { throw .missingKey("seen", group: group) }
            guard let address = NetworkAddress(try file.required("address", in: group)) else {
                throw .invalidValue("not an IPv4 or IPv6 address", key: "address", group: group)
            }
            // Nothing depends on it, so a word that is none counts as nothing.
            entries[fingerprint] = Entry(
                time, from: address, key: file.value("key", in: group).flatMap { Fingerprint($0) })
        }
    }

    /// The bytes of the file.
    package var serialized: [UInt8] { file.serialized }

    /// When and from where a device was last let in; nil if it was not since the record began.
    package subscript(device: Fingerprint) -> Entry? { entries[device] }

    /// When each device was last let in.
    package var times: [Fingerprint: Date] { entries.mapValues(\.time) }

    /// Notes that a device was let in.
    package mutating func note(_ entry: Entry, of device: Fingerprint) {
        entries[device] = entry
        let group = "\(LastSeen.kind) \(device)"
        file.set("seen", to: entry.time.timestamp, in: group)
        file.set("address", to: entry.address.description, in: group)
        file.set("key", to: entry.key?.description, in: group)
    }

    /// Notes what others have seen, or this hub some time ago: the newer counts. What lies ahead of `now` is
    /// of a clock that was wrong.
    package mutating func learn(_ entry: Entry, of device: Fingerprint, at now: Date) {
        let time = min(entry.time, now)
        if let known = entries[device], known.time <= now, known.time > time { return }
        note(Entry(time, from: entry.address, key: entry.key), of: device)
    }

    /// Forgets the devices that the hub no longer knows.
    package mutating func keep(_ isKnown: (Fingerprint) -> Bool) {
        let gone = entries.keys.filter { !isKnown($0) }
        file.removeGroups(Set(gone.map { "\(LastSeen.kind) \($0)" }))
        for device in gone { entries[device] = nil }
    }

    /// Since when a device has not been seen, as far as is known: its last entry, or else the beginning of
    /// this record, and not before its approval. So a record that was lost makes no device look unused.
    package func unseenSince(_ device: ApprovedDevice) -> Date {
        max(entries[device.fingerprint]?.time ?? since, device.approved ?? .distantPast)
    }
}
