import Discovery

/// A server without hubpair at the address of a hub: mostly the server behind that hub's gateway, which still
/// listens for everybody, and announces itself. Through that door nobody needs approval.
///
/// Nothing proves that it is the same house's. So it stays a row of its own, and is named.
package struct SideDoor: Equatable, Sendable {
    package let door: AssessedHub
    package let hub: AssessedHub

    package static func all(among hubs: [AssessedHub]) -> [SideDoor] {
        let guarded = hubs.filter { $0.hub.id != nil && $0.standing != .impostor }
        return hubs.filter { $0.hub.id == nil }.compactMap { door in
            // Loopback and link-local addresses are not one machine's alone.
            let places = Set(door.hub.addresses.filter { !$0.isLinkLocal && !$0.isLoopback })
            let hub = guarded.first {
                $0.hub.port != door.hub.port && !places.isDisjoint(with: $0.hub.addresses)
            }
            return hub.map { SideDoor(door: door, hub: $0) }
        }
    }
}
