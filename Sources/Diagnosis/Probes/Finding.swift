import Glibc
import HubClient
import Identity
import Pairing

/// What one check of the doctor came to.
package struct Finding: Equatable, Sendable {
    /// How it stands with what was checked; the raw value is what scripts read.
    package enum Status: String, Sendable, CaseIterable {
        case ok
        /// It works, but not as it should, or not for everybody.
        case warning
        /// Something does not work, or is not protected.
        case problem
        /// It could not be checked, or there is nothing to check.
        case skipped
    }

    /// What was seen, and what mends it.
    package struct Verdict: Equatable, Sendable {
        package let status: Status
        /// In lower case, without a full stop. It may hold names of strangers: escape it before you print.
        package let seen: String
        /// One line; nil if there is nothing to do.
        package let mend: String?

        package static func ok(_ seen: String) -> Verdict { Verdict(status: .ok, seen: seen, mend: nil) }
        package static func warning(_ seen: String, mend: String?) -> Verdict {
            Verdict(status: .warning, seen: seen, mend: mend)
        }
        package static func problem(_ seen: String, mend: String?) -> Verdict {
            Verdict(status: .problem, seen: seen, mend: mend)
        }
        package static func skipped(_ seen: String, mend: String? = nil) -> Verdict {
            Verdict(status: .skipped, seen: seen, mend: mend)
        }
    }

    /// The check's stable name.
    package let check: String
    package let tried: String
    package let verdict: Verdict

    package init(check: String, tried: String, verdict: Verdict) {
        (self.check, self.tried, self.verdict) = (check, tried, verdict)
    }
}

/// One thing that the doctor looks at.
package struct DiagnosisCheck: Sendable {
    /// The stable name: lower case, digits and hyphens.
    package let id: String
    /// What it tries, in words.
    package let tried: String
    /// The longest that it may take; then what hangs is left behind, and the finding says so.
    package let deadline: Duration
    private let look: @Sendable () async throws -> Finding.Verdict

    package init(
        _ id: String, tried: String, deadline: Duration = .seconds(5),
        look: @escaping @Sendable () async throws -> Finding.Verdict
    ) {
        (self.id, self.tried, self.deadline, self.look) = (id, tried, deadline, look)
    }

    /// Looks. An error that is thrown is a problem, in its own words.
    package func run() async -> Finding {
        let verdict = await Deadline(in: deadline).runOrLeave { [look] in
            do {
                return try await look()
            } catch {
                return Finding.Verdict(error)
            }
        }
        // What takes so long does not work: only who interrupts it has not looked.
        let none: Finding.Verdict =
            Task.isCancelled
            ? .skipped("interrupted", mend: "try again")
            : .problem("no result within \(deadline.words)", mend: "try again")
        return Finding(check: id, tried: tried, verdict: verdict ?? none)
    }
}

extension Finding.Verdict {
    /// A problem in the error's own words; skipped if this user may not look.
    init(_ error: any Error) {
        let words = message(of: error)
        let mend = (error as? any UserError)?.hint
        if case FileError.system(let code, _, _) = error, code == EACCES || code == EPERM {
            self = .skipped(words, mend: mend)
        } else {
            self = .problem(words, mend: mend)
        }
    }
}
