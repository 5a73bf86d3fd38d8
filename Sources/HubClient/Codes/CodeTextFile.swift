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
        guard CodeTextFile.text(of: file, instead: error) != nil else { return nil }
        self.file = file
    }

    package var description: String { "the file is not an image, but the text of a code" }
    package var kind: UserErrorKind { .data }
    package var hint: String? { "standard input takes it: hubpair scan - < \(shellQuoted(file))" }

    /// What the file holds, if that can only be a code, scanned or typed; nil if `error` has another reason.
    static func text(of path: String, instead error: any Error) -> String? {
        guard case ImageError.notAnImage = error, path != "-" else { return nil }
        var status = stat()
        // Only a regular file can be read a second time, and no code is longer.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 512,
            let bytes = try? InputFile.readWhole(path, limit: 512), let text = CodeContent.text(of: bytes)
        else { return nil }
        return switch BroughtCode(text) {
        case .pairing, .unusable, .typed: text
        case .mistyped, .other: BroughtCode.mayBeSecret(text) ? text : nil
        }
    }
}
