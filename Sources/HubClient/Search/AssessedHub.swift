package import Discovery
import Identity
package import Pairing

/// A hub on the network, and what this device knows of it.
package struct AssessedHub: Hashable, Sendable {
    /// How sure it is that a hub is what it says.
    package enum Standing: String, Sendable, CaseIterable {
        /// It holds the key that this device is paired with.
        case verified
        /// Nothing but its own word.
        case claimed
        /// It bears the `id` of a hub that this device is paired with and has proven another key; or the name of one
        /// while it announces an `id` of its own.
        case impostor
    }

    package let hub: DiscoveredHub
    package let standing: Standing
    /// True if this device is paired with a hub of the `id` that this one claims, or of the key that it holds; never
    /// for an impostor.
    package let isPaired: Bool
    /// True in its place if the hub's owner has not approved this device yet.
    package let isPending: Bool
    /// True for an impostor that bears the `id` of a paired hub.
    package let bearsKnownID: Bool
    /// True for a stock hub: it was asked, and has shown its devices to somebody who is not paired.
    package let isUnprotected: Bool
    /// Whether it has answered on its port when it was asked last; nil: not asked.
    package var answers: Bool?

    package init(
        _ hub: DiscoveredHub, known: [KnownHub], answers: Bool? = nil, isUnprotected: Bool = false
    ) {
        self.hub = hub
        self.answers = answers
        self.isUnprotected = isUnprotected
        let proven = hub.pin?.fingerprint
        let claimed = hub.id ?? proven
        let hasKnownID = known.contains { $0.fingerprint == claimed }
        let holdsKnownKey = known.contains { $0.pin == hub.pin }
        let appearance = LookAlike.skeleton(hub.name)
        let bearsKnownName = known.contains { LookAlike.skeleton($0.name.description) == appearance }
        standing =
            if holdsKnownKey, claimed == proven {
                .verified
            } else if hasKnownID ? proven != nil : hub.id != nil && bearsKnownName {
                .impostor
            } else {
                .claimed
            }
        let isMeant = hasKnownID && standing != .impostor
        isPending = isMeant && known.contains { $0.fingerprint == claimed && $0.isPending }
        isPaired = isMeant && !isPending
        bearsKnownID = hasKnownID
    }

    /// True if who has seen `old` must see this one, too: for another name, place or standing. Another way in which it
    /// was found, and a link-local address beside others, are no news; nor is this machine's loopback.
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
