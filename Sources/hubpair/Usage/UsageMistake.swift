import ArgumentParser
import Identity

/// Arguments that parse, and cannot be meant so.
struct UsageMistake: Equatable, UserError {
    let description: String
    let hint: String?
    var kind: UserErrorKind { .usage }

    init(_ description: String, hint: String) {
        self.description = description
        self.hint = hint
    }

    /// With the command line that was meant as the hint.
    ///
    /// - Parameter type: the command that `command` names.
    init(
        _ description: String, meant command: [String], _ rest: [String], of type: any ParsableCommand.Type
    ) {
        self.init(description, hint: SuggestedLine(command, rest, of: type).description)
    }
}
