import FoundationEssentials
import JSON
package import Pairing

/// The hub's journal: who was let in, refused and revoked, and which codes were made, in two files with a
/// ``JournalEntry`` a line.
///
/// An entry is written in the step that it tells of, under the same lock, after the change itself; so the
/// journal tells of nothing that did not happen. On a disk without room it is what is left out: a revocation
/// must not fail because of it. A file that is full becomes the older one, and the older one goes, so that
/// neither devices that come and go nor a script gone mad can fill the disk: 2 MiB, some 8,000 entries.
package struct Journal {
    package static let fileName = "journal"
    package static let olderFileName = "journal.old"
    /// The size of a file in bytes from which on a new one is begun.
    static let maximumByteCount = 1 << 20
    /// Enough for the last whole line.
    private static let endByteCount = 4_096

    /// Writes down what happened. Call it inside `withLock`.
    static func note(
        _ facts: [JournalEntry.Fact], by author: JournalEntry.Author?, at time: Date,
        in directory: borrowing ProtectedDirectory
    ) {
        guard !facts.isEmpty else { return }
        do {
            if try directory.size(of: fileName) ?? 0 >= maximumByteCount {
                try directory.move(fileName, over: olderFileName)
            }
            let end = try directory.end(of: fileName, count: endByteCount)
            var id = try lastID(in: directory, end: end)
            // A line that a crash has cut short stays by itself.
            var bytes: [UInt8] = end.isEmpty || end.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
            for fact in facts {
                id += 1
                bytes += JournalEntry(id: id, time: time, fact, by: author).line
            }
            try directory.append(bytes, to: fileName)
        } catch {
            // See above; the keyfiles say how things stand.
        }
    }

    /// The entries after the one with the number `after`, or the last ones; the oldest first.
    ///
    /// - Returns: at most `limit`, and whether there are more behind them.
    static func entries(
        after: Int?, limit: Int, in directory: borrowing ProtectedDirectory
    ) throws(FileError) -> (entries: [JournalEntry], hasMore: Bool) {
        let bytes = try directory.read(olderFileName) ?? []
        let newer = try directory.read(fileName) ?? []
        let lines = [bytes, newer].flatMap { $0.split(separator: UInt8(ascii: "\n")) }
        var entries: [JournalEntry] = []
        // From the end, as far as needed: the file may be long, and mostly its end is asked for.
        for line in lines.reversed() {
            guard let entry = entry(line) else { continue }
            if let after, entry.id <= after { break }
            entries.append(entry)
            if after == nil, entries.count == limit { break }
        }
        entries.reverse()
        return (Array(entries.prefix(limit)), entries.count > limit)
    }

    private static func entry(_ line: some Sequence<UInt8>) -> JournalEntry? {
        try? JSONReader.read(JournalEntry.self, from: Array(line))
    }

    /// The number of the last entry; 0 if there is none.
    private static func lastID(
        in directory: borrowing ProtectedDirectory, end: [UInt8]
    ) throws(FileError) -> Int {
        func last(_ bytes: [UInt8]) -> Int? {
            bytes.split(separator: UInt8(ascii: "\n")).reversed().lazy.compactMap { entry($0)?.id }.first
        }
        if let id = last(end) { return id }
        // The file was damaged, or has just been begun.
        if let id = last(try directory.read(fileName) ?? []) { return id }
        return last(try directory.read(olderFileName) ?? []) ?? 0
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
    /// - Returns: at most `limit`, and whether there are more behind them.
    package func run(after: Int? = nil, limit: Int) throws -> (entries: [JournalEntry], hasMore: Bool) {
        let directory = try state.open()
        guard try HubState.settings(in: directory) != nil else {
            throw HubError.notSetUp(directory: state.path)
        }
        return try Journal.entries(after: after, limit: limit, in: directory)
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
