import Crypto
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

/// How the keys of a site's hubs follow each other, and when the gates go over.
@Suite struct SiteKeysTests {
    private static let time = Date(timeIntervalSince1970: 1_795_000_000)
    /// The keys of two hubs, the latest last.
    private static let keys = (0..<5).map { _ in P256.Signing.PrivateKey() }
    private static let other = P256.Signing.PrivateKey()

    private static func pin(_ number: Int) -> Pin { Pin(keys[number].publicKey) }

    private static func statement(_ old: Int, _ new: Int, serial: UInt32 = 1) throws -> KeyStatement {
        try KeyStatement(serial: serial, until: time + 86_400, old: keys[old], new: keys[new])
    }

    private static func gate(_ key: Pin, next: Pin? = nil) throws -> SiteGates.Gate {
        SiteGates.Gate(SiteHub(name: try PeerName("Hub"), pin: key, ways: []), next: next)
    }

    private static func gates(_ all: [String: SiteGates.Gate]) -> SiteGates {
        var gates = SiteGates()
        for (id, gate) in all { _ = gates.note(id, gate) }
        return gates
    }

    @Test func theFileKeepsWhatItHas() throws {
        var keys = SiteKeys()
        keys.note(try SiteKeysTests.statement(0, 1), .prepared(term: .seconds(90 * 86_400)))
        keys.note(try SiteKeysTests.statement(2, 3), .changed(SiteKeysTests.time))
        keys.note(try SiteKeysTests.statement(3, 4), .cancelled(SiteKeysTests.time))
        var read = try SiteKeys(parsing: keys.serialized)
        #expect(read == keys && read.changes == keys.changes)
        #expect(read.prepared(after: SiteKeysTests.pin(0))?.term == .seconds(90 * 86_400))
        // Each stage takes the place of the one before.
        read.note(try SiteKeysTests.statement(0, 1), .changed(SiteKeysTests.time))
        read = try SiteKeys(parsing: read.serialized)
        #expect(read.prepared(after: SiteKeysTests.pin(0)) == nil)
        #expect(read.path(from: SiteKeysTests.pin(0)).map(\.new) == [SiteKeysTests.pin(1)])
        #expect(read.changes.count == 3 && read.isCancelled(SiteKeysTests.pin(4)))
    }

    @Test func onlyTheOldKeysWordCounts() throws {
        var keys = SiteKeys()
        let good = try SiteKeysTests.statement(0, 1)
        keys.note(good, .changed(SiteKeysTests.time))
        let text = String(decoding: keys.serialized, as: UTF8.self)
        let statement = Data(good.bytes).base64EncodedString()
        // A foreign key in the place of the new one, or of the old: nobody has signed that.
        for index in [20, 60, 100, 200] {
            var bytes = good.bytes
            bytes[index] ^= 1
            let forged = text.replacing(statement, with: Data(bytes).base64EncodedString())
            #expect(forged != text)
            #expect(throws: KeyFileError.self) { try SiteKeys(parsing: Array(forged.utf8)) }
        }
        // One that is good, and names another key than the group.
        let another = Data(try SiteKeysTests.statement(0, 2).bytes).base64EncodedString()
        for (from, to) in [
            (statement, another), ("changed=", "cancelled=2026-11-30T08:00:00Z\nchanged="),
            ("changed=", "altered="), ("changed=2", "term=1\n#"), ("[key ", "[keys "),
            ("format=1", "format=2"),
        ] {
            let bad = text.replacing(from, with: to)
            #expect(bad != text)
            #expect(throws: KeyFileError.self) { try SiteKeys(parsing: Array(bad.utf8)) }
        }
    }

    @Test func aPathLeadsToTheKeyThatCounts() throws {
        var keys = SiteKeys()
        let first = try SiteKeysTests.statement(0, 1)
        let second = try SiteKeysTests.statement(1, 2, serial: 2)
        keys.add([first, second], at: SiteKeysTests.time)
        #expect(keys.path(from: SiteKeysTests.pin(0)) == [first, second])
        #expect(keys.path(from: SiteKeysTests.pin(2)) == [])
        #expect(keys.root(of: SiteKeysTests.pin(2)) == SiteKeysTests.pin(0))
        // What somebody puts back does not lead away: the higher number counts.
        keys.note(try SiteKeysTests.statement(1, 3, serial: 1), .changed(SiteKeysTests.time))
        #expect(keys.path(from: SiteKeysTests.pin(0)).last == second)
        // Even in a circle there is an end.
        keys.note(try SiteKeysTests.statement(2, 0, serial: 3), .changed(SiteKeysTests.time))
        #expect(keys.path(from: SiteKeysTests.pin(0)).count <= keys.changes.count)
        _ = keys.root(of: SiteKeysTests.pin(0))
    }

