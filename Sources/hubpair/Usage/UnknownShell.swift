import ArgumentParser
import Identity

/// A completion script was asked for a shell that ArgumentParser has none for.
struct UnknownShell: Equatable, UserError {
    let name: String

    private static let option = "--generate-completion-script"

    /// Nil if none is asked for, or for a shell that is known.
    init?(in arguments: [String]) {
        guard let index = arguments.firstIndex(where: { $0.split(separator: "=").first ?? "" == Self.option })
        else { return nil }
        let words = arguments[index].split(separator: "=", maxSplits: 1).map(String.init)
        let value = words.count > 1 ? words[1] : arguments.dropFirst(index + 1).first
        // Without a value the script is for the shell in $SHELL.
        guard let value, CompletionShell(rawValue: value) == nil else { return nil }
        name = value
    }

    var description: String { "there is no completion script for \"\(name)\"" }
    var kind: UserErrorKind { .usage }
    var hint: String? {
        "give one of \(CompletionShell.allCases.map(\.rawValue).sorted().joined(separator: ", "))"
    }
}
