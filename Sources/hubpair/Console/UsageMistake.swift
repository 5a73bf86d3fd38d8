import Identity

/// Arguments that cannot be meant so, and what is meant.
struct UsageMistake: Equatable, UserError {
    let description: String
    let hint: String?
    var kind: UserErrorKind { .usage }

    init(_ description: String, hint: String) {
        self.description = description
        self.hint = hint
    }
}
