import Addresses
package import Identity

/// A hub that says that it can be paired with. Nothing of it is proven before the handshake.
package struct FoundHub: Hashable, Sendable {
    package let id: Fingerprint
    /// From the network: escape it.
    package let name: String
    /// Those of one announcement the best first.
    let addresses: [HubAddress]
}
