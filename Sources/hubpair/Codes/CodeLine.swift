import FoundationEssentials
import HubService
import Identity
import JSON
import Pairing

/// A row of `codes`: a code, or those of one sheet that are good and stand together.
struct CodeLine {
    /// At least one; several of one sheet.
    private let codes: [IssuedCode]
    private let first: IssuedCode

    private init(_ first: IssuedCode, _ more: ArraySlice<IssuedCode> = []) {
        self.first = first
        codes = [first] + more
    }

    /// The rows in the order of `codes`.
    ///
    /// - Parameter isEach: the good codes of a sheet each get a row.
    static func rows(_ codes: [IssuedCode], isEach: Bool) -> [CodeLine] {
        if isEach { return codes.map { CodeLine($0) } }
        var rows: [CodeLine] = []
        var sheets: Set<TicketID> = []
        let good = Dictionary(grouping: codes.filter { $0.status == .good }) { $0.ticket.place?.sheet }
        for code in codes {
            guard let sheet = code.ticket.place?.sheet, code.status == .good, let all = good[sheet],
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
            name, first.ticket.kind.rawValue, first.ticket.roleWord ?? "-", purpose,
            LocalTime(first.ticket.issued).text(seenAt: now),
            first.ticket.expires.map { LocalTime($0).text(seenAt: now) } ?? "-", status,
        ]
    }

    /// By which the row's codes are taken back.
    private var name: String {
        codes.count > 1 ? first.ticket.place.map { IssuedCode.name(of: $0.sheet) } ?? first.name : first.name
    }

    /// `code.png`, `terminal`, `labels.pdf 3/24`.
    private var purpose: String {
        let place =
            switch (first.ticket.output, file) {
            case (_, let file?): file.split(separator: "/").last.map(String.init) ?? file
            case (.terminal, nil): "terminal"
            case (nil, nil): "-"
            case (_, nil): "standard output"
            }
        guard let sheet = first.ticket.place else { return place }
        return codes.count > 1
            ? "\(place), sheet of \(sheet.count)" : "\(place) \(sheet.position)/\(sheet.count)"
    }

    private var file: String? {
        if case .file(let path) = first.ticket.output { path } else { nil }
    }

    /// `good`, `24 good`, `used by Anna's tablet`, `good, 2 wrong proofs`.
    private var status: String {
        let failures = codes.map(\.failures).reduce(0, +)
        let wrong = failures == 0 ? "" : ", \(failures) wrong \(failures == 1 ? "proof" : "proofs")"
        switch first.status {
        case .good: return (codes.count > 1 ? "\(codes.count) good" : "good") + wrong
        case .used:
            guard let use = first.uses.first else { return "used" }
            return "used by \(use.name) (\(use.device.fingerprint))"
        case .expired: return "expired" + wrong
        case .void: return "void" + wrong
        }
    }
}

extension Ticket {
    /// The role of the device that a code lets in; nil for a label, with which devices only ask.
    fileprivate var roleWord: String? { kind == .once ? role ?? Role.member.rawValue : nil }
}

extension IssuedCode {
    /// The line of `codes --json`; `status` is another for a code that was just taken back.
    func json(status word: String? = nil) -> JSONValue {
        let file: String? = if case .file(let path) = ticket.output { path } else { nil }
        let output: String? =
            switch ticket.output {
            case nil: nil
            case .terminal: "terminal"
            case .standardOutput: "standard output"
            case .file: "file"
            }
        return .object([
            "code": .string(name), "ticket": .string(ticket.id.description),
            "kind": .string(ticket.kind.rawValue), "status": .string(word ?? status.rawValue),
            "issued": .string(ticket.issued.timestamp), "expires": .text(ticket.expires?.timestamp),
            "output": .text(output), "file": .text(file),
            "sheet": .text(ticket.place?.sheet.description),
            "position": ticket.place.map { .integer(Int64($0.position)) } ?? .null,
            "role": .text(ticket.roleWord), "failures": .integer(Int64(failures)),
            "uses": .array(
                uses.map { use in
                    .object([
                        "device": .string(use.device.fingerprint.description),
                        "name": .string(use.name.description), "time": .string(use.used.wall.timestamp),
                    ])
                }),
        ])
    }
}
