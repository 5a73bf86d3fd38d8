package import Pairing

/// Something that a role may do or not, at the server behind the hub or with the hub's own resources. The
/// page is told the words, and asks for nothing else.
package enum Capability: String, CaseIterable, Sendable {
    /// Ask for something; at the hub, what ``ResourceUse/using`` says.
    case look
    /// Set the appliances that nobody is asked about first.
    case set
    /// Set what keeps people, water or thieves out, too.
    case open
    /// Everything else at the server behind the hub.
    case change
    /// ``ResourceUse/arranging``.
    case arrange
    /// ``ResourceUse/administering``.
    case administer
}

/// Which role may send which kind of request. The one place that says so, for every door: the hub's own port,
/// the proxies that ask it, and the hub's own resources.
package enum RoleTable {
    /// - Parameter role: nil for a word that is no role; it may do nothing.
    package static func allows(_ role: Role?, _ capability: Capability) -> Bool {
        switch (role, capability) {
        case (nil, _): false
        case (.owner, _): true
        case (.member, .look), (.member, .set), (.member, .open), (.member, .change), (.member, .arrange):
            true
        case (.member, .administer): false
        case (.guest, .look), (.guest, .set): true
        case (.guest, .open), (.guest, .change), (.guest, .arrange), (.guest, .administer): false
        }
    }

    /// What a role may do.
    package static func capabilities(of role: Role?) -> [Capability] {
        Capability.allCases.filter { allows(role, $0) }
    }

    package static func allows(_ role: Role?, _ kind: RequestKind) -> Bool {
        switch kind {
        case .reading: allows(role, Capability.look)
        case .switching: allows(role, Capability.set)
        case .changing: allows(role, Capability.change)
        }
    }

    /// True if the role may send requests of this kind for some appliances, and not for others. Whatever the
    /// body says: the gateway does not guess how another program reads it.
    package static func depends(_ role: Role?, _ kind: RequestKind) -> Bool {
        kind == .switching && allows(role, Capability.set) && !allows(role, Capability.open)
    }

    /// True if the role may send requests of all kinds, for all appliances.
    package static func allowsAll(_ role: Role?) -> Bool {
        RequestKind.allCases.allSatisfy { allows(role, $0) && !depends(role, $0) }
    }

    /// The same for the hub's own resources.
    package static func allows(_ role: Role?, _ use: ResourceUse) -> Bool {
        switch use {
        case .using: allows(role, Capability.look)
        case .arranging: allows(role, Capability.arrange)
        case .administering: allows(role, Capability.administer)
        }
    }
}
