import FoundationEssentials
package import Glibc

/// Why a protected file or its directory cannot be used.
package enum FileError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    /// There is nothing at this path.
    case missing(path: String)
    /// There is something at this path already.
    case exists(path: String)
    /// A symbolic link, which is never followed.
    case symbolicLink(path: String)
    /// A directory, device, socket or FIFO where a file should be.
    case notRegular(path: String)
    /// Owned by another user.
    case otherOwner(uid_t, path: String)
    /// Permissions that let others in.
    case tooOpen(mode: mode_t, allowed: mode_t, path: String)
    /// More bytes than `ProtectedDirectory.maximumFileByteCount`.
    case tooLarge(Int, path: String)
    /// Another process has held the lock for 10 s.
    case locked(path: String)
    /// What the system said (errno).
    case system(Int32, operation: String, path: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missing(let path): "\(path) does not exist"
        case .exists(let path): "\(path) exists already"
        case .symbolicLink(let path): "\(path) is a symbolic link"
        case .notRegular(let path): "\(path) is not a regular file"
        case .otherOwner(let uid, let path): "\(path) belongs to the user \(uid), not to you (\(geteuid()))"
        case .tooOpen(let mode, let allowed, let path):
            "\(path) has the mode \(octal(mode)), wider than \(octal(allowed)): others may have access"
        case .tooLarge(let count, let path):
            "\(path) has \(count) bytes, more than \(ProtectedDirectory.maximumFileByteCount)"
        case .locked(let path): "another process has held \(path) for 10 seconds"
        case .system(let code, let operation, let path):
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        }
    }

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it: where it can, the command that does.
    package var recoverySuggestion: String? {
        switch self {
        case .missing, .exists: nil
        case .symbolicLink: "name the place that it points to"
        case .notRegular(let path): "move it away: mv \(shellQuoted(path)) \(shellQuoted(path + ".moved"))"
        case .otherOwner(_, let path): "sudo chown \(geteuid()) \(shellQuoted(path)), or run as its owner"
        case .tooOpen(_, let allowed, let path): "chmod \(octal(allowed)) \(shellQuoted(path))"
        case .tooLarge: "this is no file of hubpair's; move it away"
        case .locked: "try again, and look for a hubpair that hangs: pgrep -a hubpair"
        case .system(EACCES, _, _), .system(EPERM, _, _): "run as the owner of the files"
        case .system(ENOSPC, _, _), .system(EDQUOT, _, _): "make room on the disk; nothing was lost"
        case .system(EROFS, _, _): "the disk is read-only; choose another directory"
        case .system: nil
        }
    }
}

private func octal(_ mode: mode_t) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// `path` as one word for a POSIX shell.
package func shellQuoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
    return isPlain && !path.isEmpty ? path : "'" + path.replacing("'", with: "'\\''") + "'"
}
