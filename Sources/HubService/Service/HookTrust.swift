import Glibc
package import Identity
import Pairing

/// Whether a hook is what the hub's owner has named: a program that nobody but root and the hub's own user
/// can change or exchange. Else whoever can would act as the hub, with its key.
///
/// The whole way to it counts, links included, as OpenSSH checks it (`StrictModes`). It is walked from the
/// root down, so at each step nobody else could have changed what the next one reads; and so nobody can
/// between this check and the start of the program, by the same path. In a directory with the sticky bit, as
/// `/tmp`, others may make files, but not take away those of the owners that are allowed here.
package enum HookTrust {
    /// As many as path_resolution(7) follows.
    private static let maximumLinks = 40
    private static let othersWrite: mode_t = 0o022

    /// - Parameters:
    ///   - path: absolute.
    ///   - user: the hub's own user.
    package static func check(_ path: String, user: UInt32) throws(HookError) {
        var rest = Array(path.split(separator: "/").map(String.init).reversed())
        var (seen, links) = ("", 0)
        try checkStep("/", try status("/"), user)
        while let name = rest.popLast() {
            guard name != "." else { continue }
            guard name != ".." else {
                seen = String(seen[..<(seen.lastIndex(of: "/") ?? seen.startIndex)])
                continue
            }
            let next = "\(seen)/\(name)"
            let status = try status(next)
            try checkStep(next, status, user)
            guard status.st_mode & S_IFMT == S_IFLNK else {
                seen = next
                continue
            }
            links += 1
            guard links <= maximumLinks, let target = target(ofLink: next) else {
                throw .system(ELOOP, path: next)
            }
            if target.hasPrefix("/") { seen = "" }
            rest += target.split(separator: "/").map(String.init).reversed()
        }
    }

    private static func status(_ path: String) throws(HookError) -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(errno, path: path) }
        return status
    }

    private static func checkStep(_ path: String, _ status: stat, _ user: UInt32) throws(HookError) {
        guard status.st_uid == 0 || status.st_uid == user else { throw .foreign(status.st_uid, path: path) }
        let kind = status.st_mode & S_IFMT
        // The mode of a link means nothing.
        guard kind != S_IFLNK, status.st_mode & othersWrite != 0 else { return }
        guard kind == S_IFDIR, status.st_mode & S_ISVTX != 0 else { throw .writable(path: path) }
    }

    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }
}

/// Why the hub does not run a hook.
package enum HookError: Equatable, UserError {
    /// Others can write to the program, or to a directory on the way to it.
    case writable(path: String)
    /// The program, or what is on the way to it, belongs to this user, who is neither root nor the hub's.
    case foreign(UInt32, path: String)
    /// It cannot be looked at; the errno.
    case system(Int32, path: String)

    package var description: String {
        switch self {
        case .writable(let path): "others can write to \(path), and so could act as the hub"
        case .foreign(let user, let path):
            "\(path) belongs to the user \(userName(user)), who could act as the hub"
        case .system(let code, let path): "\(path): \(String(cString: strerror(code)))"
        }
    }

    package var kind: UserErrorKind { .configuration }

    package var hint: String? {
        switch self {
        case .writable(let path): "chmod go-w \(shellQuoted(path))"
        case .foreign(_, let path): "sudo chown -h root \(shellQuoted(path))"
        case .system(ENOENT, _): "check the name; 'none' runs no program"
        case .system(EACCES, let path): "chmod +x \(shellQuoted(path))"
        case .system: nil
        }
    }
}
