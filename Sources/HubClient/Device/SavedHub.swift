package import Identity
package import Pairing

/// A hub of the keyfile: one that this computer is paired with, or one that the user has added by its
/// address.
package enum SavedHub: Equatable, Sendable {
    case paired(KnownHub)
    case added(AddedHub)

    /// The name that it has on this computer.
    package var name: PeerName {
        switch self {
        case .paired(let hub): hub.name
        case .added(let hub): hub.name
        }
    }

    /// Its fingerprint, which only a paired hub has proven; nil for a stock hub, which has no lasting key.
    package var fingerprint: Fingerprint? {
        switch self {
        case .paired(let hub): hub.fingerprint
        case .added(let hub): hub.kind == .stock ? nil : hub.id
        }
    }

    /// True for a stock hub: nothing proves that it is the one that answers.
    package var isUnprotected: Bool {
        if case .added(let hub) = self { hub.kind == .stock } else { false }
    }

    /// True if its appliances can be used: it is paired, or a stock hub.
    package var isUsable: Bool {
        if case .added(let hub) = self { hub.kind == .stock } else { true }
    }
}
