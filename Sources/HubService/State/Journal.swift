package import FoundationEssentials
package import Household
import JSON
package import Pairing

/// The hub's journal: who was let in, refused and revoked, which codes were made, who changed what the
/// household keeps, and who switched what; a ``JournalEntry`` a line, in two files for each of its matters.
///
/// An entry is written in the step that it tells of, under the same lock, after the change itself, and one
/// of the household once the house has told the gate; so the
/// journal tells of nothing that did not happen. On a disk without room it is what is left out: a revocation
/// must not fail because of it. A file that is full becomes the older one, and the older one goes, so that
/// neither devices that come and go nor a script gone mad can fill the disk: 2 MiB, some 8,000 entries, of
/// each matter.
package struct Journal {
    /// An entry without its number.
    package struct Note: Equatable, Sendable {
        package var fact: JournalEntry.Fact
        package let author: JournalEntry.Author?
        package var door: JournalEntry.Door?
        package let time: Date
        /// Nil: it happened here.
        var origin: JournalEntry.Origin?

        package init(
            fact: JournalEntry.Fact, author: JournalEntry.Author?, door: JournalEntry.Door? = nil, time: Date
        ) {
            (self.fact, self.author, self.door, self.time) = (fact, author, door, time)
        }

        /// What a line of the journal tells.
        init(_ entry: JournalEntry) {
            (fact, author, door, time) = (entry.fact, entry.author, entry.door, entry.time)
            origin = entry.origin
        }

        /// As a line, which has no number yet.
        package var line: [UInt8] {
            JournalEntry(id: 0, time: time, fact, by: author, through: door).line
        }
    }

    /// The names of all files.
    package static let fileNames = JournalEntry.Matter.allCases.flatMap {
        [fileName(of: $0), olderFileName(of: $0)]
    }
    /// The size of a file in bytes from which on a new one is begun.
    static let maximumByteCount = 1 << 20
    /// Enough for the last whole line.
    private static let endByteCount = 4_096

    /// The matter that version 0.1 knows has the name without an addition.
    static func fileName(of matter: JournalEntry.Matter) -> String {
        matter == .access ? "journal" : "journal-\(matter.rawValue)"
    }

    static func olderFileName(of matter: JournalEntry.Matter) -> String { fileName(of: matter) + ".old" }

    /// Writes down what was decided about devices or codes. Call it inside `withLock`.
    ///
    /// - Parameter author: nil for the command line on the hub, and if a device came with a code.
    package static func note(
        _ facts: [JournalEntry.Fact], by author: JournalEntry.Author?, at time: Date,
        in directory: borrowing ProtectedDirectory
    ) {
        let notes = facts.map { fact in
            // These come from the device itself.
            let isOwn = fact.event == .paired || fact.event == .asked
            return Note(fact: fact, author: author, door: author == nil && !isOwn ? .hub : nil, time: time)
        }
        note(notes, in: directory)
    }

    /// Writes down what happened, if it can. Call it inside `withLock`.
    package static func note(_ notes: [Note], in directory: borrowing ProtectedDirectory) {
        do {
            try write(notes, in: directory)
        } catch {
            // See above; the keyfiles say how things stand.
        }
    }

    /// Writes down what happened. Call it inside `withLock`.
    package static func write(_ notes: [Note], in directory: borrowing ProtectedDirectory) throws {
        guard !notes.isEmpty else { return }
        var id = try lastID(in: directory)
        for matter in JournalEntry.Matter.allCases {
            var lines: [UInt8] = []
            for note in notes where note.fact.event.matter == matter {
                id += 1
                lines +=
                    JournalEntry(
                        id: id, time: note.time, note.fact, by: note.author, through: note.door,
                        from: note.origin
                    ).line
            }
            try append(lines, of: matter, in: directory)
        }
    }

    private static func append(
        _ lines: [UInt8], of matter: JournalEntry.Matter, in directory: borrowing ProtectedDirectory
    ) throws(FileError) {
        guard !lines.isEmpty else { return }
        let name = fileName(of: matter)
        if try directory.size(of: name) ?? 0 >= maximumByteCount {
            try directory.move(name, over: olderFileName(of: matter))
        }
        let end = try directory.end(of: name, count: 1)
        // A line that a crash has cut short stays by itself.
        let isWhole = end.isEmpty || end.last == UInt8(ascii: "\n")
        try directory.append(isWhole ? lines : [UInt8(ascii: "\n")] + lines, to: name)
    }

    /// The entries after the one with the number `after`, or the last ones; the oldest first.
    ///
    /// - Returns: at most `limit`, and whether there are more behind them.
    package static func entries(
        of matters: [JournalEntry.Matter], after: Int?, limit: Int,
        in directory: borrowing ProtectedDirectory
    ) throws(FileError) -> (entries: [JournalEntry], hasMore: Bool) {
        var entries: [JournalEntry] = []
        for matter in matters {
            let bytes = try directory.read(olderFileName(of: matter)) ?? []
            let newer = try directory.read(fileName(of: matter)) ?? []
            let lines = [bytes, newer].flatMap { $0.split(separator: UInt8(ascii: "\n")) }
            var count = 0
            // From the end, as far as needed: the file may be long, and mostly its end is asked for.
            for line in lines.reversed() {
                guard let entry = entry(line) else { continue }
                if let after, entry.id <= after { break }
                entries.append(entry)
                count += 1
                if after == nil, count == limit { break }
            }
        }
        entries.sort { $0.id < $1.id }
        return after == nil
            ? (entries.suffix(limit), false) : (Array(entries.prefix(limit)), entries.count > limit)
    }

    private static func entry(_ line: some Sequence<UInt8>) -> JournalEntry? {
        try? JSONReader.read(JournalEntry.self, from: Array(line))
    }

    /// The number of the last entry of all matters; 0 if there is none.
    private static func lastID(in directory: borrowing ProtectedDirectory) throws(FileError) -> Int {
        var id = 0
        for matter in JournalEntry.Matter.allCases { id = max(id, try lastID(of: matter, in: directory)) }
        return id
    }

    private static func lastID(
        of matter: JournalEntry.Matter, in directory: borrowing ProtectedDirectory
    ) throws(FileError) -> Int {
        func last(_ bytes: [UInt8]) -> Int? {
            bytes.split(separator: UInt8(ascii: "\n")).reversed().lazy.compactMap { entry($0)?.id }.first
        }
        let name = fileName(of: matter)
        if let id = last(try directory.end(of: name, count: endByteCount)) { return id }
        // The file was damaged, or has just been begun.
        if let id = last(try directory.read(name) ?? []) { return id }
        return last(try directory.read(olderFileName(of: matter)) ?? []) ?? 0
    }
}

