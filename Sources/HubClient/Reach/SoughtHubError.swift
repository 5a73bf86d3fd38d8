package import Identity

/// Why the search for a hub has failed.
package enum SoughtHubError: Equatable, UserError {
    /// No announced hub matches; the string describes what was searched for.
    case notFound(String)
    /// The same, and the address in its code is on no link of this computer, so it was not tried.
    case notOnLink(String, address: String)
    /// Several hubs match; their names and fingerprints.
    case several([String])
    /// The code belongs to another hub than the one that the user named.
    case otherHub(asked: String, code: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notFound(let what): "\(what) cannot be found on this network"
        case .notOnLink(let what, let address):
            "\(what) cannot be found on this network, and the address in its code, \(address), is outside "
                + "of it"
        case .several(let hubs):
            "there are \(hubs.count) hubs on this network: \(hubs.joined(separator: ", "))"
        case .otherHub(let asked, let code): "the code is of the hub \(code), not of \(asked)"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .notFound, .notOnLink: .unavailable
        case .several, .otherHub: .usage
        }
    }

    /// How to fix it, and on which side.
    package var hint: String? {
        switch self {
        case .notFound:
            "on the hub: is 'hubpair serve' running? on this computer: is it on the hub's network? "
                + "--hub HOST names an address"
        case .notOnLink(_, let address):
            "on this computer: is it on the hub's network? if the hub is there all the same: --hub \(address)"
        case .several: "say with --hub which one showed the code"
        case .otherHub: "on the hub that you mean: make a code with 'hubpair print'"
        }
    }
}
