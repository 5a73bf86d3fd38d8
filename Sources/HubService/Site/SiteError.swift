package import Identity

/// Why what the gates of a site share cannot be read or changed.
package enum SiteError: Equatable, UserError {
    /// No member of etcd answers; the first that was asked, and why not.
    case silent(String, reason: String)
    /// Members answer, and are not enough to agree on anything; what one said.
    case noMajority(String)
    /// A member whose certificate is not from the authority that was given, or not for its name.
    case untrusted(String)
    /// A member refuses this gate's certificate.
    case refused(String)
    /// What answers in a member's place is no etcd, or an old one; its status in HTTP.
    case stranger(String, status: Int)
    /// It wants a user's name and password; what it says.
    case asksForUser(String)
    /// The members are of another cluster than the one that was joined.
    case otherCluster(String)
    /// No gate of this other hub has moved in.
    case nobody(Fingerprint)
    /// The site has no other gate of this name; those that it has.
    case noGate(String, known: [String])
    /// Nobody has moved in, or the last gate has left.
    case empty
    /// A gate began to move in, and was stopped.
    case unfinished
    /// Another gate moves in at the same moment.
    case movingIn
    /// What was read is not what gates write.
    case damaged(String)
    /// For longer than this many seconds nobody has confirmed which devices may come in.
    case stale(Int)
    /// etcd cannot do it; what it says.
    case failed(String)
    /// The hub is a gate of this site already.
    case joined([String])
    /// The hub is no gate of a site.
    case notJoined
    /// An address of a member that is none.
    case badEndpoint(String)
    /// A file that was given holds no certificate or key.
    case badFile(String, what: String)
    /// The certificate and the key do not belong together.
    case mismatch
    /// A backup of a hub that was no gate of a site.
    case backupWithoutSite

    /// For hints: what is in capitals is named when it is typed.
    package static let joining = "hubpair hub site join MEMBERS --ca CA --cert CERTIFICATE --key KEY"

    /// True if it may pass by itself: the same call may succeed later.
    package var isOutage: Bool {
        switch self {
        case .silent, .noMajority, .stranger, .asksForUser, .failed, .stale: true
        case .untrusted, .refused, .otherCluster, .empty, .nobody, .noGate, .unfinished, .movingIn, .damaged,
            .joined, .notJoined, .badEndpoint, .badFile, .mismatch, .backupWithoutSite:
            false
        }
    }

    package var description: String {
        switch self {
        case .silent(let member, let reason): "no member of the site's etcd answers (\(member): \(reason))"
        case .noMajority(let words): "the site's etcd has no majority (\(words))"
        case .untrusted(let member):
            "the certificate of \(member) is not of the authority that was given for the site, or for "
                + "another name"
        case .refused(let member): "\(member) refuses this gate's certificate"
        case .stranger(let member, let status):
            "\(member) does not answer as etcd 3.4 or newer does (HTTP \(status))"
        case .asksForUser(let words): "the site's etcd asks for a user, and a gate has none (\(words))"
        case .otherCluster(let found):
            "the members are of another etcd cluster (\(found)) than the one that this hub has joined"
        case .empty: "the site holds nothing of this hub"
        case .nobody(let hub): "no gate of the hub \(hub) is in this etcd"
        case .noGate(let name, _): "the site has no other gate called \(quoted(name))"
        case .unfinished: "a gate began to move into the site and did not finish"
        case .movingIn: "another gate moves into the site at this moment"
        case .damaged(let words): "the site holds what no gate has written: \(words)"
        case .stale(let seconds):
            "the site has not confirmed for \(Duration.seconds(seconds).written) which devices may come in"
        case .failed(let words): "the site's etcd says: \(words)"
        case .joined(let endpoints): "this hub is a gate of the site at \(endpoints.joined(separator: ", "))"
        case .notJoined: "this hub is no gate of a site"
        case .badEndpoint(let text): "\"\(text)\" is not the address of a member of etcd"
        case .badFile(let path, let what): "\(path) holds no \(what) in PEM"
        case .mismatch: "the certificate and the key do not belong together"
        case .backupWithoutSite: "the hub of this backup was no gate of a site"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .silent, .noMajority, .stranger, .failed, .stale: .unavailable
        case .untrusted, .refused, .asksForUser: .notPermitted
        case .otherCluster, .empty, .nobody, .unfinished: .configuration
        case .noGate: .notFound
        case .movingIn: .tryAgain
        case .damaged: .data
        case .joined, .notJoined, .badEndpoint, .mismatch, .backupWithoutSite: .usage
        case .badFile: .data
        }
    }

    package var hint: String? {
        switch self {
        case .silent, .noMajority:
            "nothing was changed; 'hubpair hub site status' asks every member. Lost for good: 'hubpair hub "
                + "site leave --offline' goes on with this gate's copy"
        case .untrusted: "give the authority of the members' certificates with --ca, and names that they bear"
        case .refused:
            "give a certificate that the members' --trusted-ca-file vouches for, with --cert and --key"
        case .stranger:
            "what stands in front of a member has to pass TLS through; 'hubpair hub site status' asks every "
                + "member"
        case .asksForUser:
            "the members' --client-cert-auth and --trusted-ca-file say who gets in; users are turned off "
                + "with 'etcdctl auth disable'"
        case .otherCluster:
            "name the members of the one that it has joined, or leave that first: hubpair hub site leave "
                + "--offline"
        case .empty: "a gate that has the devices moves in: \(SiteError.joining)"
        case .nobody: "'hubpair hub site' says at one of its gates which hub's site it is"
        case .noGate(_, let known):
            known.isEmpty
                ? "this gate is the only one; it leaves without --gate"
                : "the others: " + known.prefix(8).map { quoted($0) }.joined(separator: ", ")
        case .unfinished: "let that gate begin anew: \(SiteError.joining)"
        case .movingIn: "try again once it is done"
        case .damaged: "bring etcd back from its backup (etcdctl snapshot restore)"
        case .failed, .stale: "'hubpair hub site status' asks every member"
        case .joined: "leave it first: hubpair hub site leave"
        case .notJoined: "hubpair hub site join --help"
        case .badEndpoint: "give it like https://etcd1:2379, several with commas between them"
        case .badFile: nil
        case .mismatch: "give the key that the certificate was made for"
        case .backupWithoutSite: "make the backup at a gate of the site: hubpair hub backup FILE"
        }
    }
}
