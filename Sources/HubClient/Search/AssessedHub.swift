package import Discovery
import Identity
package import Pairing

/// A hub on the network, compared with the hubs that this computer knows.
package struct AssessedHub: Hashable, Sendable {
    /// How certain it is that a server is the hub that it claims to be.
    package enum Standing: String, Sendable, CaseIterable {
        /// It has proven the key of a paired hub.
        case verified
        /// It has only claimed its identity.
        case claimed
        /// It claims the `id` of a paired hub but has proven another key, or it has the name of a paired hub
        /// but announces another `id`.
        case impostor
    }

    package let hub: DiscoveredHub
    package let standing: Standing
    /// True if this computer is paired with the hub whose `id` it claims, or whose key it has proven; never
    /// for an impostor.
    package let isPaired: Bool
    /// True if the hub's owner has not approved this computer yet; ``isPaired`` is then false.
    package let isPending: Bool
    package let bearsKnownID: Bool
    /// True for a stock hub (a Hestia server without hubpair): when asked, it showed its appliances without
    /// pairing.
    package let isUnprotected: Bool
    /// True if it accepted a connection when last asked; nil if it was not asked, or has not answered yet.
    package var answers: Bool?

    package init(
        _ hub: DiscoveredHub, known: [KnownHub], answers: Bool? = nil, isUnprotected: Bool = false
    ) {
        self.hub = hub
        self.answers = answers
        self.isUnprotected = isUnprotected
        let proven = hub.pin?.fingerprint
        // The key before, if this computer knows that one and not yet the new one: the handshake shows if
        // it is so.
        let former = hub.txt.formerFingerprint.flatMap { was in
            known.contains { $0.fingerprint == was } && !known.contains { $0.fingerprint == hub.id }
                ? was : nil
        }
        let claimed = former ?? hub.id ?? proven
        let hasKnownID = known.contains { $0.fingerprint == claimed }
        let holdsKnownKey = known.contains { $0.pin == hub.pin }
        // Only where it decides: it looks at each letter of each known name.
        func bearsKnownName() -> Bool {
            guard !known.isEmpty else { return false }
            let appearance = LookAlike.skeleton(hub.name)
            return known.contains { LookAlike.skeleton($0.name.description) == appearance }
        }
        standing =
            if holdsKnownKey, claimed == proven {
                .verified
            } else if former != nil, proven == nil || proven == hub.id {
                .claimed
            } else if hasKnownID ? proven != nil : hub.id != nil && bearsKnownName() {
                .impostor
            } else {
                .claimed
            }
        let isMeant = hasKnownID && standing != .impostor
        isPending = isMeant && known.contains { $0.fingerprint == claimed && $0.isPending }
        isPaired = isMeant && !isPending
        bearsKnownID = hasKnownID
    }

    /// True if the difference from `old` must be reported: another name, address or standing. A change of the
    /// sources, of link-local addresses beside others, and of this machine's loopback address is not
    /// reported.
    func differs(from old: AssessedHub) -> Bool {
        let places = [self, old].map { found in
            Set(found.hub.addresses.filter { !$0.isLinkLocal && !$0.isLoopback })
        }
        return places[0] != places[1] || hub.addresses.first != old.hub.addresses.first
            || (hub.name, hub.port, hub.id, hub.txt) != (old.hub.name, old.hub.port, old.hub.id, old.hub.txt)
            || (standing, isPaired, isPending) != (old.standing, old.isPaired, old.isPending)
    }

    /// Impostors first, then by name.
    package static func precedes(_ one: AssessedHub, _ other: AssessedHub) -> Bool {
        let isImpostor = (one.standing == .impostor, other.standing == .impostor)
        if isImpostor.0 != isImpostor.1 { return isImpostor.0 }
        let (a, b) = (one.hub, other.hub)
        if (a.name, a.host, a.port) != (b.name, b.host, b.port) {
            return (a.name, a.host, a.port) < (b.name, b.host, b.port)
        }
        return (a.key.pin?.bytes ?? []).lexicographicallyPrecedes(b.key.pin?.bytes ?? [])
    }
}
