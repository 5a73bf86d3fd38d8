package import Identity

/// Why a backup cannot be read, or not be restored. Nothing has changed then.
package enum BackupError: Equatable, UserError {
    /// Not a file of age for a passphrase.
    case foreign
    /// A later version of age's format.
    case newer
    /// It takes more work than any program asks for; log2 of scrypt's N.
    case tooMuchWork(Int)
    /// The system does not give the memory that the passphrase's key takes.
    case noMemory(mebibytes: Int)
    /// The passphrase opens nothing.
    case wrongPassphrase
    /// The passphrase is right, and the rest is not what was written.
    case damaged
    /// It could be decrypted, and is not a hub's backup; what is wrong, in words.
    case notHub(String)
    /// There is a hub, or a part of one, in the state directory.
    case hubExists(directory: String)

    package var description: String {
        switch self {
        case .foreign: "not a backup of a hub: it is not an age file with a passphrase"
        case .newer: "the backup is of a later version of the age format"
        case .tooMuchWork(let work):
            "opening it takes 2^\(work) rounds of scrypt, more than the limit of 2^20"
        case .noMemory(let mebibytes): "opening it takes \(mebibytes) MiB of memory, more than there is"
        case .wrongPassphrase: "the passphrase is not that of this backup, or the backup is damaged"
        case .damaged: "the backup is damaged"
        case .notHub(let words): "not a backup of a hub: \(words)"
        case .hubExists(let directory): "a hub is set up in \(directory)"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .foreign, .newer, .tooMuchWork, .wrongPassphrase, .damaged, .notHub: .data
        case .noMemory: .tryAgain
        case .hubExists: .cannotWrite
        }
    }

    package var hint: String? {
        switch self {
        case .foreign, .notHub: "name a file that 'hubpair hub backup FILE' has written"
        case .newer: "a newer hubpair may read it"
        case .tooMuchWork: "hubpair did not write this file"
        case .noMemory: "close other programs, or open it on a larger machine"
        case .wrongPassphrase: "it was shown once, when the backup was made: six groups of four characters"
        case .damaged: "take another copy of it"
        case .hubExists: "--replace puts the backup in its place, and voids all codes; --state names another"
        }
    }
}
