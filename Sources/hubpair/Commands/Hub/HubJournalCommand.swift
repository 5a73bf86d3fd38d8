import ArgumentParser
import FoundationEssentials
import Identity
import Pairing

/// `hubpair hub journal`: what became of devices and codes, by whom, and when.
struct HubJournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show who was let in, refused and revoked, by whom, and when.",
        discussion: """
            The journal goes back some thousand entries. It has no secrets in it.

            EXAMPLES:
              hubpair hub journal
              hubpair hub journal --limit 1000 --json
              hubpair hub journal --on 'Kitchen hub'
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most entries, 1 to 1000, the last ones. (default: 100)", valueName: "count"),
        transform: countValue(1...1_000, like: 100))
    var limit = 100

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The entries after the one with this number.", valueName: "id"),
        transform: countValue(0...Int.max, like: 120))
    var after: Int?

    @OptionGroup var place: HubPlaceOption
    @Flag(help: .json) var json = false

    func run() async throws {
        let (entries, hasMore) = try await place.hub.acting {
            try await $0.journal(after: after, limit: limit)
        }
        if json { return try JSONLine.write(entries.map(\.json)) }
        if entries.isEmpty { Console.note("the journal has no such entry yet") }
        let now = Date()
        try Table(
            columns: ["TIME", "WHAT", "BY"],
            rows: entries.map { entry in
                [
                    LocalTime(entry.time).text(seenAt: now), entry.words,
                    entry.author.map { "\($0.name)" } ?? "-",
                ]
            }
        ).write()
        if hasMore, let last = entries.last { Console.note("there are more: --after \(last.id)") }
    }
}

extension JournalEntry {
    /// What happened, in words.
    fileprivate var words: String {
        let device = [fact.name.map(\.description), fact.device.map { "(\($0))" }].compactMap(\.self)
            .joined(separator: " ")
        let standing = fact.role.map { " as \(Role(rawValue: $0)?.words ?? $0)" } ?? ""
        let end = fact.expires.map { ", until \($0.timestamp)" } ?? ""
        let count = fact.count ?? 1
        let what = count > 1 ? "\(count) codes" : fact.kind == "label" ? "the label" : "the code"
        let codes = what + (fact.code.map { " \($0)" } ?? "")
        switch fact.event {
        case .paired:
            return "\(device) was let in\(standing)\(fact.code.map { " by the code \($0)" } ?? "")\(end)"
        case .asked: return "\(device) asks for approval"
        case .approved: return "\(device) was approved\(standing)\(end)"
        case .refused: return "\(device) was refused"
        case .revoked: return "\(device) was revoked"
        case .role:
            return
                "\(device) is \(fact.role.flatMap(Role.init(rawValue:))?.words ?? fact.role ?? "-"), and was "
                + (fact.before.flatMap(Role.init(rawValue:))?.words ?? fact.before ?? "-")
        case .renamed: return "\(device) was called \(fact.before ?? "-")"
        case .codeMade: return "\(codes) \(count > 1 ? "were" : "was") made\(standing)\(end)"
        case .codeVoid: return "\(codes) became void"
        }
    }
}
