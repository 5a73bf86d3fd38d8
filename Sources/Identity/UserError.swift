public import FoundationEssentials

/// An error that a person reads: what is wrong, how to mend it, and of what kind it is.
///
/// Each error that can reach the user conforms to it: an error that forgets its kind does not compile.
public protocol UserError: LocalizedError, CustomStringConvertible {
    /// What is wrong, in lower case, without a full stop. It may quote what others sent: escape it before it
    /// reaches a terminal.
    var description: String { get }
    /// How to mend it, mostly a command; nil if the description says all there is.
    var hint: String? { get }
    /// What a program does about it; the command's exit code follows from it alone.
    var kind: UserErrorKind { get }
}

extension UserError {
    /// The same as the description.
    public var errorDescription: String? { description }

    /// The same as the hint.
    public var recoverySuggestion: String? { hint }

    // Foundation's defaults for these two would make every file with an error import Foundation.
    /// Nothing: the description says it.
    public var failureReason: String? { nil }

    /// Nothing.
    public var helpAnchor: String? { nil }
}

/// What a program does about a `UserError`: one kind for each exit code of the command (sysexits.h). Its
/// words stand in the hub's answers to owners.
public enum UserErrorKind: String, Sendable {
    /// A search or a name without a match.
    case notFound = "not_found"
    /// The call itself is wrong: an option, a name, a value.
    case usage
    /// What was given can be read, and is not what it should be.
    case data
    /// The input is missing or cannot be read.
    case noInput = "no_input"
    /// Nothing answers, or what is needed is not installed.
    case unavailable
    /// The output or a file cannot be written.
    case cannotWrite = "cannot_write"
    /// The same call may succeed later.
    case tryAgain = "try_again"
    /// Not permitted by the system, or not approved by the hub; or a peer that is not the hub.
    case notPermitted = "not_permitted"
    /// A file of the configuration or the state is missing, has a fault, or is open to others.
    case configuration
}

/// What is wrong with any error: the description of ours, the words of another library's.
package func message(of error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}

/// What is wrong with any error, and how to mend it, in one line.
package func describing(_ error: any Error) -> String {
    let words = message(of: error)
    return (error as? any UserError)?.hint.map { "\(words); \($0)" } ?? words
}
