import JSON
import Pairing

/// What each gate of a site has told the others of its journal: they write it down in theirs, with the gate's
/// name and the number that it has there.
package struct JournalOfGates: Equatable, Sendable {
    /// Lines of a gate's journal, up to the entry with the number `last`.
    package struct Piece: Equatable, Sendable {
        let gate: String
        let last: Int
        let lines: [UInt8]
    }

    /// A site keeps so much of each gate, some 1,000 entries: a gate that was away for longer misses what is
    /// older.
    static let maximumPieceCount = 16
    /// Of one piece; 500 of them are one answer of etcd.
    static let maximumByteCount = 16_384
    /// The entries of one piece that are looked at.
    static let maximumEntryCount = 200

    /// Up to which revision of the site this is.
    var revision: Int64 = 0
    /// The last entry of other gates that is written down here.
    private(set) var taken: [String: Int] = [:]
    /// The pieces of this gate, by their last entry.
    private(set) var told: Set<Int> = []
    /// Up to which entry there is nothing to tell.
    private var looked = 0

    package init() {}

    /// - Parameter entries: what this gate's journal has.
    init(known entries: [JournalEntry]) {
        for case (let origin?) in entries.map(\.origin) {
            taken[origin.gate] = max(taken[origin.gate] ?? 0, origin.entry)
        }
    }

    /// Takes what has come.
    ///
    /// - Parameters:
    ///   - own: this gate.
    ///   - hosts: those of the gates that the site knows.
    /// - Returns: what is to be written down, the oldest first.
    mutating func take(_ pieces: [Piece], own: String, hosts: [String: String]) -> [Journal.Note] {
        var notes: [Journal.Note] = []
        for piece in pieces.sorted(by: { $0.last < $1.last }) {
            guard piece.gate != own else {
                told.insert(piece.last)
                continue
            }
            let host = shortened(hosts[piece.gate] ?? piece.gate)
            let lines = piece.lines.split(separator: UInt8(ascii: "\n"))
            for line in lines.prefix(JournalOfGates.maximumEntryCount) {
                guard let entry = try? JSONReader.read(JournalEntry.self, from: Array(line)),
                    entry.origin == nil, entry.id > taken[piece.gate] ?? 0, entry.id <= piece.last,
                    let origin = JournalEntry.Origin(gate: piece.gate, entry: entry.id, host: host)
                else { continue }
                taken[piece.gate] = entry.id
                var note = Journal.Note(entry)
                note.origin = origin
                notes.append(note)
            }
        }
        return notes.sorted { $0.time < $1.time }
    }

    /// After which entry of its own journal this gate has something to tell; nil: it has told nothing yet.
    var last: Int? { [looked, told.max() ?? 0].max().flatMap { $0 > 0 ? $0 : nil } }

    /// What this gate has to tell of the entries after ``last``, the oldest first.
    ///
    /// - Returns: nil if there is nothing.
    mutating func piece(of entries: [JournalEntry], own: String) -> Piece? {
        var lines: [UInt8] = []
        var last: Int?
        for entry in entries {
            if entry.origin == nil {
                let line = entry.line
                guard lines.isEmpty || lines.count + line.count <= JournalOfGates.maximumByteCount
                else { break }
                // What a hand has put there, and is longer than a piece, stays here.
                if line.count <= JournalOfGates.maximumByteCount { lines += line }
                last = entry.id
            } else if last == nil {
                looked = entry.id
            }
        }
        guard let last, !lines.isEmpty else { return nil }
        return Piece(gate: own, last: last, lines: lines)
    }

    /// - Returns: the pieces of this gate that go for it.
    func dropped() -> [Int] { Array(told.sorted().dropLast(JournalOfGates.maximumPieceCount - 1)) }

    /// This piece is told, and those that went for it are gone.
    mutating func note(_ piece: Piece, dropped: [Int]) {
        told.subtract(dropped)
        told.insert(piece.last)
        looked = max(looked, piece.last)
    }
}
