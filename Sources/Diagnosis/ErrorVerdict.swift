import FoundationEssentials
import Glibc
import Pairing

extension Finding.Verdict {
    /// A problem in the words of the error; what this user may not look at is no problem of the hub's.
    init(_ error: any Error) {
        let words = (error as? any UserError)?.description ?? foreignDescription(of: error)
        let mend = (error as? any UserError)?.hint
        if case FileError.system(let code, _, _) = error, code == EACCES || code == EPERM {
            self = .skipped(words, mend: mend)
        } else {
            self = .problem(words, mend: mend)
        }
    }
}
