import FoundationEssentials
import HubClient
import Identity
import Pairing
import QRCodes

/// A file with the text of a code was named where an image is meant.
struct CodeTextInFile: UserError {
    private let file: String
    /// The command that reads it from standard input.
    private let command: String

    /// Nil if that is not the reason of `error`.
    init?(_ error: any Error, file: String, command: String) {
        guard case ImageError.notAnImage = error, file != "-",
            CodeTextFile.isOne(file, isTypedCodeMeant: command == "pair")
        else { return nil }
        self.file = file
        self.command = command
    }

    var description: String { "the file is not an image, but the text of a code" }
    var kind: UserErrorKind { .data }
    var hint: String? { "standard input takes it: hubpair \(command) - < \(shellQuoted(file))" }
}
