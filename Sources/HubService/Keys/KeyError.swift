package import FoundationEssentials
package import Identity
import Pairing

/// Why the hub's key is not changed.
package enum KeyError: Equatable, UserError {
    /// The old key is still served, until then.
    case underway(Date)
    /// The hub is a gate of a site, and somebody else may have its key.
    case shared
    /// The gates of the site are given another one, with this pin.
    case prepared(Pin)
    /// No other key is prepared in the site.
    case nothingPrepared
    /// The gates of the site have gone over to this key, and this one has not got it.
    case behind(Pin)
    /// It is not in this backup.
    case notInBackup(Pin)

    package var description: String {
        switch self {
        case .underway(let end): "the key was changed, and devices have until \(end.timestamp) to come"
        case .shared: "the gates of a site cannot lose a key one by one"
        case .prepared(let pin): "the key \(pin.fingerprint) is prepared, and some gates cannot show it yet"
        case .nothingPrepared: "no other key is prepared for this hub"
        case .behind(let pin):
            "the gates of the site have gone over to the key \(pin.fingerprint), which this one has not got"
        case .notInBackup(let pin): "the key \(pin.fingerprint) is not in this backup"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .underway, .prepared: .tryAgain
        case .shared, .nothingPrepared: .usage
        case .behind: .configuration
        case .notInBackup: .data
        }
    }

    package var hint: String? {
        switch self {
        case .underway:
            "'hubpair hub key' lists those that have not come; wait until then, or if somebody else may "
                + "have the key: hubpair hub key lost"
        case .shared:
            "at each gate: hubpair hub site leave; then at one: hubpair hub key lost; in again with it: "
                + "\(SiteError.joining); the others anew from its backup: "
                + "hubpair hub restore --replace --join FILE"
        case .prepared: "'hubpair hub key' says which, and what to do; or: hubpair hub key rotate --cancel"
        case .nothingPrepared: "'hubpair hub key' shows which key it has"
        case .behind, .notInBackup:
            "at a gate that has it: hubpair hub backup FILE; and here: hubpair hub key take FILE"
        }
    }
}
