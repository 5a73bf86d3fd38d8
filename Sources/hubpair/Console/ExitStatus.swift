import Identity

/// The exit codes, after sysexits.h. Thrown as an error it ends the program without a message: what was wrong
/// has been reported before. Never reaches a user as an error.
enum ExitStatus: Int32, Error {
    case done = 0
    /// A search that found nothing.
    case nothingFound = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    /// No daemon or no hub answers; or a library that is needed is not installed.
    case unavailable = 69
    case cannotWrite = 73
    case tryAgain = 75
    /// Not permitted, or not approved.
    case notPermitted = 77
    case badConfiguration = 78

    /// The exit code that the documentation promises for errors of this kind.
    init(_ kind: UserErrorKind) {
        self =
            switch kind {
            case .notFound: .nothingFound
            case .usage: .usage
            case .data: .badData
            case .noInput: .noInput
            case .unavailable: .unavailable
            case .cannotWrite: .cannotWrite
            case .tryAgain: .tryAgain
            case .notPermitted: .notPermitted
            case .configuration: .badConfiguration
            }
    }

    /// The exit code for `error`. An error of another library has no kind, and counts as bad data. Ours have
    /// one: `Tests/lint` is red for an error type that is no `UserError`, unless its docstring says why it
    /// never reaches a user.
    init(of error: any Error) {
        if let status = error as? ExitStatus {
            self = status
        } else if let error = error as? any UserError {
            self.init(error.kind)
        } else {
            self = .badData
        }
    }

    /// Of several statuses, the one that a script must know first.
    static func worst(of all: [ExitStatus]) -> ExitStatus {
        all.max { $0.rank < $1.rank } ?? .done
    }

    private var rank: Int {
        switch self {
        case .done: 0
        case .tryAgain: 1
        case .nothingFound: 2
        case .usage: 3
        case .noInput: 4
        case .badData: 5
        case .unavailable: 6
        case .cannotWrite: 7
        case .badConfiguration: 8
        case .notPermitted: 9
        }
    }
}
