import Glibc
import Pairing
import QRCodes

/// A file that holds a code's text in the place of an image of it: standard input takes that, a file's name means an
/// image.
package enum CodeTextFile {
    /// - Parameter isTypedCodeMeant: a typed code counts, too.
    package static func isOne(_ path: String, isTypedCodeMeant: Bool) -> Bool {
        var status = stat()
        // What is no regular file has been read by now, and is longer than any code.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 256,
            let bytes = try? InputFile.readWhole(path, limit: 256), let line = CodeContent.line(of: bytes)
        else { return false }
        if CodeContent(payload: line) != .other { return true }
        guard isTypedCodeMeant, case .typed? = try? ScannedCode(text: String(decoding: line, as: UTF8.self))
        else { return false }
        return true
    }
}
