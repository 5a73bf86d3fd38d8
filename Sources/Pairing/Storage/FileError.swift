#if os(Linux) && !HUBPAIR_PORTABLE
package import Glibc
package import Identity

/// Why a protected file or its directory cannot be used.
package enum FileError: Equatable, UserError {
    /// The path does not exist.
    case missing(path: String)
    /// The path exists already.
    case exists(path: String)
    /// The directory is a symbolic link, which is never followed.
    case symbolicLink(path: String)
    /// A file in the directory is a symbolic link, which is never followed.
    case linkedFile(path: String)
    /// A file where a directory should be.
    case notDirectory(path: String)
    /// A directory, device, socket or FIFO where a file should be.
    case notRegular(path: String)
    /// The directory belongs to this other user.
    case otherOwner(uid_t, path: String)
    /// The file belongs to this user, and not to the owner of its directory.
    case strayFile(uid_t, path: String, owner: uid_t)
    /// The mode grants more than the allowed permissions.
    case tooOpen(mode: mode_t, allowed: mode_t, path: String)
    /// A directory that others can use and that holds no file of hubpair's.
    case notPrivate(path: String)
    /// The file has this many bytes, more than `ProtectedDirectory.maximumFileByteCount`.
    case tooLarge(Int, path: String)
    /// The file is a copy of what the gates of a site share.
    case copy(path: String)
    /// Another process has held the lock for 10 s.
    case locked(path: String)
    /// A system call failed with this errno.
    case system(Int32, operation: String, path: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missing(let path): "\(path) does not exist"
        case .exists(let path): "\(path) exists already"
        case .symbolicLink(let path), .linkedFile(let path): "\(path) is a symbolic link"
        case .notDirectory(let path): "\(path) is not a directory"
        case .notRegular(let path): "\(path) is not a regular file"
        case .otherOwner(let uid, let path):
            "\(path) belongs to the user \(userName(uid)), not to you (\(userName(geteuid())))"
        case .strayFile(let uid, let path, let owner):
            "\(path) belongs to the user \(userName(uid)), and its directory to \(userName(owner))"
        case .tooOpen(let mode, let allowed, let path):
            "\(path) has the mode \(octal(mode)), wider than \(octal(allowed)): others may have access"
        case .notPrivate(let path): "\(path) is a directory that others use too"
        case .tooLarge(let count, let path):
            "\(path) has \(count) bytes, more than \(ProtectedDirectory.maximumFileByteCount)"
        case .copy(let path): "\(path) is a copy of what the gates of a site share"
        case .locked(let path): "another process has held \(path) for 10 seconds"
        case .system(let code, let operation, let path):
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        }
    }

    /// True if the disk is full or read-only: existing files can be read, and writing may work later.
    package var concernsDisk: Bool {
        switch self {
        case .system(ENOSPC, _, _), .system(EDQUOT, _, _), .system(EROFS, _, _): true
        default: false
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .missing: .noInput
        case .exists: .cannotWrite
        case .locked: .tryAgain
        case .copy: .notPermitted
        case .notDirectory, .notPrivate, .symbolicLink, .linkedFile, .notRegular, .otherOwner, .strayFile,
            .tooOpen, .tooLarge:
            .configuration
        case .system(EACCES, _, _), .system(EPERM, _, _): .notPermitted
        case .system(let code, _, _):
            [ENOSPC, EDQUOT, EROFS, EFBIG, EIO, EMLINK].contains(code) ? .cannotWrite : .configuration
        }
    }

    /// How to fix it, as a shell command where possible; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .missing, .exists: nil
        case .notDirectory: "name the directory that holds hubpair's files"
        case .symbolicLink: "name the place that it points to"
        case .linkedFile(let path):
            "put the file itself in its place: cp -p --remove-destination "
                + "\"$(readlink -f \(shellQuoted(path)))\" \(shellQuoted(path))"
        case .notRegular(let path): "move it away: mv \(shellQuoted(path)) \(shellQuoted(path + ".moved"))"
        // What a call with sudo has made in a person's directory. Another person would be locked out by it.
        case .otherOwner(0, let path): "sudo chown -hR \(shellWord(userName(geteuid()))) \(shellQuoted(path))"
        case .otherOwner(let uid, _): "run it as \(userName(uid)), or name a directory of your own"
        // Not to the user of this process: root would take the file from the service. And never through a
        // link, which the directory's owner can put in the file's place.
        case .strayFile(_, let path, let owner):
            "sudo chown -h \(shellWord(userName(owner))) \(shellQuoted(path))"
        case .tooOpen(_, let allowed, let path): "chmod \(octal(allowed)) \(shellQuoted(path))"
        case .notPrivate: "name a directory of your own; one that does not exist yet is made"
        case .tooLarge: "hubpair did not write this file; move it away"
        case .copy: "change it with 'hubpair devices' and 'hubpair codes'"
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
#endif