    @Test func thereIsABound() throws {
        var keys = SiteKeys()
        let old = P256.Signing.PrivateKey()
        for serial in 1...UInt32(SiteKeys.maximumCount + 1) {
            keys.note(
                try KeyStatement(
                    serial: serial, until: SiteKeysTests.time, old: old, new: P256.Signing.PrivateKey()),
                .cancelled(SiteKeysTests.time))
        }
        let read = try SiteKeys(parsing: keys.serialized)
        #expect(read.changes.count == SiteKeys.maximumCount && read.changes.first?.statement.serial == 2)
    }

    /// Which gates are missing, for what each says of itself.
    @Test func nobodyGoesOverBeforeAllCan() throws {
        let (old, new, foreign) = (
            SiteKeysTests.pin(0), SiteKeysTests.pin(1), Pin(SiteKeysTests.other.publicKey)
        )
        var keys = SiteKeys()
        let statement = try SiteKeysTests.statement(0, 1)
        keys.note(statement, .prepared(term: .seconds(3_600)))
        func missing(_ all: [String: SiteGates.Gate], _ listed: [String]) -> [String]? {
            let plan = SiteKeyPlan(old, keys, SiteKeysTests.gates(all), listed: listed)
            guard case .prepared(statement, _, let missing) = plan else { return nil }
            return missing
        }
        let ready = try SiteKeysTests.gate(old, next: new)
        let (slow, wing) = (try SiteKeysTests.gate(old), try SiteKeysTests.gate(foreign))
        #expect(missing(["A": ready, "B": ready], ["A", "B"]) == [])
        #expect(missing(["A": ready, "B": slow], ["A", "B"]) == ["B"])
        // One that never served may be one of this hub; another hub's is not.
        #expect(missing(["A": ready], ["A", "B"]) == ["B"])
        #expect(missing(["A": ready, "W": wing], ["A", "W"]) == [])
        // One that was taken out is not waited for.
        #expect(missing(["A": ready, "B": slow], ["A"]) == [])
        // It has another key, as one from a forged file would.
        #expect(missing(["A": ready, "B": try SiteKeysTests.gate(old, next: foreign)], ["A", "B"]) == ["B"])
        // etcd was put back, and one has gone over already.
        #expect(missing(["A": ready, "B": try SiteKeysTests.gate(new)], ["A", "B"]) == [])
        // The other hub has nothing to do with it, and nothing is prepared for it.
        let all = SiteKeysTests.gates(["A": ready, "W": wing])
        #expect(SiteKeyPlan(foreign, keys, all, listed: ["A", "W"]) == .none)
        #expect(SiteKeyPlan.besides("A", old, keys, all, listed: ["A", "W", "X"]) == ["X"])
        keys.note(statement, .changed(SiteKeysTests.time))
        #expect(SiteKeyPlan(old, keys, all, listed: []) == .changed([statement]))
        #expect(SiteKeyPlan(new, keys, all, listed: []) == .none)
        keys.note(statement, .cancelled(SiteKeysTests.time))
        #expect(SiteKeyPlan(old, keys, all, listed: []) == .none)
    }

    /// What devices are told of the hubs: the key that counts, with what names it, and none that is prepared.
    @Test func devicesAreToldOfTheKeyThatCounts() throws {
        let (old, new) = (SiteKeysTests.pin(0), SiteKeysTests.pin(1))
        let gates = SiteKeysTests.gates([
            "A": try SiteKeysTests.gate(new), "B": try SiteKeysTests.gate(old, next: new),
        ])
        let statement = try SiteKeysTests.statement(0, 1)
        var keys = SiteKeys()
        keys.note(statement, .prepared(term: .seconds(3_600)))
        #expect(Set(gates.hubs(keys).map(\.pin)) == [old, new])
        #expect(gates.hubs(keys).allSatisfy { $0.statement == nil })
        keys.note(statement, .changed(SiteKeysTests.time))
        let hubs = gates.hubs(keys)
        #expect(hubs.map(\.pin) == [new] && hubs[0].statement == statement)
        let read = try SiteHub.list(parsing: SiteHub.answer(hubs))
        #expect(read == hubs)
        // One that names another key is left out, and so is one with a fault.
        for bytes in [try SiteKeysTests.statement(0, 2).bytes, [UInt8](repeating: 7, count: 206)] {
            let answer = String(decoding: SiteHub.answer(hubs), as: UTF8.self).replacing(
                Base64URL.encode(statement.bytes), with: Base64URL.encode(bytes))
            let read = try SiteHub.list(parsing: Array(answer.utf8))
            #expect(read.map(\.pin) == [new] && read[0].statement == nil)
        }
    }
}
