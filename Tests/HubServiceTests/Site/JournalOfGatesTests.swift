import FoundationEssentials
import Identity
import JSON
import Pairing
import TestSupport
import Testing

@testable import HubService

/// What etcd keeps.
private struct Site {
    private(set) var pieces: [(revision: Int64, piece: JournalOfGates.Piece)] = []
    private(set) var revision: Int64 = 0

    mutating func put(_ piece: JournalOfGates.Piece, dropping dropped: [Int]) {
        revision += 1
        pieces.removeAll { $0.piece.gate == piece.gate && dropped.contains($0.piece.last) }
        pieces.append((revision, piece))
    }
}

/// A gate's journal and what it knows of the others'.
private struct Gate {
    let name: String
    var entries: [JournalEntry] = []
    /// Nil after a fault or a restart.
    var journals: JournalOfGates?

    var own: [Int] { entries.filter { $0.origin == nil }.map(\.id) }

    func told(by gate: String) -> [Int] {
        entries.compactMap { $0.origin?.gate == gate ? $0.origin?.entry : nil }
    }

    mutating func write(_ note: Journal.Note) {
        entries.append(
            JournalEntry(
                id: entries.count + 1, time: note.time, note.fact, by: note.author, through: note.door,
                from: note.origin))
    }

    mutating func act(_ number: Int) {
        var fact = JournalEntry.Fact(.made)
        fact.what = String(repeating: "x", count: number % 200)
        write(Journal.Note(fact: fact, author: nil, time: Date(timeIntervalSince1970: Double(number))))
    }

    /// - Parameter breaks: true if the site goes away over it.
    mutating func exchange(_ site: inout Site, breaks: Bool) {
        var journals = journals ?? JournalOfGates(known: entries)
        self.journals = nil
        let fresh = site.pieces.filter { $0.revision > journals.revision }.map(\.piece)
        let notes = journals.take(fresh, own: name, hosts: ["gate-0": "north"])
        journals.revision = site.revision
        for note in notes { write(note) }
        if breaks { return }
        while let piece = journals.piece(of: after(journals.last), own: name) {
            #expect(piece.lines.count <= JournalOfGates.maximumByteCount)
            let dropped = journals.dropped()
            site.put(piece, dropping: dropped)
            #expect(site.pieces.count { $0.piece.gate == name } <= JournalOfGates.maximumPieceCount)
            journals.note(piece, dropped: dropped)
        }
        self.journals = journals
    }

    private func after(_ id: Int?) -> [JournalEntry] {
        let count = JournalOfGates.maximumEntryCount
        guard let id else { return entries.suffix(count) }
        return Array(entries.filter { $0.id > id }.prefix(count))
    }
}

@Suite struct JournalOfGatesTests {
    /// Whatever breaks in between: nothing twice, nothing lost, in its order.
    @Test(arguments: 0..<40) func gatesKnowEachOther(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var site = Site()
        var gates = (0..<Int.random(in: 2...4, using: &random)).map { Gate(name: "gate-\($0)") }
        // Before a gate joins it has told nobody: of that the last entries alone are told.
        for index in gates.indices { gates[index].exchange(&site, breaks: false) }
        for number in 0..<Int.random(in: 50...400, using: &random) {
            let index = Int.random(in: gates.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: gates[index].exchange(&site, breaks: false)
            case 1: gates[index].exchange(&site, breaks: true)
            case 2: gates[index].journals = nil
            default: for _ in 0..<Int.random(in: 1...3, using: &random) { gates[index].act(number) }
            }
        }
        for _ in 0..<2 {
            for index in gates.indices { gates[index].exchange(&site, breaks: false) }
        }
        for gate in gates {
            for other in gates where other.name != gate.name {
                #expect(gate.told(by: other.name) == other.own)
            }
            #expect(gate.told(by: gate.name).isEmpty)
        }
        let hosts = Set(gates[1].entries.compactMap { $0.origin }.filter { $0.gate == "gate-0" }.map(\.host))
        #expect(hosts.isSubset(of: ["north"]))
    }

    @Test func whatNoGateWritesIsNothing() {
        var gate = Gate(name: "here")
        gate.act(1)
        let line = gate.entries[0].line
        var foreign = Journal.Note(gate.entries[0])
        foreign.origin = JournalEntry.Origin(gate: "x", entry: 1, host: "x")
        #expect(foreign.origin != nil)
        gate.write(foreign)
        func pieces(_ lines: [UInt8], gate: String = "there", last: Int = 1) -> [JournalOfGates.Piece] {
            [JournalOfGates.Piece(gate: gate, last: last, lines: lines)]
        }
        for hostile in [
            pieces([]), pieces([0xFF, 0x0A, 0x00]), pieces(Array("{}\n".utf8)), pieces(line, last: 0),
            pieces(line, gate: ""), pieces(line, gate: "a/b"),
            pieces(line, gate: String(repeating: "g", count: 65)), pieces(gate.entries[1].line, last: 2),
            pieces(line).map { JournalOfGates.Piece(gate: "here", last: $0.last, lines: line) },
        ] {
            var journals = JournalOfGates()
            #expect(journals.take(hostile, own: "here", hosts: [:]).isEmpty)
        }
        var journals = JournalOfGates()
        let notes = journals.take(pieces(line + line), own: "here", hosts: ["there": "\u{1b}[2J"])
        #expect(notes.count == 1)
    }

    /// A site keeps so much of a gate and no more.
    @Test func whatIsToldEnds() {
        var gate = Gate(name: "gate")
        var site = Site()
        gate.exchange(&site, breaks: false)
        for number in 0..<1_000 {
            gate.act(number)
            gate.exchange(&site, breaks: number % 7 == 0)
            if number % 11 == 0 { gate.journals = nil }
        }
        #expect(site.revision > 500)
        #expect(site.pieces.count == JournalOfGates.maximumPieceCount)
        #expect(site.pieces.last?.piece.last == 1_000)
    }
}
