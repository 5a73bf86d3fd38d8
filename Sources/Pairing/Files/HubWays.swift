package import FoundationEssentials

/// The hub's file `ways`: how it is reached from outside of its own links.
///
///     [keyfile]
///     format=1
///
///     [way vpn.example.org:8000]
///     added=2026-11-27T10:22:03Z
///
///     [relay K7QF-2M9D-X0TW-8RHC]
///     address=relay.example.org:443
///     pin=sha256//…
///     name=Anna's relay
///     added=2026-11-27T10:22:03Z
///
/// A way is named by its address, `HOST:PORT`; a relay by the fingerprint of its key. At most 16 of both.
///
/// Accepted: the above with the whole pin. Rejected: a relay whose fingerprint is not its pin's, without a
/// time, another kind of group, `format=2`.
package struct HubWays: Equatable, Sendable {
    package static let fileName = "ways"
    private static let wayKind = "way"
    private static let relayKind = "relay"
    /// The most ways and relays.
    package static let maximumCount = 16

    /// A way that the owner has added.
    package struct Way: Equatable, Sendable {
        /// `HOST:PORT`.
        package let address: String
        package let added: Date

        package init(address: String, added: Date) { (self.address, self.added) = (address, added) }
    }

    /// A relay that has admitted the hub.
    package struct Relay: Equatable, Sendable {
        package let name: PeerName
        package let pin: Pin
        /// `HOST:PORT`: where the hub and its callers reach it.
        package let address: String
        package let added: Date

        package init(name: PeerName, pin: Pin, address: String, added: Date) {
            (self.name, self.pin, self.address, self.added) = (name, pin, address, added)
        }
    }

    /// In the file's order.
    package private(set) var ways: [Way] = []
    /// In the file's order.
    package private(set) var relays: [Relay] = []
    private var file: KeyFile

    /// No way.
    package init() {
        file = .empty(comment: "How this hub is reached from outside; see 'hubpair hub ways'.")
    }

    /// Reads the file; the first fault refuses all of it.
    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for group in file.groupNames where group != KeyFile.formatGroup {
            let words = group.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw .unknownGroup(group) }
            guard let added = try file.time("added", in: group) else {
                throw .missingKey("added", group: group)
            }
            switch words[0] {
            case HubWays.wayKind:
                guard HubWay.isAddress(words[1]) else { throw .unknownGroup(group) }
                ways.append(Way(address: words[1], added: added))
            case HubWays.relayKind:
                let address = try file.required("address", in: group)
                guard HubWay.isAddress(address) else {
                    throw .invalidValue("not an address", key: "address", group: group)
                }
                relays.append(
                    Relay(
                        name: try file.name("name", in: group),
                        pin: try file.pin(in: group, fingerprint: words[1]), address: address, added: added))
            default: throw .unknownGroup(group)
            }
        }
        guard count <= HubWays.maximumCount else {
            throw .invalidValue(
                "more than \(HubWays.maximumCount) ways", key: "added", group: HubWays.wayKind)
        }
    }

    package var count: Int { ways.count + relays.count }
    /// The bytes of the file: what was read, with the changes since.
    package var serialized: [UInt8] { file.serialized }

    /// Adds a way; nothing happens if it is there.
    package mutating func add(_ way: Way) {
        guard !ways.contains(where: { $0.address == way.address }) else { return }
        ways.append(way)
        file.set("added", to: way.added.timestamp, in: "\(HubWays.wayKind) \(way.address)")
    }

    /// Adds a relay, or puts it in place of the one with the same key.
    package mutating func add(_ relay: Relay) {
        remove(relay.pin)
        relays.append(relay)
        let group = "\(HubWays.relayKind) \(relay.pin.fingerprint)"
        file.set("address", to: relay.address, in: group)
        file.set("pin", to: relay.pin.text, in: group)
        file.set("name", to: relay.name.description, in: group)
        file.set("added", to: relay.added.timestamp, in: group)
    }

    /// Removes the way with this address.
    package mutating func remove(_ address: String) {
        ways.removeAll { $0.address == address }
        file.removeGroup("\(HubWays.wayKind) \(address)")
    }

    /// Removes the relay with this key.
    package mutating func remove(_ pin: Pin) {
        relays.removeAll { $0.pin == pin }
        file.removeGroup("\(HubWays.relayKind) \(pin.fingerprint)")
    }

    /// What the hub tells of them, in the file's order: ways before relays.
    package var told: [HubWay] {
        ways.map { HubWay(address: $0.address, kind: .added) }
            + relays.map { HubWay(address: $0.address, kind: .relay) }
    }
}
