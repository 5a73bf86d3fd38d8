import Glibc
import Pairing

extension HubState {
    /// Whose the hub is: who owns its directory, or would.
    package var user: UInt32 { HubOwner(of: path)?.user ?? geteuid() }

    /// Makes this process, if it is root's, one of the service user who owns the files.
    ///
    /// - Returns: the user's name or number; nil if nothing had to change.
    package func becomeOwner() throws -> String? {
        let owner: DirectoryOwner
        do {
            owner = try open().owner
        } catch {
            return nil  // the next command that opens it says what is wrong
        }
        return try owner.become() ? owner.name : nil
    }
}
