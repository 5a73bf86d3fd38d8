import Addresses
import FoundationEssentials
import HubService
import Identity
import Pairing

/// What is told of the codes beside a new one: which are good, which the new one replaces, and whether
/// anybody serves them.
struct CodeNotes {
    let now: Date
    /// The command that lists the codes.
    var command = "hubpair codes"

    /// The label that a new one is about to replace.
    static func label(in codes: [CodeRecord]) -> CodeRecord? {
        codes.first { $0.kind == .label && $0.status == .good }
    }

    /// Whom codes let in of which nobody has said it: nothing that is drawn tells. Nil if somebody has.
    ///
    /// - Parameter all: all codes that are out now.
    func standing(of new: [PairingCode], role: Role?, among all: [CodeRecord]) -> String? {
        guard role == nil, new.first?.kind == .once else { return nil }
        let subject = new.count == 1 ? "it lets in a member" : "they let in members"
        let owners = all.filter { $0.status == .good && $0.role == Role.owner.rawValue }
        guard let end = owners.compactMap(\.expires).max() else {
            return "\(subject); --role owner makes one for an owner"
        }
        return "\(subject); one for an owner is out until \(LocalTime(end).text(seenAt: now)), "
            + "--role owner makes another"
    }

    /// - Parameters:
    ///   - new: the codes that were made.
    ///   - all: all that are out now.
    ///   - label: the label before, if they replace it.
    ///   - file: where they were written, if a file was there before.
    func lines(
        new: [PairingCode], among all: [CodeRecord], label: CodeRecord?, replaced file: CodeOutput?
    ) -> [String] {
        let ids = Set(new.map(\.secret.ticketID.description))
        let others = all.filter { $0.status == .good && !ids.contains($0.ticket) }
        var lines: [String] = []
        if let label, !others.contains(label) {
            lines.append("the label of \(LocalTime(label.issued).text(seenAt: now)) is void now")
        }
        if case .file(let path)? = file {
            lines += replacement(others.filter { $0.file == path }, of: path)
        }
        let once = others.filter { $0.kind == .once }
        let last = once.compactMap(\.expires).max().map { LocalTime($0).text(seenAt: now) } ?? ""
        switch once.count {
        case 0: break
        case 1: lines.append("1 other code is good, until \(last); '\(command)' lists it")
        case let count:
            lines.append("\(count) other codes are good, the last until \(last); '\(command)' lists them")
        }
        return lines
    }

    /// What a file held that was replaced, and is still good: on paper, or in a copy.
    private func replacement(_ codes: [CodeRecord], of path: String) -> [String] {
        guard !codes.isEmpty else { return [] }
        let file = path.split(separator: "/").last ?? ""
        let end = codes.compactMap(\.expires).max()
        let until = end.map { " until \(LocalTime($0).text(seenAt: now))" } ?? ""
        let names = Set(codes.map { IssuedCode.name(ofID: $0.sheet ?? $0.ticket) }).sorted()
        // More names than anybody types are in the list.
        let void = "'\(command) void \(names.count > 8 ? "CODE …" : names.joined(separator: " "))'"
        let (subject, object) =
            codes.count == 1
            ? ("the code that it held is", "it") : ("the \(codes.count) codes that it held are", "them")
        return ["replaced \(file); \(subject) good\(until), \(void) takes \(object) back"]
    }

    /// A warning, if nobody serves on the hub's port.
    ///
    /// - Parameters:
    ///   - networks: this host's.
    ///   - start: the command after which somebody does.
    static func warning(
        _ hub: Hub, among networks: @autoclosure () -> [LocalNetwork], start: String
    ) -> String? {
        let port = hub.settings.port
        let served = ServedPort(port, listen: hub.settings.listen)
        guard served.isServed(among: networks()) == false else { return nil }
        return "warning: nothing serves on port \(port); the code works once it does: \(start)"
    }
}
