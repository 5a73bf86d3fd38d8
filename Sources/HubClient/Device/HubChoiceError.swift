package import Identity

/// Why no hub, or not the selected one, can be used; or why a hub cannot have a name.
package enum HubChoiceError: Equatable, UserError {
    /// No hub was selected, and this computer knows none.
    case noHub
    /// No hub was selected; this computer knows several, and none is the default.
    case noDefault([PeerName])
    /// A stock hub, for which the user has not accepted an unprotected connection.
    case unprotected(PeerName)
    /// The hub was added by its address and supports pairing, but is not paired.
    case notPaired(PeerName)
    /// A stock hub, which does not support pairing.
    case stock(PeerName)
    /// Its owner has not approved this computer yet.
    case pending(PeerName, device: Fingerprint)
    /// Another hub has this name on this computer.
    case nameTaken(PeerName)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .noHub: "this computer is not paired with a hub yet"
        case .noDefault: "this computer knows several hubs, and none of them is the default"
        case .unprotected(let name):
            "\(name) is a stock hub: nobody can tell whether it is really the one that answers"
        case .notPaired(let name): "this computer is not paired with \(name)"
        case .stock(let name): "\(name) is a stock hub, which no device can be paired with"
        case .pending(let name, _): "the owner of \(name) has not approved this computer yet"
        case .nameTaken(let name): "a hub is called \"\(name)\" already"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .noHub, .noDefault: .notFound
        case .unprotected, .notPaired, .stock, .pending: .notPermitted
        case .nameTaken: .usage
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .noHub, .notPaired:
            "on the hub: 'hubpair print' makes a code; on this computer: 'hubpair pair' uses it"
        case .noDefault(let names):
            "name one with --hub: \(names.prefix(9).map { "\"\($0)\"" }.joined(separator: ", ")); "
                + "or make one the default with 'hubpair hubs use HUB'"
        case .unprotected:
            "to use it all the same, say --insecure once; "
                + "'hubpair setup' and 'serve' on the hub would protect it"
        case .stock:
            "'hubpair home --insecure' can use it; 'hubpair setup' and 'serve' on the hub would protect it"
        case .pending(_, let device):
            "on the hub: compare the fingerprint and run 'hubpair devices approve \(device)'"
        case .nameTaken: "choose another name, or forget the old one: 'hubpair hubs forget HUB'"
        }
    }
}
