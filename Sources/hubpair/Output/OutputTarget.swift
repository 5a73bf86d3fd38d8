// The compiler says that struct stat is CoreFoundation's or Glibc's, as it loads them; headers alone.
import CoreFoundation
import Glibc

/// An open descriptor, closed when its owner goes.
struct OwnedDescriptor: ~Copyable {
    let number: Int32

    /// Takes the result of open(2) or its like; if it is negative, errno is thrown.
    init(_ number: Int32, name: String) throws(OutputError) {
        guard number >= 0 else { throw OutputError(name: name, code: errno) }
        self.number = number
    }

    deinit { close(number) }

    func status(name: String) throws(OutputError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw OutputError(name: name, code: errno) }
        return status
    }
}

/// What a name given with `--output` or `--explain` stands for.
///
/// A regular file, or nothing yet: then a new file takes the name. A symbolic link is followed to what it
/// names. A pipe or a character device (`/dev/null`, a terminal) is written in place, and so are
/// `/dev/stdout`, `/dev/stderr`, `/dev/fd/N` and `/proc/self/fd/N`, which mean a descriptor that is open
/// already: a shell's `>(…)` is one.
///
/// Refused: a link or a pipe of another user, or in a directory where others may write (a sticky `/tmp` too:
/// the first to put it there would decide where the secret goes); a link of another user on the way; block
/// devices and sockets. The kernel refuses some of these by itself if `fs.protected_symlinks` is set
/// (proc_sys_fs(5)), which is not so in every container.
///
/// Every step is examined through a descriptor (O_PATH, O_NOFOLLOW), and the next one taken from there:
/// nothing can be exchanged between the check and the use.
struct OutputTarget: ~Copyable {
    /// The directory of `name`; without one the target itself, open for writing.
    let descriptor: OwnedDescriptor
    /// The name that a new file takes.
    let name: String?

    private init(_ descriptor: consuming OwnedDescriptor, name: String?) {
        self.descriptor = descriptor
        self.name = name
    }

    /// O_PATH, the same on x86, ARM and RISC-V (asm-generic/fcntl.h); Swift does not see it, as <fcntl.h> has
    /// it only with _GNU_SOURCE.
    private static let pathOnly: Int32 = 0o10_000_000

    /// The most links that are followed, as many as the kernel does (path_resolution(7)).
    private static let linkLimit = 40

    /// Finds the target of `path`.
    ///
    /// - Parameter replacesLinks: true for a name that the user has not given: a link there is replaced.
    static func find(_ path: String, replacesLinks: Bool) throws(OutputError) -> OutputTarget {
        if let number = openDescriptor(in: path) {
            let access = fcntl(number, F_GETFL)
            guard access >= 0, access & O_ACCMODE != O_RDONLY else {
                throw OutputError(name: path, code: EBADF)
            }
            return OutputTarget(try OwnedDescriptor(fcntl(number, F_DUPFD_CLOEXEC, 3), name: path), name: nil)
        }
        var rest = OutputTarget.parts(path)
        var directory = try OutputTarget.start(path, name: path)
        var linkCount = 0
        while let part = rest.popLast() {
            let isLast = rest.isEmpty
            if part.isEmpty || part == "." {
                guard !isLast else { throw OutputError(name: path, code: EISDIR) }
                continue
            }
            let number = openat(directory.number, part, pathOnly | O_NOFOLLOW | O_CLOEXEC)
            if number < 0, errno == ENOENT, isLast { return OutputTarget(directory, name: part) }
            let entry = try OwnedDescriptor(number, name: path)
            let status = try entry.status(name: path)
            let kind = status.st_mode & S_IFMT
            switch kind {
            case S_IFDIR:
                guard !isLast else { throw OutputError(name: path, code: EISDIR) }
                directory = entry
            case S_IFLNK where isLast && replacesLinks, S_IFREG where isLast:
                return OutputTarget(directory, name: part)
            case S_IFLNK:
                try check(status, in: directory, isLast: isLast, name: path, what: "a symbolic link")
                linkCount += 1
                guard linkCount <= linkLimit else { throw OutputError(name: path, code: ELOOP) }
                let destination = try read(link: entry, name: path)
                if destination.hasPrefix("/") { directory = try start(destination, name: path) }
                rest += OutputTarget.parts(destination)
            case _ where !isLast: throw OutputError(name: path, code: ENOTDIR)
            case _ where replacesLinks: return OutputTarget(directory, name: part)
            case S_IFIFO, S_IFCHR:
                // The null device keeps nothing, so its owner does not matter: in a user namespace it has
                // none.
                if !(kind == S_IFCHR && status.st_rdev == nullDevice) {
                    let what = kind == S_IFIFO ? "a pipe" : "a character device"
                    try check(status, in: directory, isLast: true, name: path, what: what)
                }
                // Through the descriptor: the entry that was examined is the one that is opened.
                let open = Glibc.open("/proc/self/fd/\(entry.number)", O_WRONLY | O_NOCTTY | O_CLOEXEC)
                return OutputTarget(try OwnedDescriptor(open, name: path), name: nil)
            case S_IFSOCK: throw OutputError(name: path, refusal: "it is a socket")
            default: throw OutputError(name: path, refusal: "it is a block device")
            }
        }
        throw OutputError(name: path, code: ENOENT)
    }

    /// The number of an open descriptor that a path names.
    private static func openDescriptor(in path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            for start in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(start) {
                let digits = path.dropFirst(start.count)
                guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
                return Int32(digits)
            }
            return nil
        }
    }

    /// The root or the current directory.
    private static func start(_ path: String, name: String) throws(OutputError) -> OwnedDescriptor {
        let flags = pathOnly | O_DIRECTORY | O_CLOEXEC
        return try OwnedDescriptor(open(path.hasPrefix("/") ? "/" : ".", flags), name: name)
    }

    /// The parts of a path, the last first. An empty one at the front is the slash that it begins with.
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).reversed().map(String.init)
    }

    /// Where a link leads. The kernel's own links in /proc are not paths, and are found not to exist.
    private static func read(
        link: borrowing OwnedDescriptor, name: String
    ) throws(OutputError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(link.number, "", &buffer, buffer.count)
        guard count >= 0 else { throw OutputError(name: name, code: errno) }
        let bytes = buffer.prefix(count).map(UInt8.init(bitPattern:))
        guard count > 0, let text = String(validating: bytes, as: UTF8.self) else {
            throw OutputError(name: name, refusal: "it is a link to a name that is not UTF-8")
        }
        return text
    }

    /// The owner of an entry, and whether other users may put another in its place.
    private static func check(
        _ status: stat, in directory: borrowing OwnedDescriptor, isLast: Bool, name: String, what: String
    ) throws(OutputError) {
        let place = isLast ? "it is" : "on the way to it is"
        guard isTrusted(status.st_uid) else {
            throw OutputError(name: name, refusal: "\(place) \(what) of another user's")
        }
        guard isLast else { return }
        let parent = try directory.status(name: name)
        // A group of the user's own, by Debian's convention, has the user's number.
        let othersMayWrite =
            !isTrusted(parent.st_uid) || parent.st_mode & 0o002 != 0
            || (parent.st_mode & 0o020 != 0 && parent.st_gid != geteuid())
        guard !othersMayWrite else {
            throw OutputError(name: name, refusal: "it is \(what) in a directory where others may write")
        }
    }

    private static func isTrusted(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }

    /// `/dev/null`: 1, 3 (Linux, devices.txt).
    private static let nullDevice: dev_t = 0x103
}
