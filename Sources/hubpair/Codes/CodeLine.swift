import FoundationEssentials
import Identity
import Pairing

/// A row of `codes`: a code, or those of one sheet that are good and stand together.
struct CodeLine {
    /// At least one; several of one sheet.
    private let codes: [CodeRecord]
    private let first: CodeRecord

    private init(_ first: CodeRecord, _ more: ArraySlice<CodeRecord> = []) {
        self.first = first
        codes = [first] + more
    }

    /// The rows in the order of `codes`.
    ///
    /// - Parameter isEach: the good codes of a sheet each get a row.
    static func rows(_ codes: [CodeRecord], isEach: Bool) -> [CodeLine] {
        if isEach { return codes.map { CodeLine($0) } }
        var rows: [CodeLine] = []
        var sheets: Set<String> = []
        let good = Dictionary(grouping: codes.filter { $0.status == .good }, by: \.sheet)
        for code in codes {
            guard let sheet = code.sheet, code.status == .good, let all = good[sheet],
                let first = all.first, all.count > 1
            else {
                rows.append(CodeLine(code))
                continue
            }
            if sheets.insert(sheet).inserted { rows.append(CodeLine(first, all.dropFirst())) }
        }
        return rows
    }

    static let titles = ["CODE", "KIND", "ROLE", "FOR", "MADE", "EXPIRES", "STATUS"]

    /// The cells below `titles`.
    func cells(seenAt now: Date) -> [String] {
        [
            name, first.kind.rawValue, standing(seenAt: now), purpose,
            LocalTime(first.issued).text(seenAt: now),
            first.expires.map { LocalTime($0).text(seenAt: now) } ?? "-", status,
        ]
    }

    /// `member`, `guest for 2d`.
    private func standing(seenAt now: Date) -> String {
        guard let role = first.role else { return "-" }
        return first.stay.cell(seenAt: now).map { "\(role) \($0)" } ?? role
    }

    /// By which the row's codes are taken back.
    private var name: String {
        codes.count > 1 ? first.sheet.map(IssuedCode.name(ofID:)) ?? first.name : first.name
    }

    /// `code.png`, `terminal`, `labels.pdf 3/24`.
    private var purpose: String {
        let place =
            switch first.output {
            case .file?: first.file.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? "-"
            case .terminal?: "terminal"
            case .standardOutput?: "standard output"
            case nil: "-"
            }
        guard let size = first.sheetSize, let position = first.position else { return place }
        return codes.count > 1 ? "\(place), sheet of \(size)" : "\(place) \(position)/\(size)"
    }

    /// `good`, `24 good`, `used by Anna's tablet`, `good, 2 wrong proofs`.
    private var status: String {
        let failures = codes.map(\.failures).reduce(0, +)
        let wrong = failures == 0 ? "" : ", \(failures) wrong \(failures == 1 ? "proof" : "proofs")"
        switch first.status {
        case .good: return (codes.count > 1 ? "\(codes.count) good" : "good") + wrong
        case .used:
            guard let use = first.uses.first else { return "used" }
            return "used by \(use.name) (\(use.device))"
        case .expired: return "expired" + wrong
        case .void: return "void" + wrong
        }
    }
}
