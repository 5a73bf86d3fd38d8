package import Identity
import Pairing

/// Why a use of the hub's side fails. The description is what the user reads.
package enum HubError: Equatable, UserError {
    /// There is no hub in this state directory.
    case notSetUp(directory: String)
    /// The hub was set up, but its key is gone.
    case missingKey(path: String)
    /// The key's file holds no P-256 key.
    case unreadableKey(path: String)
    /// A file that the hub cannot be without.
    case missingFile(path: String, hasGoodBackup: Bool)
    /// A second set-up with other settings; what is asked for and what there is, in words.
    case otherSettings(asked: String, present: String, path: String)
    /// A code would live for no time, or expire beyond the 32 bits of its format.
    case badLifetime
    /// A revoked device cannot be approved again by hand.
    case revoked(name: String)
    /// A device that asks was named by what it calls itself; the fingerprints of all that ask under this
    /// name, and of those that the owner knows by it.
    case asksByName(name: String, asking: [Fingerprint], known: [Fingerprint])
    /// A device asked with a label's code, and too long ago.
    case askLapsed(name: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notSetUp(let directory): "no hub is set up in \(directory)"
        case .missingKey(let path): "the hub's key \(path) is gone"
        case .unreadableKey(let path): "\(path) holds no P-256 key in PEM"
        case .missingFile(let path, _): "\(path) is gone"
        case .otherSettings(let asked, let present, _):
            "the hub is set up already with \(present), not \(asked)"
        case .badLifetime: "a code must live for 1 second at least, and expire before 2106-02-07"
        case .revoked(let name): "the device \"\(name)\" was revoked"
        case .asksByName(let name, let asking, _):
            (asking.count == 1 ? "a device that asks calls" : "\(asking.count) devices that ask call")
                + " \(asking.count == 1 ? "itself" : "themselves") \"\(name)\", and any device may; "
                + "name it by its fingerprint"
        case .askLapsed(let name): "the device \"\(name)\" asked more than 10 minutes ago"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .notSetUp, .missingKey, .unreadableKey, .missingFile: .configuration
        case .otherSettings, .badLifetime, .asksByName: .usage
        case .revoked: .notPermitted
        case .askLapsed: .tryAgain
        }
    }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .notSetUp: "run 'hubpair setup', or name its directory with --state"
        case .missingKey(let path):
            "bring it back from a backup; without it, move \(shellQuoted(parent(of: path))) away, run "
                + "'hubpair setup' and pair every device again"
        case .unreadableKey(let path): "bring \(shellQuoted(path)) back from a backup"
        case .missingFile(let path, let hasGoodBackup):
            FileRecovery.hint(path, hasGoodBackup: hasGoodBackup, isGone: true)
        case .otherSettings(_, _, let path): "to change it, edit \(shellQuoted(path)) and restart the hub"
        case .badLifetime: "give it like --expires 10m, 2h or 7d"
        case .asksByName(_, let asking, let known):
            "compare with the fingerprint on the device's own screen, then run: "
                + asking.map { "hubpair devices approve \($0)" }.joined(separator: ", or ")
                + (known.isEmpty ? "" : "; you know by that name: ")
                + known.map(\.description).joined(separator: ", ")
        case .askLapsed: "let it ask again, or print a code for it with 'hubpair print'"
        case .revoked: "print a new code with 'hubpair print' and pair the device again"
        }
    }
}

private func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
}
