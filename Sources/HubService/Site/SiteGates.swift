import Identity
package import Pairing

/// The file `site-gates`: which hub each gate of a site is, and where it is reached. The gates share it.
///
///     [keyfile]
///     format=1
///
///     [gate 9QW3ZJ1K]
///     name=North wing
///     pin=sha256//…
///     ways=192.0.2.7:8000 home;vpn.example.org:8000 added
///
/// A gate is named as in ``SiteSettings``; several may have one key, and are one hub then. At most 256.
///
/// Accepted: the above with the whole pin. Rejected: no `pin`, `ways=x`, another kind of group, `format=2`.
package struct SiteGates: Equatable, Sendable {
    package static let fileName = "site-gates"
    package static let maximumCount = 256
    private static let kind = "gate"

    private var gates: [(id: String, hub: SiteHub)] = []
    private var file: KeyFile

    package init() {
        file = .empty(comment: "The gates of this hub's site; see 'hubpair hub site'.")
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for id in try file.identifiers(of: SiteGates.kind) {
            let group = SiteGates.group(id)
            let text = try file.required("pin", in: group)
            guard let pin = try? Pin(text: text) else {
                throw .invalidValue("not a pin", key: "pin", group: group)
            }
            guard let ways = HubWay.list(file.value("ways", in: group) ?? "") else {
                throw .invalidValue("not addresses with their kinds", key: "ways", group: group)
            }
            guard gates.count < SiteGates.maximumCount else {
                throw .invalidValue("more than \(SiteGates.maximumCount) gates", key: "pin", group: group)
            }
            gates.append((id, SiteHub(name: try file.name("name", in: group), pin: pin, ways: ways)))
        }
    }

    package static func == (one: SiteGates, other: SiteGates) -> Bool { one.file == other.file }

    package var serialized: [UInt8] { file.serialized }

    /// The hubs, each with the ways to all of its gates.
    package var hubs: [SiteHub] {
        var hubs: [SiteHub] = []
        for (_, hub) in gates {
            guard let index = hubs.firstIndex(where: { $0.pin == hub.pin }) else {
                hubs.append(hub)
                continue
            }
            let known = hubs[index].ways
            hubs[index].ways += hub.ways.filter { way in
                !known.contains { $0.address == way.address }
            }.prefix(HubWay.maximumCount - known.count)
        }
        return hubs
    }

    /// Which hub a gate is; nil if it has not said so.
    func pin(of id: String) -> Pin? { gates.first { $0.id == id }?.hub.pin }

    /// Notes what a gate says of itself.
    ///
    /// - Returns: false if there are too many gates.
    package mutating func note(_ id: String, _ hub: SiteHub) -> Bool {
        if let index = gates.firstIndex(where: { $0.id == id }) {
            gates[index].hub = hub
        } else {
            guard gates.count < SiteGates.maximumCount else { return false }
            gates.append((id, hub))
        }
        let group = SiteGates.group(id)
        file.set("name", to: hub.name.description, in: group)
        file.set("pin", to: hub.pin.text, in: group)
        file.set("ways", to: hub.ways.map(\.text).joined(separator: ";"), in: group)
        return true
    }

    /// - Returns: false if it is not there.
    package mutating func forget(_ id: String) -> Bool {
        guard gates.contains(where: { $0.id == id }) else { return false }
        gates.removeAll { $0.id == id }
        file.removeGroup(SiteGates.group(id))
        return true
    }

    private static func group(_ id: String) -> String { "\(kind) \(id)" }
}
