import Glibc
package import Identity
import Pairing
import QRCodes

/// A file with the text of a code, where an image is meant. `pair` reads it; `scan`, which says what images
/// hold, says how it is given.
package struct CodeTextFile: UserError {
    private let file: String

    /// Nil if that is not the reason of `error`.
    package init?(_ error: any Error, file: String) {
        guard let line = CodeTextFile.line(of: file, instead: error), CodeContent(payload: line) != .other
        else { return nil }
        self.file = file
    }

    package var description: String { "the file is not an image, but the text of a code" }
    package var kind: UserErrorKind { .data }
    package var hint: String? { "standard input takes it: hubpair scan - < \(shellQuoted(file))" }

    /// What the file holds, if that can only be a code, scanned or typed; nil if `error` has another reason.
    static func text(of file: String, instead error: any Error) -> String? {
        guard let line = line(of: file, instead: error) else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        return CodeContent(payload: line) != .other || TypedCode.isSuspected(in: text) ? text : nil
    }

    /// The one line of the file, if it is no image and holds nothing else.
    private static func line(of path: String, instead error: any Error) -> [UInt8]? {
        guard case ImageError.notAnImage = error, path != "-" else { return nil }
        var status = stat()
        // Only a regular file can be read a second time, and no code is longer.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 256,
            let bytes = try? InputFile.readWhole(path, limit: 256)
        else { return nil }
        return CodeContent.line(of: bytes)
    }
}
