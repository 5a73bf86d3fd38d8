import Glibc
import Pairing

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
