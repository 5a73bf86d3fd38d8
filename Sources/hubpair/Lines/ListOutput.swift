import Discovery
import FoundationEssentials
import HubClient
import Identity

/// The output of `list`: on a terminal a table that is redrawn in its place, else one at the end; JSON, and
/// the changes of `--watch`, line by line.
struct ListOutput {
    /// Strangers can announce a thousand faulty services; more warnings than this would hide the table.
    private static let maximumWarnings = 16
    /// The most hubs that are shown as gone.
    private static let maximumGone = 16
    /// The most hubs of which `--explain` says one by one how they are.
    private static let maximumExplained = 16
    /// The most impostors that are remembered as named.
    private static let maximumAccused = 1_024

    private let json: Bool
    private let watches: Bool
    private let isLive: Bool
    private var screen = LiveLines()
    private var rows: [HubRow] = []
    /// Hubs that have gone while a live table is watched, the last of them, and when.
    private var gone: [(hub: AssessedHub, time: Date)] = []
    /// How far the sweep over all addresses is: a line below the table, or alone without a live table.
    private var progress: String?
    private var progressLine = ProgressLine()
    private var warned: Set<String> = []
    private var accused: Set<AssessedHub.Accusation> = []
    private var hasHeader = false

    init(json: Bool, watches: Bool) {
        self.json = json
        self.watches = watches
        isLive = !json && Console.outputKnowsEscapes
    }

    mutating func show(_ event: SearchState.Event) throws {
        switch event {
        case .unusable(let text):
            guard warned.count <= ListOutput.maximumWarnings, warned.insert(text).inserted else { return }
            try warn(
                warned.count > ListOutput.maximumWarnings ? "there is more of this kind" : text)
        case .incomplete(let text): try warn(text)
        case .note(let text):
            try screen.clear()
            Console.note(text)
        case .wait(let wait, let time):
            let limit = wait.until.map { ", until \(Int($0 / .milliseconds(1))) ms" } ?? ""
            try screen.clear()
            Console.note("\(Int(time / .milliseconds(1))) ms: waits for \(wait.what)\(limit)")
        case .table(let table):
            guard isLive else { return }
            rows = table.sorted.map { HubRow($0) }
            gone.removeAll { gone in table.contains(gone.hub) }
            rows += gone.map { HubRow($0.hub, goneSince: $0.time) }
            try redraw()
        case .added(let hub): try line(hub, event: "added")
        case .changed(let hub): try line(hub, event: "changed")
        case .removed(let hub):
            guard watches else { return }
            if isLive { gone.append((hub: hub, time: Date())) }
            if gone.count > ListOutput.maximumGone { gone.removeFirst() }
            try line(hub, event: "removed")
        case .progress(let done, let total): try show(done: done, total: total)
        case .over(let hubs): try finish(hubs)
        }
    }

    /// The end of the search: the whole table, and warnings of impostors.
    private mutating func finish(_ hubs: [AssessedHub]) throws {
        try show(done: 1, total: 1)
        if isLive { try screen.clear() }
        if isLive || (!json && !watches) { try HubRow.table(hubs.map { HubRow($0) }).write() }
        rows = []
        for hub in hubs where hub.standing == .impostor { try accuse(hub) }
        for side in SideDoor.all(among: hubs).prefix(ListOutput.maximumWarnings) {
            Console.note(
                "warning: \(side.door.hub.name) at \(HubRow(side.door).bestAddress) has the address of "
                    + "\(side.hub.hub.name): is it the server behind that hub, it is open to everybody here")
            Console.note(
                "hint: let that server listen on 127.0.0.1 alone, or close its port; the hub reaches it all "
                    + "the same")
        }
        let claimed = hubs.filter { $0.standing != .impostor }.compactMap(\.hub.id)
        for (id, count) in Dictionary(claimed.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 {
            Console.note("warning: \(count) hubs announce the id \(id); at most one of them is that hub")
        }
    }

    /// Says how each hub is and by whom it was found; of many of the first, before all of those that do not
    /// answer.
    static func explain(_ hubs: [AssessedHub]) {
        let silent = hubs.filter { $0.answers == false }
        let all = silent + hubs.filter { $0.answers != false }
        for found in all.prefix(maximumExplained) {
            let state =
                switch found.answers {
                case true: "accepts connections"
                case false: "does not accept connections"
                default: "was not connected to"
                }
            let ways = DiscoveredHub.Source.allCases.filter(found.hub.sources.contains).map(\.rawValue)
            Console.note(
                "\(found.hub.name) at \(HubRow(found).bestAddress): \(state), found after "
                    + "\(Int(found.hub.firstSeen / .milliseconds(1))) ms by \(ways.joined(separator: ", "))")
        }
        let rest = all.dropFirst(maximumExplained)
        guard !rest.isEmpty else { return }
        let (open, closed) = (rest.count { $0.answers == true }, rest.count { $0.answers == false })
        Console.note(
            "\(rest.count) more hubs: \(open) accept connections, \(closed) do not, "
                + "\(rest.count - open - closed) were not connected to")
    }

    private mutating func warn(_ text: String) throws {
        try screen.clear()
        Console.note("warning: \(text)")
        if isLive, !rows.isEmpty { try redraw() }
    }

    private mutating func line(_ hub: AssessedHub, event: String) throws {
        if watches, hub.standing == .impostor, event != "removed" { try accuse(hub) }
        if json { return try JSONLine.write(hub.json(event: watches ? event : nil)) }
        guard watches, !isLive else { return }
        if !hasHeader { try Console.output(ListOutput.column("") + HubRow.headerLine) }
        hasHeader = true
        try Console.output(ListOutput.column(event) + HubRow(hub).line)
    }

    /// The event of a line, as its first column.
    private static func column(_ event: String) -> String {
        event + String(repeating: " ", count: max(0, 9 - event.utf8.count))
    }

    /// Warns of an impostor, once.
    private mutating func accuse(_ hub: AssessedHub) throws {
        if accused.count >= ListOutput.maximumAccused { accused = [] }
        guard accused.insert(hub.accusation).inserted else { return }
        let what =
            hub.bearsKnownID
            ? "the id of a hub that you paired with, but holds another key"
            : "the name of a hub that you paired with, but is another one"
        try warn(
            "\(hub.hub.name) at \(HubRow(hub).bestAddress) has \(what); "
                + "do not pair with it before you know why")
    }

    private mutating func redraw() throws {
        let lines = HubRow.table(rows).lines(within: Console.size.columns - 1)
        try screen.show(lines, footer: progress)
    }

    private mutating func show(done: Int, total: Int) throws {
        let text = done < total ? "trying every address " + ProgressLine.bar(done, of: total) : nil
        guard text != progress else { return }
        progress = text
        if isLive { return try redraw() }
        // Standard output is not a live table: the bar stands alone on standard error.
        if let text { progressLine.show(text) } else { progressLine.clear() }
    }
}

extension AssessedHub {
    /// Identifies a warning, which is given only once.
    struct Accusation: Hashable {
        let name: String
        let id: Fingerprint?
        let pin: Pin?
    }

    var accusation: Accusation { Accusation(name: hub.name, id: hub.id, pin: hub.pin) }
}
