package import Identity
package import Pairing

/// A hub whose devices can be used: paired, or a stock one that the user has added.
package enum UsableHub: Equatable, Sendable {
    case paired(KnownHub)
    case stock(AddedHub)

    /// The name that it has on this device.
    package var name: PeerName {
        switch self {
        case .paired(let hub): hub.name
        case .stock(let hub): hub.name
        }
    }

    /// Its fingerprint; a stock hub has none.
    package var fingerprint: Fingerprint? {
        if case .paired(let hub) = self { hub.fingerprint } else { nil }
    }

    /// True if nobody checks who it is.
    package var isUnprotected: Bool { if case .stock = self { true } else { false } }
}
