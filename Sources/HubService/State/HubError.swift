package import Addresses
package import FoundationEssentials
package import Identity
package import Pairing

/// Why a use of the hub's side fails. The description is what the user reads.
package enum HubError: Equatable, UserError {
    /// There is no hub in this state directory.
    case notSetUp(directory: String)
    /// There is none, and this machine's is somewhere else; the command that was run.
    case elsewhere(directory: String, HubOwner, command: String)
    /// The directory is another user's; the command that was run.
    case foreign(HubOwner, command: String)
    /// The household is another user's than the hub, and this one cannot read both; the command that was run.
    case householdApart(command: String)
    /// A set-up of a hub of one's own, without naming a place, where this machine has a directory for one.
    case machineHasHub(HubOwner, own: String, command: String)
    /// The hub was set up, but its key is gone.
    case missingKey(path: String)
    /// The key's file holds no P-256 key.
    case unreadableKey(path: String)
    /// A file that the hub cannot be without.
    case missingFile(path: String, hasGoodBackup: Bool)
    /// A second set-up with other settings; what is asked for and what there is, in words, and the options
    /// that change it.
    case otherSettings(asked: String, present: String, options: String)
    /// The upstream is the hub itself: every request would come back.
    case upstreamIsHub(String)
    /// An address to listen on that is not this host's.
    case noSuchAddress(NetworkAddress)
    /// Another program has the port that the hub was to have; the present one, of a hub that is set up.
    case portTaken(UInt16, present: UInt16?)
    /// Nobody answers at the upstream that was to be the new one; why, and the present one.
    case upstreamSilent(String, reason: String, present: String)
    /// The service did not start with changed settings, which were put back.
    case serviceFailed
    /// A code would live for no time, or expire beyond the 32 bits of its format.
    case badLifetime
    /// So many codes would be on record, more than a hub keeps.
    case tooManyCodes(Int)
    /// A revoked device cannot be approved again by hand.
    case revoked(name: String)
    /// A device that asks was named by what it calls itself; the fingerprints of all that ask under this
    /// name, and of those that the owner knows by it.
    case asksByName(name: String, asking: [Fingerprint], known: [Fingerprint])
    /// No record has been kept of when devices were last seen.
    case noLastSeen
    /// An approval would end in the past.
    case endIsOver(Date)
    /// A device's stay would end before the code that lets it in.
    case stayEndsFirst(Date)
    /// The wall clock says an earlier time than the hub's files know of.
    case clockBehind(now: Date, known: Date)
    /// A device cannot be refused that does not ask.
    case asksNothing(Fingerprint)
    /// A device that asks has no role before it is approved.
    case roleOfAsking(Fingerprint, Role)
    /// A revoked device gets no other role.
    case roleOfRevoked(name: String, Role)
    /// A device asked with a label's code, and too long ago.
    case askLapsed(name: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notSetUp(let directory): "no hub is set up in \(directory)"
        case .elsewhere(let directory, let owner, _):
            "no hub is set up in \(directory); this machine's is in \(owner.path), and \(owner.possessive)"
        case .foreign(let owner, _): "the hub in \(owner.path) is \(owner.possessive), not yours"
        case .householdApart: "only root can read the files of the hub and those of its household"
        case .machineHasHub(let owner, _, _):
            "this machine's hub is in \(owner.path), and \(owner.possessive)"
        case .missingKey(let path): "the hub's key \(path) is gone"
        case .unreadableKey(let path): "\(path) holds no P-256 key in PEM"
        case .missingFile(let path, _): "\(path) is gone"
        case .otherSettings(let asked, let present, _):
            "the hub is set up already with \(present), not \(asked)"
        case .upstreamIsHub(let url): "the upstream \(url) is this hub's own port"
        case .noSuchAddress(let address): "\(address) is not an address of this host"
        case .portTaken(let port, let present?):
            "another program has the port \(port); the hub's is still \(present)"
        case .portTaken(let port, nil): "another program has the port \(port); nothing was set up"
        case .upstreamSilent(let url, let reason, let present):
            "no answer from \(url): \(reason); the hub still has \(present)"
        case .serviceFailed: "the service did not start with these settings; it has those of before again"
        case .badLifetime: "a code must live for 1 second at least, and expire before 2106-02-07"
        case .tooManyCodes(let count):
            "the hub would remember \(count) codes, more than \(IssueCode.maximumCodes)"
        case .revoked(let name): "the device \"\(name)\" was revoked"
        case .asksByName(let name, let asking, _):
            (asking.count == 1 ? "a device that asks calls" : "\(asking.count) devices that ask call")
                + " \(asking.count == 1 ? "itself" : "themselves") \"\(name)\", and any device may; "
                + "name it by its fingerprint"
        case .noLastSeen: "this hub has not written down yet when its devices were last seen"
        case .endIsOver(let date): "\(date.timestamp) is over already"
        case .stayEndsFirst(let date): "the stay ends at \(date.timestamp), and the code lives longer"
        case .clockBehind(let now, let known):
            "the clock says \(now.timestamp), and the hub's files know of \(known.timestamp)"
        case .asksNothing(let device): "the device \(device) does not ask for approval"
        case .roleOfAsking(let device, _): "the device \(device) asks, and has no role before it is approved"
        case .roleOfRevoked(let name, _): "the device \"\(name)\" was revoked, and has no role any more"
        case .askLapsed(let name): "the device \"\(name)\" asked more than 10 minutes ago"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .notSetUp, .elsewhere, .missingKey, .unreadableKey, .missingFile: .configuration
        case .foreign, .householdApart: .notPermitted
        case .portTaken, .serviceFailed: .configuration
        case .upstreamSilent: .unavailable
        case .machineHasHub, .otherSettings, .upstreamIsHub, .noSuchAddress, .badLifetime, .tooManyCodes,
            .asksByName, .endIsOver, .stayEndsFirst, .roleOfAsking, .asksNothing:
            .usage
        case .revoked, .roleOfRevoked: .notPermitted
        case .noLastSeen: .notFound
        case .askLapsed, .clockBehind: .tryAgain
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .notSetUp(HubOwner.machinePath): "as root: sudo hubpair setup"
        case .notSetUp: "run 'hubpair setup', or name its directory with --state"
        case .elsewhere(_, let owner, let command), .foreign(let owner, let command): owner.command(command)
        case .householdApart(let command): "sudo \(command)"
        case .machineHasHub(let owner, let own, let command):
            "\(owner.command(command)), or for a hub of your own: \(command) --state \(shellQuoted(own))"
        case .missingKey(let path):
            "bring it back from a backup; without it, move \(shellQuoted(parent(of: path))) away, run "
                + "'hubpair setup' and pair every device again"
        case .unreadableKey(let path): "bring \(shellQuoted(path)) back from a backup"
        case .missingFile(let path, let hasGoodBackup):
            FileRecovery.hint(path, hasGoodBackup: hasGoodBackup, isGone: true)
        case .otherSettings(_, _, let options): "to change it: hubpair setup --change \(options)"
        case .upstreamIsHub:
            "let the server behind the hub listen on another port, and name that with --upstream"
        case .noSuchAddress: "'ip address' lists this host's addresses"
        case .portTaken(let port, _): "see which: ss -tlpn 'sport = :\(port)'"
        case .upstreamSilent:
            "start that server first; 'hubpair setup --change --upstream none' is without one"
        case .serviceFailed: "'journalctl -u hubpair -n 20' says why"
        case .tooManyCodes:
            "make fewer, or take back those that nobody needs: 'hubpair codes' lists them"
        case .badLifetime: "give it like --expires 10m, 2h or 7d"
        case .asksByName(_, let asking, let known):
            "compare with the fingerprint on the device's own screen, then run: "
                + asking.map { "hubpair devices approve \($0)" }.joined(separator: ", or ")
                + (known.isEmpty ? "" : "; you know by that name: ")
                + known.map(\.description).joined(separator: ", ")
        case .noLastSeen: "'hubpair serve' does, from the first device on that comes in"
        case .endIsOver: "give a time to come, like --stay 2h"
        case .stayEndsFirst: "give the code a shorter life (--expires 10m), or the device a longer stay"
        case .clockBehind: "set the clock: timedatectl"
        case .askLapsed: "let it ask again, or print a code for it with 'hubpair print'"
        case .asksNothing(let device): "to take an approval back: hubpair devices revoke \(device)"
        case .roleOfAsking(let device, let role):
            "give it with the approval: hubpair devices approve \(device) --role \(role.rawValue)"
                + (role == .guest ? " --stay 2d" : "")
        case .roleOfRevoked(_, let role):
            "a new code lets it in with one: hubpair print --role \(role.rawValue)"
                + (role == .guest ? " --stay 2d" : "")
        case .revoked: "print a new code with 'hubpair print' and pair the device again"
        }
    }
}

private func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
}
