import Glibc

/// A directory that holds secrets: mode 0700, owned by this user, its files 0600.
///
/// Everything goes through one descriptor and `O_NOFOLLOW`, and is checked by descriptor, so that nobody can
/// exchange a name between the check and the use. Whatever is wider is refused, never narrowed silently:
/// somebody may have read it already.
package struct ProtectedDirectory: ~Copyable {
    /// The most bytes that are read from one file; more would only be an attack on memory.
    package static let maximumFileByteCount = KeyFile.maximumByteCount
    private static let lockName = ".lock"

    /// The path as it was given, for messages.
    package let path: String
    let descriptor: Int32

    /// Opens the directory, and makes it (with its parents) if it is missing and `create` is set.
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
        do {
            let status = try fileStatus(descriptor, path: path)
            try checkOwnerAndMode(status, path: path, allowed: 0o700)
        } catch {
            // A hint like "chmod 0700 /etc" would break the system.
            let isOurs = ProtectedDirectory.isInUse(descriptor)
            close(descriptor)
            throw isOurs ? error : .notPrivate(path: path)
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The path of the file `name`, for messages.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Holds the directory's lock (flock on `.lock`) while `body` runs: what is read and then written in it
    /// is one step for every process that does the same.
    ///
    /// Gives up after 10 s: a process that holds it longer is stuck. On a file system that is read-only here,
    /// and perhaps not elsewhere, `body` runs too, and can only read.
    package func withLock<Result>(
        _ body: (borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        let lockPath = path(of: ProtectedDirectory.lockName)
        var lock = openat(
            descriptor, ProtectedDirectory.lockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if lock < 0, errno == EROFS {
            lock = openat(descriptor, ProtectedDirectory.lockName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            if lock < 0, errno == ENOENT { errno = EROFS }
        }
        guard lock >= 0 else {
            // Nothing is in it, so it need only go.
            throw errno == ELOOP
                ? FileError.notRegular(path: lockPath) : .system(errno, operation: "open", path: lockPath)
        }
        defer { close(lock) }
        try checkOwnerAndMode(fileStatus(lock, path: lockPath), path: lockPath, allowed: 0o600)
        var attempts = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FileError.system(errno, operation: "lock", path: lockPath)
            }
            attempts += 1
            // A pairing holds it for some milliseconds: quick at first, then every 10 ms, 10 s in all.
            guard attempts < 1095 else { throw FileError.locked(path: lockPath) }
            usleep(attempts <= 100 ? 500 : 10_000)
        }
        return try body(self)
    }

    /// Makes `path` and the parents that are missing, all 0700 as the XDG Base Directory Specification asks.
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

    /// Makes the entries of the directory `path` durable: a key in a directory that is gone after a power cut
    /// is lost. A parent that we may write but not read cannot be synchronized; that is no reason to stop.
    private static func synchronize(_ path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(errno, operation: "write", path: path) }
    }

    /// True if the directory holds a file of hubpair's.
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

/// What the kernel says of an open file.
func fileStatus(_ descriptor: Int32, path: String) throws(FileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
        throw .system(errno, operation: "look at", path: path)
    }
    return status
}

/// Refuses a file of another owner, or with a permission outside `allowed`.
func checkOwnerAndMode(_ status: stat, path: String, allowed: mode_t) throws(FileError) {
    guard status.st_uid == geteuid() else { throw .otherOwner(status.st_uid, path: path) }
    // A directory takes setgid from its parent, where it lets nobody in; chmod would not take it away.
    let mode = status.st_mode & (status.st_mode & S_IFMT == S_IFDIR ? 0o777 : 0o7777)
    guard mode & ~allowed == 0 else { throw .tooOpen(mode: mode, allowed: allowed, path: path) }
}
