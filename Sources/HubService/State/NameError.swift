package import GatewayRules
package import Identity

/// Why a name is not taken, or not taken back.
package enum NameError: UserError, Equatable {
    case tooMany
    case unknown(WebHost)
    /// A name of the machine's, or in the installed certificate.
    case ownName(WebHost, isCertified: Bool)
    /// No certificate authority gives a certificate for it.
    case notPublic(WebHost)

    package var description: String {
        switch self {
        case .tooMany: "\(HubSettings.maximumHosts) names are added already, and that is the most"
        case .unknown(let host): "the hub has no name \(host)"
        case .ownName(let host, false): "\(host) is this machine's own, and was not added"
        case .ownName(let host, true): "\(host) stands in the certificate that is installed"
        case .notPublic(let host): "\(host) is no public name"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .tooMany, .notPublic, .ownName: .usage
        case .unknown: .notFound
        }
    }

    package var hint: String? {
        switch self {
        case .tooMany: "take one back: hubpair hub names remove NAME"
        case .unknown: "'hubpair hub names' lists them"
        case .ownName(_, false): nil
        case .ownName(_, true): "'hubpair hub certificate remove' takes that out"
        case .notPublic:
            "give one below a domain of yours, like kitchen.example.org; for names and addresses at home the "
                + "hub has a certificate already"
        }
    }
}
