package import Pairing

/// Which role may send which kind of request. The one place that says so, for every door: the hub's own port,
/// the proxies that ask it, and the hub's own resources.
package enum RoleTable {
    /// - Parameter role: nil for a word that is no role; it may do nothing.
    package static func allows(_ role: Role?, _ kind: RequestKind) -> Bool {
        switch (role, kind) {
        case (nil, _): false
        case (.owner, _), (.member, _): true
        case (.guest, .reading), (.guest, .switching): true
        case (.guest, .changing): false
        }
    }

    /// True if the role may send requests of this kind for some appliances, and not for others: what a guest
    /// may set is not what keeps people, water or thieves out. Whatever the body says: the gateway does not
    /// guess how another program reads it.
    package static func depends(_ role: Role?, _ kind: RequestKind) -> Bool {
        switch (role, kind) {
        case (.guest, .switching): true
        case (nil, _), (.owner, _), (.member, _), (.guest, .reading), (.guest, .changing): false
        }
    }

    /// The same for the hub's own resources.
    package static func allows(_ role: Role?, _ use: ResourceUse) -> Bool {
        switch (role, use) {
        case (nil, _): false
        case (.owner, _): true
        case (.member, .using), (.member, .arranging): true
        case (.member, .administering): false
        case (.guest, .using): true
        case (.guest, .arranging), (.guest, .administering): false
        }
    }
}
