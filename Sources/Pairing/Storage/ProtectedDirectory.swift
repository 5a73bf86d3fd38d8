#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// A directory that holds secrets: mode 0700, owned by this user, its files 0600. Root also uses that of a
/// service, as its owner (``DirectoryOwner``).
///
/// All access goes through one directory descriptor with `O_NOFOLLOW`, and checks are made on open
/// descriptors, so that no name can be exchanged between check and use. A wider mode is refused, never
/// silently corrected: the secret may already have been read.
package struct ProtectedDirectory: ~Copyable {
    /// The maximum number of bytes read from a file; a larger one can only be an attack on memory.
    package static let maximumFileByteCount = KeyFile.maximumByteCount
    private static let lockName = ".lock"

    /// The path as given, for messages.
    package let path: String
    let descriptor: Int32
    /// Whose files these are.
    package let owner: DirectoryOwner
    /// Where some of the files are kept that several gates share; nil if they are this directory's alone.
    package var shared: (any SharedFiles)?

    /// Opens the directory; if `create` is true, creates it and its parents if missing.
    package init(path: String, create: Bool = false) throws(FileError) {
        if create { try ProtectedDirectory.make(path) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw switch errno {
            case ENOENT: .missing(path: path)
            case ELOOP: .symbolicLink(path: path)
            case ENOTDIR:
                ProtectedDirectory.isSymbolicLink(path)
                    ? .symbolicLink(path: path) : .notDirectory(path: path)
            default: .system(errno, operation: "open", path: path)
            }
        }
        let owner: DirectoryOwner
        do throws(FileError) {
            let status = try fileStatus(descriptor, path: path)
            owner = DirectoryOwner(status)
            guard owner.isOurs else { throw .otherOwner(owner.user, path: path) }
            try checkOwnerAndMode(status, owner, path: path, allowed: 0o700)
        } catch {
            // A hint such as "chmod 0700 /etc" would break the system, so only a directory with our files
            // gets one.
            let isOurs = ProtectedDirectory.isInUse(descriptor)
            close(descriptor)
            throw isOurs ? error : .notPrivate(path: path)
        }
        self.path = path
        self.descriptor = descriptor
        self.owner = owner
    }

    deinit { close(descriptor) }

    /// The path of the file `name`, for messages.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Opens a file of the directory as its owner, never through a link; a new one has mode 0600.
    ///
    /// - Returns: the descriptor, or -1 and `errno`.
    func openFile(_ name: String, _ flags: Int32) -> Int32 {
        owner.acting { openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }

    /// Why a file could not be opened. What its owner may not open is mostly another user's.
    func openFault(_ name: String, _ code: Int32) -> FileError {
        var status = stat()
        guard code == EACCES, fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_uid != owner.user
        else { return .system(code, operation: "open", path: path(of: name)) }
        return .strayFile(status.st_uid, path: path(of: name), owner: owner.user)
    }

    /// Holds the directory's lock (flock on `.lock`) while `body` runs: what is read and then written in it
    /// is one step for every process that does the same.
    ///
    /// Throws `locked` after 10 s: a process that holds the lock longer hangs. On a read-only mount the
    /// existing lock file is used, because the same file system may be writable elsewhere; `body` can then
    /// only read.
    package func withLock<Result>(
        _ body: (borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        let lockPath = path(of: ProtectedDirectory.lockName)
        var lock = openFile(ProtectedDirectory.lockName, O_RDWR | O_CREAT)
        if lock < 0, errno == EROFS {
            lock = openFile(ProtectedDirectory.lockName, O_RDONLY)
            if lock < 0, errno == ENOENT { errno = EROFS }
        }
        guard lock >= 0 else {
            // A lock file has no content, so the hint is to move it away.
            throw errno == ELOOP
                ? FileError.notRegular(path: lockPath) : openFault(ProtectedDirectory.lockName, errno)
        }
        defer { close(lock) }
        try checkOwnerAndMode(fileStatus(lock, path: lockPath), owner, path: lockPath, allowed: 0o600)
        var attempts = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FileError.system(errno, operation: "lock", path: lockPath)
            }
            attempts += 1
            // Pairing holds the lock for a few milliseconds: retry every 0.5 ms for 50 ms, then every 10 ms,
            // 10 s in total.
            guard attempts < 1095 else { throw FileError.locked(path: lockPath) }
            usleep(attempts <= 100 ? 500 : 10_000)
        }
        return try body(self)
    }

    /// Creates `path` and its missing parents with mode 0700, as the XDG Base Directory Specification
    /// requires.
    private static func make(_ path: String) throws(FileError) {
        let components = path.split(separator: "/")
        var prefix = path.hasPrefix("/") ? "" : "."
        for component in components {
            let parent = prefix
            prefix += "/" + component
            if mkdir(prefix, 0o700) == 0 {
                try synchronize(parent.isEmpty ? "/" : parent)
            } else if errno != EEXIST {
                throw .system(errno, operation: "make the directory", path: prefix)
            }
        }
    }

    /// Makes the entries of the directory `path` durable; otherwise a power failure could remove a new
    /// directory together with the key in it. A parent that is writable but not readable cannot be
    /// synchronized; that is ignored.
    private static func synchronize(_ path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, operation: "write", path: path) }
    }

    /// True if the directory holds a file that hubpair creates.
    private static func isInUse(_ descriptor: Int32) -> Bool {
        let names = [lockName, ApprovedDevices.fileName, KnownHubs.fileName, Tickets.fileName]
        return names.contains { (name: String) in
            faccessat(descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
        }
    }

    private static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}

func fileStatus(_ descriptor: Int32, path: String) throws(FileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
        throw .system(errno, operation: "look at", path: path)
    }
    return status
}

/// Refuses a file with a secret, wherever it lies, that others than its owner may use. A pipe, as of a
/// shell's `<(...)`, keeps nothing for others.
package func checkIsPrivate(_ path: String) throws(FileError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let mode = status.st_mode & 0o777
    guard mode & 0o077 == 0 else { throw .tooOpen(mode: mode, allowed: 0o600, path: path) }
}

/// Throws if the owner is another user, or if the mode has bits outside `allowed`.
func checkOwnerAndMode(
    _ status: stat, _ owner: DirectoryOwner, path: String, allowed: mode_t
) throws(FileError) {
    guard status.st_uid == owner.user else {
        throw .strayFile(status.st_uid, path: path, owner: owner.user)
    }
    // A directory can inherit setgid from its parent. It grants no access, and chmod with an octal mode does
    // not clear it.
    let mode = status.st_mode & (status.st_mode & S_IFMT == S_IFDIR ? 0o777 : 0o7777)
    guard mode & ~allowed == 0 else { throw .tooOpen(mode: mode, allowed: allowed, path: path) }
}
#endif
