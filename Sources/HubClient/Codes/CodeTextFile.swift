import Glibc
package import Identity
import Pairing
import QRCodes

/// A file with the text of a code was named where an image is meant; standard input takes such a text.
package struct CodeTextFile: UserError {
    private let file: String
    /// The command that reads it from standard input.
    private let command: String

    /// Nil if that is not the reason of `error`.
    ///
    /// - Parameter command: `scan` or `pair`; only `pair` takes a typed code.
    package init?(_ error: any Error, file: String, command: String) {
        guard case ImageError.notAnImage = error, file != "-",
            CodeTextFile.holdsCode(file, isTypedCodeMeant: command == "pair")
        else { return nil }
        self.file = file
        self.command = command
    }

    package var description: String { "the file is not an image, but the text of a code" }
    package var kind: UserErrorKind { .data }
    package var hint: String? { "standard input takes it: hubpair \(command) - < \(shellQuoted(file))" }

    private static func holdsCode(_ path: String, isTypedCodeMeant: Bool) -> Bool {
        var status = stat()
        // Only a regular file can be read a second time, and no code is longer.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 256,
            let bytes = try? InputFile.readWhole(path, limit: 256), let line = CodeContent.line(of: bytes)
        else { return false }
        if CodeContent(payload: line) != .other { return true }
        guard isTypedCodeMeant, case .typed? = try? ScannedCode(text: String(decoding: line, as: UTF8.self))
        else { return false }
        return true
    }
}
