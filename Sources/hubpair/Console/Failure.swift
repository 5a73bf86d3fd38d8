import Glibc
import Identity

/// An error that is told to the user, and that nothing else looks at.
struct Failure: UserError {
    let kind: UserErrorKind
    let description: String
    let hint: String?

    init(_ kind: UserErrorKind, _ description: String, hint: String? = nil) {
        (self.kind, self.description, self.hint) = (kind, description, hint)
    }

    /// What the system says of it.
    static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
