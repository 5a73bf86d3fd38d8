package import Pairing

/// The result of a pairing.
package struct PairOutcome: Sendable {
    /// What pairing has changed about the hub here.
    package enum Change: Equatable, Sendable {
        /// It was not known before.
        case added
        /// It was known, and is stored again.
        case renewed
        /// It was known, this computer was approved, and the code had been used: nothing was changed.
        case none
    }

    /// The hub as it is stored.
    package var hub: KnownHub
    /// What the hub calls itself; another hub may have that name here.
    package let hubName: PeerName
    /// True if it is used when none is named.
    package var isDefault: Bool
    /// The hub that was the default until now, and in whose place this one answers; nil: none was.
    package var replaced: PeerName?
    /// What pairing has changed about the hub here.
    package let change: Change
    package let device: Fingerprint
    package let deviceName: PeerName
    package var isApproved: Bool
}
