import Glibc
import Pairing

/// Whose a hub's directory is, and how its owner runs a command.
package struct HubOwner: Equatable, Sendable {
    /// The directory of this machine's hub: root's, or that of a service.
    static let machinePath = "/var/lib/hubpair"

    /// The directory.
    package let path: String
    package let user: UInt32
    /// The user's name; nil if the system has none for it.
    package let name: String?

    package init(path: String, user: UInt32, name: String?) {
        (self.path, self.user, self.name) = (path, user, name)
    }

    /// The owner of what is at `path`; nil if there is nothing, or if it cannot be seen.
    package init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let entry = getpwuid(status.st_uid)
        self.init(
            path: path, user: status.st_uid, name: entry.map { String(cString: $0.pointee.pw_name) })
    }

    /// `root's`, `hubpair's`, `the user 4711's`.
    var possessive: String { user == 0 ? "root's" : "\(name ?? "the user \(user)")'s" }

    /// The command that does for the owner what `command` did not do for this user, to be pasted.
    ///
    /// - Parameters:
    ///   - command: without `--state`.
    ///   - me: who pastes it.
    func command(_ command: String, for me: UInt32 = geteuid()) -> String {
        // Root finds this machine's hub by itself, and works on a service's files as the service. Its results
        // go where the person stands, and there the service's user could not write.
        let isRoots = user == 0 || DirectoryOwner.isService(user) && me != 0
        let place = path == HubOwner.machinePath && isRoots ? "" : " --state \(shellQuoted(path))"
        if user == me { return command + place }
        let sudo = isRoots ? "sudo" : "sudo -u \(name.map(shellQuoted) ?? "'#\(user)'")"
        return "\(sudo) \(command)\(place)"
    }
}

extension HubState {
    /// Whose the hub is: who owns its directory, or would.
    package var user: UInt32 { HubOwner(of: path)?.user ?? geteuid() }

    /// Makes this process, if it is root's, one of the service user who owns the files: it starts over
    /// (``DirectoryOwner``).
    ///
    /// - Parameter told: called before with the user's name or number.
    package func becomeOwner(told: (String) -> Void) throws {
        let owner: DirectoryOwner
        do {
            owner = try open().owner
        } catch {
            return  // the next command that opens it says what is wrong
        }
        try owner.become {
            told(owner.name)
            // Root's default directory is another than that of the user whom it becomes.
            setenv("HUBPAIR_STATE", path, 1)
        }
    }
}
