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
///     next=sha256//…
///
/// A gate is named as in ``SiteSettings``; several may have one key, and are one hub then. `next` is the pin
/// of a key that is prepared, which the gate shows to who asks for it. At most 256.
///
/// Accepted: the above with whole pins. Rejected: no `pin`, `ways=x`, `next=x`, another kind of group,
/// `format=2`.
package struct SiteGates: Equatable, Sendable {
    package static let fileName = "site-gates"
    package static let maximumCount = 256
    private static let kind = "gate"

    /// What a gate says of itself.
    package struct Gate: Equatable, Sendable {
        package var hub: SiteHub
        /// The pin of the key that is prepared, if it can show that.
        package var next: Pin?

        package init(_ hub: SiteHub, next: Pin? = nil) { (self.hub, self.next) = (hub, next) }
    }

    private var gates: [(id: String, gate: Gate)] = []
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
            let next = file.value("next", in: group)
            let nextPin = next.flatMap { try? Pin(text: $0) }
            guard (next == nil) == (nextPin == nil) else {
                throw .invalidValue("not a pin", key: "next", group: group)
            }
            let hub = SiteHub(name: try file.name("name", in: group), pin: pin, ways: ways)
            gates.append((id, Gate(hub, next: nextPin)))
        }
    }

    package static func == (one: SiteGates, other: SiteGates) -> Bool { one.file == other.file }

    package var serialized: [UInt8] { file.serialized }

    /// The hubs, each with the key that counts, what names that, and the ways to all of its gates.
    package func hubs(_ keys: SiteKeys = SiteKeys()) -> [SiteHub] {
        var hubs: [SiteHub] = []
        for (_, gate) in gates {
            let pin = keys.path(from: gate.hub.pin).last?.new ?? gate.hub.pin
            let hub = SiteHub(
                name: gate.hub.name, pin: pin, ways: gate.hub.ways, statement: keys.statement(naming: pin))
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

    /// What a gate says of itself; nil if it has not yet.
    package subscript(id: String) -> Gate? { gates.first { $0.id == id }?.gate }

    /// Notes what a gate says of itself.
    ///
    /// - Returns: false if there are too many gates.
    package mutating func note(_ id: String, _ gate: Gate) -> Bool {
        if let index = gates.firstIndex(where: { $0.id == id }) {
            gates[index].gate = gate
        } else {
            guard gates.count < SiteGates.maximumCount else { return false }
            gates.append((id, gate))
        }
        let (group, hub) = (SiteGates.group(id), gate.hub)
        file.set("name", to: hub.name.description, in: group)
        file.set("pin", to: hub.pin.text, in: group)
        file.set("ways", to: hub.ways.map(\.text).joined(separator: ";"), in: group)
        file.set("next", to: gate.next?.text, in: group)
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
