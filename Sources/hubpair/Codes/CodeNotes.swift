import FoundationEssentials
import HubService
import Identity
import Pairing

/// What is told of the codes beside a new one: which are good, which the new one replaces, and whether
/// anybody serves them.
struct CodeNotes {
    let state: HubState
    let now: Date

    /// The label that a new one is about to replace.
    func label() -> IssuedCode? { codes().first { $0.ticket.kind == .label && $0.status == .good } }

    /// - Parameters:
    ///   - new: the codes that were made.
    ///   - label: the label before, if they replace it.
    ///   - file: where they were written, if a file was there before.
    func lines(new: [PairingCode], label: IssuedCode?, replaced file: CodeOutput?) -> [String] {
        let ids = Set(new.map(\.secret.ticketID))
        let others = codes().filter { $0.status == .good && !ids.contains($0.ticket.id) }
        var lines: [String] = []
        if let label, !others.contains(label) {
            lines.append("the label of \(LocalTime(label.ticket.issued).text(seenAt: now)) is void now")
        }
        lines += replacement(others.filter { $0.ticket.output == file && file != nil })
        let once = others.filter { $0.ticket.kind == .once }
        let last = once.compactMap(\.ticket.expires).max().map { LocalTime($0).text(seenAt: now) } ?? ""
        switch once.count {
        case 0: break
        case 1: lines.append("1 other code is good, until \(last); 'hubpair codes' lists it")
        case let count:
            lines.append("\(count) other codes are good, the last until \(last); 'hubpair codes' lists them")
        }
        return lines
    }

    /// What a file held that was replaced, and is still good: on paper, or in a copy.
    private func replacement(_ codes: [IssuedCode]) -> [String] {
        guard let first = codes.first, case .file(let path) = first.ticket.output else { return [] }
        let file = path.split(separator: "/").last ?? ""
        let end = codes.compactMap(\.ticket.expires).max()
        let until = end.map { " until \(LocalTime($0).text(seenAt: now))" } ?? ""
        let names = Set(codes.map { IssuedCode.name(of: $0.ticket.place?.sheet ?? $0.ticket.id) })
        let void = "'hubpair codes void \(names.sorted().joined(separator: " "))'"
        let (subject, object) =
            codes.count == 1
            ? ("the code that it held is", "it") : ("the \(codes.count) codes that it held are", "them")
        return ["replaced \(file); \(subject) good\(until), \(void) takes \(object) back"]
    }

    /// A warning, if nobody serves on the hub's port.
    func warning(_ hub: Hub) -> String? {
        let port = hub.settings.port
        guard ServedPort(port, listen: hub.settings.listen).isServed == false else { return nil }
        let start = StartCommands(state).start
        return "warning: nothing serves on port \(port); the code works once it does: \(start)"
    }

    /// A fault of the files has been told by then, or nothing was lost by it.
    private func codes() -> [IssuedCode] { (try? AdministerCodes(state: state).list()) ?? [] }
}
