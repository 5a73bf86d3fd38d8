import ArgumentParser
import FoundationEssentials
import Identity
import JSON
import Pairing

/// `hubpair hub journal`: who did what, through which door, and when.
struct HubJournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show who did what: let in, revoked, changed, switched; and when.",
        discussion: """
            The journal goes back some thousand entries of each kind: who was let in and revoked (access), \
            who changed rooms, scenes, rules and web services, and armed the house (house), who switched \
            what and ran scenes (orders). Orders of one device to one appliance within a minute are one \
            line with their number. It has no secrets in it.

            VIA is the door: a program of a device (gate), the page, the command line on the hub (hub), a \
            scene's time (timer) or an alarm. What goes through a proxy that only asks the hub who is there \
            ('verify') is not in it. GATE is the host of another gate of the hub's site, which tells what \
            happened there once a minute.

            EXAMPLES:
              hubpair hub journal
              hubpair hub journal --list orders
              hubpair hub journal --limit 1000 --json
              hubpair hub journal --on 'Kitchen hub'
            """)

    @Option(
        help: ArgumentHelp("Only these entries. (default: all)", valueName: "kind"))
    var list: Matters?

    /// What entries are about.
    enum Matters: String, ExpressibleByArgument, CaseIterable {
        case access, house, orders, all

        var matters: [JournalEntry.Matter] {
            switch self {
            case .access: [.access]
            case .house: [.house]
            case .orders: [.orders]
            case .all: JournalEntry.Matter.allCases
            }
        }
    }

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
            try await $0.journal(of: (list ?? .all).matters, after: after, limit: limit)
        }
        if json { return try JSONLine.write(entries.map(\.json)) }
        if entries.isEmpty { Console.note("the journal has no such entry yet") }
        let now = Date()
        let isOfSite = entries.contains { $0.origin != nil }
        try Table(
            columns: ["TIME", "WHAT", "BY", "VIA"] + (isOfSite ? ["GATE"] : []),
            rows: entries.map { entry in
                [
                    LocalTime(entry.time).text(seenAt: now), entry.words,
                    entry.author.map { "\($0.name)" } ?? "-", entry.door?.rawValue ?? "-",
                ] + (isOfSite ? [entry.origin.map { shortened($0.host) } ?? "-"] : [])
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
        case .changed where fact.kind == JournalEntry.serviceKind && fact.name != nil:
            let service = fact.what ?? "-"
            return fact.state == .boolean(true)
                ? "\(device) may use \(service)" : "\(device) may not use \(service) any more"
        case .made, .changed, .removed:
            let people = fact.role.flatMap(Role.init(rawValue:)).map { ", for \($0.andAbove)" } ?? ""
            return "the \(kept) was \(fact.event.rawValue)\(people)"
        case .armed: return "the house was armed as in the scene \(fact.what ?? "-")"
        case .disarmed: return "the house was disarmed"
        case .order: return ordered
        case .request:
            return "\(fact.what ?? "a request") was sent" + (count > 1 ? ", \(count) times" : "")
        case .sceneRun: return "the scene \(fact.what ?? "-") ran" + (count > 1 ? ", \(count) times" : "")
        }
    }

    private var kept: String { [fact.kind, fact.what].compactMap(\.self).joined(separator: " ") }

    /// `Desk lamp: On/Off to on`, `Desk lamp: Brightness to 0.4, 12 times`, `31 other orders`.
    private var ordered: String {
        let ids = [fact.appliance, fact.activator].compactMap(\.self)
        let times = fact.count.map { $0 == 1 ? "" : ", \($0) times" } ?? ""
        guard let what = fact.what ?? (ids.isEmpty ? nil : ids.joined(separator: "/")) else {
            return "\(fact.count ?? 1) other orders"
        }
        let state = fact.state.map { state in
            if case .boolean(let isOn) = state { isOn ? "on" : "off" } else { state.text }
        }
        return what + (state.map { " to \($0)" } ?? "") + times
    }
}
