import CSQLite
import Identity

/// Why the database cannot be used.
enum DatabaseError: Equatable, UserError {
    /// libsqlite3 cannot be loaded; the loader's words.
    case missingLibrary(String)
    /// SQLite's extended result code and its words.
    case failed(Int32, String)
    /// The file is not this user's alone: why.
    case notPrivate(String)
    /// The file was made by a newer hubpair.
    case newer
    /// It has been closed, or could not be opened before.
    case closed(String)
    /// libsqlite3 has no sessions, without which gates cannot share a house; the loader's words.
    case missingSessions(String)
    /// Gates share the house, and nothing can be written without the others: why.
    case alone(String)
    /// What another gate has changed does not fit this copy of their house; SQLite's code.
    case misfit(Int32)
    /// As ``alone(_:)``, and whether it was written is not known yet.
    case doubtful(String)

    /// True if the file is no sound database, and never will be again.
    var isBroken: Bool {
        guard case .failed(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
    }

    /// True if the disk is full.
    var isFull: Bool {
        guard case .failed(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_FULL
    }

    /// True without the other gates of a site, which share the house.
    var isAlone: Bool {
        switch self {
        case .alone, .misfit, .doubtful: true
        default: false
        }
    }

    /// What is wrong, in lower case, without a full stop.
    var description: String {
        switch self {
        case .missingLibrary(let words): "SQLite cannot be loaded: \(words)"
        case .failed(_, let words): "the database cannot be used: \(words)"
        case .notPrivate(let words): "the database cannot be used: \(words)"
        case .newer: "the database was made by a newer hubpair"
        case .closed(let words): words
        case .missingSessions(let words): "without sessions of SQLite's no house can be shared: \(words)"
        case .alone(let words): "the gates of the site share the house, and nothing was written: \(words)"
        case .misfit(let code): "what another gate has changed does not fit (SQLite's code \(code))"
        case .doubtful(let words):
            "the gates of the site share the house, and whether it was written is not known: \(words)"
        }
    }

    var kind: UserErrorKind {
        switch self {
        case .missingLibrary: .unavailable
        case .failed: isFull ? .cannotWrite : .unavailable
        case .notPrivate, .newer: .configuration
        case .closed, .missingSessions, .alone, .misfit, .doubtful: .unavailable
        }
    }

    var hint: String? {
        switch self {
        case .missingLibrary: "install it with 'sudo apt install libsqlite3-0'"
        case .newer: "install the newer hubpair again"
        case .failed: isFull ? "make room on the disk" : nil
        case .missingSessions: "use the libsqlite3 of Debian"
        case .notPrivate, .closed, .alone, .misfit, .doubtful: nil
        }
    }
}
