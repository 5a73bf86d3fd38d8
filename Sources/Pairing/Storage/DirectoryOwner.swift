#if os(Linux) && !HUBPAIR_PORTABLE
import CGlibc
import Glibc

/// The user whose files a directory holds, and how root works on them.
///
/// The hub of the Debian package belongs to the user `hubpair`, and `sudo hubpair print` is root's. There
/// root does not use its powers: files are opened as their owner (setfsuid(2)). So new files are the owner's,
/// and the kernel refuses what it would refuse the owner: a service that was broken into cannot plant a link
/// by which root reads or writes elsewhere. Results, such as `print --output code.png`, are still root's.
///
/// Only for the users of services (numbers 1 to 999, Debian Policy § 9.2.2): a person's hub is run by that
/// person, and root's commands in it would be a mistake.
package struct DirectoryOwner: Equatable, Sendable {
    let user: uid_t
    let group: gid_t

    private static let serviceUsers: ClosedRange<uid_t> = 1...999

    /// True for the user of a service, and neither root nor a person.
    package static func isService(_ user: UInt32) -> Bool { serviceUsers.contains(user) }

    /// The owner of a directory or file.
    init(_ status: stat) {
        (user, group) = (status.st_uid, status.st_gid)
    }

    /// The user's name, or number.
    package var name: String { userName(user) }

    /// True if this process may use the files: they are its user's, or a service's and the process is root's.
    var isOurs: Bool {
        if user == geteuid() { return true }
        guard geteuid() == 0, DirectoryOwner.isService(user) else { return false }
        // Root without CAP_SETUID, as in a unit without capabilities, stays what it is. The number that is no
        // user's changes nothing, and tells who is acting.
        return acting { setfsuid(uid_t.max) == Int32(bitPattern: user) }
    }

    /// Runs `body` with the owner's rights on files. Both numbers are the thread's own (setfsuid(2)), so
    /// `body` must not suspend. `errno` is that of `body`.
    package func acting<Result>(_ body: () -> Result) -> Result {
        guard user != geteuid() else { return body() }
        // The group first: it needs the capability that the user's number takes away.
        setfsgid(group)
        setfsuid(user)
        let result = body()
        let code = errno
        setfsuid(geteuid())
        setfsgid(getegid())
        errno = code
        return result
    }

    /// Becomes the owner for good, for a server, which needs nothing of root's: starts this program over as
    /// the owner, in this process and with the same arguments. It returns if nothing has to change.
    ///
    /// A change of user alone leaves one thread behind: dispatch_main(3) takes the first one out of use by
    /// pthread_exit(3), it waits for signals for ever, and glibc tells threads that end of no new user.
    /// Whoever took the process over could send it a signal, and be root.
    ///
    /// - Parameter told: called before, if something changes.
    package func become(told: () -> Void) throws(FileError) {
        guard user != geteuid() else { return }
        told()
        // The groups first, for the same reason. Real, effective and saved: there is no way back.
        guard setgroups(0, nil) == 0, setresgid(group, group, group) == 0, setresuid(user, user, user) == 0
        else { throw .system(errno, operation: "become the owner of", path: "the hub's files") }
        // Threads of libdispatch block all signals, and a mask is inherited.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        let program = "/proc/self/exe"
        execv(program, CommandLine.unsafeArgv)
        throw .system(errno, operation: "start over", path: program)
    }
}
#endif
