import FoundationEssentials
import Glibc

/// A file for a drawing, which holds a secret: 0600, and whole or not there.
///
/// The bytes are written beside the target first and put in its place only by `commit`, so that a full disk
/// or a missing directory shows before the hub has replaced a label, and the file that was there survives.
/// A device, a pipe or a symbolic link is written in place, by `commit`.
struct OutputFile: ~Copyable {
    private let path: String
    private let bytes: [UInt8]
    /// The file beside the target, until it has been renamed.
    private var temporary: String?
    /// The target, opened, if it is written in place.
    private var descriptor: Int32 = -1

    /// Prepares `bytes` to become the file at `path`.
    ///
    /// - Parameter inPlace: false for a name that nobody asked for: whatever bears it is then replaced, so that a
    ///   link that somebody else has put there leads no secret away.
    init(_ bytes: [UInt8], at path: String, inPlace: Bool = true) throws(OutputError) {
        self.path = path
        self.bytes = bytes
        var status = stat()
        let exists = lstat(path, &status) == 0
        if inPlace, exists, status.st_mode & S_IFMT != S_IFREG {
            descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
            guard descriptor >= 0 else { throw OutputError(name: path, code: errno) }
            return
        }
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let temporary = "\(path[..<slash]).hubpair-\(getpid()).new"
        unlink(temporary)  // of a process of this number that was killed
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw OutputError(name: path, code: errno) }
        self.temporary = temporary
        defer { close(file) }
        try Console.write(bytes, to: file, name: path)
        guard fchmod(file, 0o600) == 0, fsync(file) == 0 else { throw OutputError(name: path, code: errno) }
    }

    deinit {
        if let temporary { unlink(temporary) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Puts the bytes in their place.
    mutating func commit() throws(OutputError) {
        if let temporary {
            guard rename(temporary, path) == 0 else { throw OutputError(name: path, code: errno) }
            self.temporary = nil
        } else {
            try Console.write(bytes, to: descriptor, name: path)
        }
    }
}

/// A result that could not be written.
struct OutputError: Error, LocalizedError, CustomStringConvertible {
    /// Standard output, or the file's name.
    let name: String
    /// errno.
    let code: Int32

    /// True if whoever read the output has read enough, as `head` does. That is no fault, and nothing to say.
    var isReaderGone: Bool { code == EPIPE }

    var description: String { "cannot write \(name): \(String(cString: strerror(code)))" }
    var errorDescription: String? { description }
    var recoverySuggestion: String? {
        switch code {
        case ENOSPC, EDQUOT: "make room on the disk"
        case ENOENT, ENOTDIR: "make its directory first"
        case EACCES, EPERM, EROFS, EISDIR: "choose another place with --output"
        default: nil
        }
    }
}
