import Glibc
import Identity

/// A result that could not be written.
struct OutputError: UserError {
    /// Why not.
    private enum Reason {
        /// The system's errno.
        case system(Int32)
        /// In words: it could be written, and that would do harm.
        case refusal(String)
    }

    /// Standard output, or the file's name.
    let name: String
    private let reason: Reason

    /// - Parameter code: errno.
    init(name: String, code: Int32) {
        self.name = name
        reason = .system(code)
    }

    init(name: String, refusal: String) {
        self.name = name
        reason = .refusal(refusal)
    }

    /// True if the reader of the output has closed it, as `head` does. That is no fault, and not reported.
    var isReaderGone: Bool {
        guard case .system(let code) = reason else { return false }
        return code == EPIPE
    }

    var description: String {
        switch reason {
        case .system(let code): "cannot write \(name): \(String(cString: strerror(code)))"
        case .refusal(let words): "\(name) is not written: \(words)"
        }
    }
    var kind: UserErrorKind { .cannotWrite }
    var hint: String? {
        switch reason {
        case .system(ENOSPC), .system(EDQUOT): "make room on the disk"
        case .system(ENOENT), .system(ENOTDIR): "make its directory first"
        case .system(EACCES), .system(EPERM), .system(EROFS), .system(EISDIR):
            "name a file in another place"
        case .system: nil
        case .refusal: "name a file in a directory of your own"
        }
    }
}
