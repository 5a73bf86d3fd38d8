package import Identity

/// Why pairing has failed, other than by a refusal of the exchange.
package enum PairError: Equatable, UserError {
    /// What answers is not a hub that can pair; its HTTP status.
    case noHub(address: String, status: Int)
    /// The owner has refused the device, or taken the approval back.
    case revoked
    /// The hub has forgotten the request for approval.
    case askIsGone
    /// The owner did not answer in time.
    case notApprovedInTime

    /// True if the attempt cannot go on: the same code is refused, or pairing begins again.
    var isFinal: Bool {
        switch self {
        case .revoked, .askIsGone: true
        case .noHub, .notApprovedInTime: false
        }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .noHub(let address, let status): "the server at \(address) cannot pair (HTTP status \(status))"
        case .revoked: "the hub's owner has refused this computer"
        case .askIsGone: "the hub has forgotten that this computer asked"
        case .notApprovedInTime: "the hub's owner has not approved this computer within 10 minutes"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .noHub: .unavailable
        case .revoked: .notPermitted
        case .askIsGone, .notApprovedInTime: .tryAgain
        }
    }

    /// How to mend it, and on which side.
    package var hint: String? {
        switch self {
        case .noHub: "on the hub: is it 'hubpair serve' that answers there, and up to date?"
        case .revoked: "on the hub: only a new code from 'hubpair print' approves this computer now"
        case .askIsGone, .notApprovedInTime:
            "on this computer: pair again with the label, while the owner is at the hub"
        }
    }
}
