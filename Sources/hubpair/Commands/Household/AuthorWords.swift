import FoundationEssentials
import Household
import Identity
import JSON

/// Who made a room, a scene or a rule, and who changed it last.
extension Authors {
    /// The title of ``cell``.
    static let title = "SAVED"

    /// The last of them, for a table: `today 08:10 by Anna`; empty if nobody noted it.
    var cell: String { last.map { $0.words } ?? "" }

    /// `made 2026-11-21 10:22 by Anna, changed today 08:10 by Ben`; nil if nobody noted it.
    var words: String? {
        let parts = [made.map { "made \($0.words)" }, changed.map { "changed \($0.words)" }]
            .compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension AuthorMark {
    fileprivate var words: String { "\(LocalTime(time).text(seenAt: Date())) by \(name)" }
}