/// Reads the journal of a hub.
package struct ReadJournal {
    /// The most entries that are read at a time.
    package static let maximumCount = 1_000

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// The entries after the one with the number `after`, or, without it, the last ones; the oldest first.
    ///
    /// - Parameter matters: what they are about.
    /// - Returns: at most `limit`, and whether there are more behind them.
    package func run(
        of matters: [JournalEntry.Matter] = JournalEntry.Matter.allCases, after: Int? = nil, limit: Int
    ) throws -> (entries: [JournalEntry], hasMore: Bool) {
        let directory = try state.open()
        guard try HubState.settings(in: directory) != nil else {
            throw HubError.notSetUp(directory: state.path)
        }
        return try Journal.entries(of: matters, after: after, limit: limit, in: directory)
    }
}

extension [JournalEntry.Fact] {
    /// What an owner's decision came to, from all devices before and after it.
    init(of devices: ApprovedDevices, before: ApprovedDevices) {
        self = []
        for device in devices.devices {
            if let earlier = before.device(device.pin) {
                append(contentsOf: [JournalEntry.Fact](of: device, before: earlier))
            } else if device.status == .approved {
                append(.init(.approved, device))
            }
        }
        // What was let in for one visit goes without a tombstone.
        for device in before.devices where device.status == .approved && devices.device(device.pin) == nil {
            append(.init(.revoked, device))
        }
    }

    /// The same of one device that was there before.
    private init(of device: ApprovedDevice, before: ApprovedDevice) {
        self = []
        if device.status != before.status {
            switch device.status {
            case .approved: append(.init(.approved, device))
            case .revoked: append(.init(before.status == .pending ? .refused : .revoked, device))
            case .pending: break
            }
        } else if device.expires != before.expires || device.approved != before.approved {
            append(.init(.approved, device))
        } else if device.role != before.role {
            append(.init(.role, device, before: before.role ?? Role.member.rawValue))
        }
        if device.name != before.name {
            append(.init(.renamed, device, before: before.name.description))
        }
    }
}

extension Journal.Note {
    /// What somebody did to something that the household keeps.
    package init(
        _ event: JournalEntry.Event, _ kind: HouseholdError.Kind, _ what: String,
        by author: JournalEntry.Author?, at time: Date
    ) {
        var fact = JournalEntry.Fact(event)
        (fact.kind, fact.what) = (kind.rawValue, shortened(what))
        self.init(fact: fact, author: author, door: author == nil ? .hub : author?.door, time: time)
    }
}
