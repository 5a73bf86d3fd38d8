import HubService
import Testing

@testable import House

/// What follows from what the site says of the log that gates share.
@Suite struct LogRulesTests {
    private let place = LogPlace(house: "a", position: 7)
    private let entry = LogEntry(id: "mine", .inline([1, 2, 3]))
    private let term = Array("G 1".utf8)

    private func answer(
        last: String?, leader: String? = nil, entry: LogEntry? = nil, isDone: Bool = false
    ) -> SiteRecords.Answer {
        var answer = SiteRecords.Answer()
        answer.isDone = isDone
        answer.entries["last"] = last.map { Array($0.utf8) }
        answer.entries["leader"] = leader.map { Array($0.utf8) }
        answer.entries[HouseRecords.entry(8)] = entry?.bytes
        return answer
    }

    private func written(_ answer: SiteRecords.Answer?, leads: Bool = false) -> LogRules.Written {
        LogRules.written(entry, after: place, term: leads ? term : nil, answer)
    }

    @Test func anEntryIsWrittenBehindTheLastOneOrNotAtAll() {
        let other = LogEntry(id: "other", .inline([]))
        #expect(written(answer(last: nil, isDone: true)) == .won)
        #expect(written(answer(last: "a 8", entry: other)) == .lost)
        // The member that made it did not say so; somebody has gone on since.
        #expect(written(answer(last: "a 12", entry: entry)) == .won)
        #expect(written(answer(last: "a 12", leader: "H 2", entry: entry), leads: true) == .won)
        #expect(written(nil) == .unknown("the gate does not answer"))
        var fault = SiteRecords.Answer()
        fault.fault = "no majority"
        #expect(written(fault) == .unknown("no majority"))
    }

    @Test func whoLeadsNoLongerWritesNothing() {
        #expect(written(answer(last: "a 7", leader: "H 2"), leads: true) == .fenced)
        #expect(written(answer(last: "a 7"), leads: true) == .fenced)
        let other = LogEntry(id: "other", .inline([]))
        #expect(written(answer(last: "a 8", leader: "H 2", entry: other), leads: true) == .fenced)
        #expect(written(answer(last: "a 8", leader: "G 1", entry: other), leads: true) == .lost)
        guard case .change(let conditions, _, _) = LogRules.question(entry, after: place, term: term) else {
            Issue.record("it changes something")
            return
        }
        #expect(conditions == [.init("last", is: Array("a 7".utf8)), .init("leader", is: term)])
    }

    @Test(arguments: [nil, "b 7", "a 6", "x", "a 9"])
    func anotherHouseTakesNothing(last: String?) {
        // "a 9": the entry behind the place was thrown away, and nobody knows whose it was.
        #expect(written(answer(last: last)) == .apart)
        #expect(written(answer(last: "a 7")) == .out)
    }

    @Test func entriesAreTakenInOrderAndWithoutAGap() {
        func following(_ own: LogPlace?, last: String?, _ positions: [Int64]) -> LogRules.Following {
            var entries: [String: [UInt8]] = [:]
            entries["last"] = last.map { Array($0.utf8) }
            for position in positions {
                entries[HouseRecords.entry(position)] = LogEntry(id: "\(position)", .inline([])).bytes
            }
            return LogRules.following(own, entries)
        }
        func taken(_ positions: [Int64]) -> LogRules.Following {
            .take(positions.map { LogEntry(id: "\($0)", .inline([])) })
        }
        #expect(following(nil, last: nil, []) == .begin)
        #expect(following(place, last: nil, []) == .begin)
        #expect(following(nil, last: "a 7", [7]) == .replace)
        #expect(following(place, last: "b 7", []) == .replace)
        // An etcd from its backup.
        #expect(following(place, last: "a 6", []) == .replace)
        #expect(following(place, last: "a 7", []) == .upToDate)
        #expect(following(place, last: "a 9", [8, 9]) == taken([8, 9]))
        #expect(following(place, last: "a 90", [8, 9]) == taken([8, 9]))
        #expect(following(place, last: "a 10", [8, 10]) == taken([8]))
        #expect(following(place, last: "a 10", [9, 10]) == .replace)
        #expect(
            LogRules.following(place, ["last": Array("a 8".utf8), HouseRecords.entry(8): [0x32, 0x20]])
                == .unreadable(8))
    }

    @Test func oneLeadsAndBeginsWithAllThatWasAcknowledged() {
        func leading(
            _ leader: [UInt8]?, _ term: [UInt8]?, isActing: Bool = false, isUpToDate: Bool = true
        ) -> LogRules.Leading {
            LogRules.leading(leader, term: term, isActing: isActing, isUpToDate: isUpToDate)
        }
        #expect(leading(nil, nil) == .tryIt)
        #expect(leading(nil, nil, isUpToDate: false) == .follow)
        #expect(leading([1], nil) == .follow)
        #expect(leading(term, term) == .begin)
        #expect(leading(term, term, isUpToDate: false) == .follow)
        #expect(leading(term, term, isActing: true) == .goOn)
        #expect(leading(nil, term, isActing: true) == .stop)
        #expect(leading([1], term) == .stop)
        #expect(LogRules.safeTime < .seconds(LogRules.leaseTime))
    }

    @Test func valuesAreReadAsTheyAreWritten() {
        #expect(LogPlace(place.bytes) == place)
        for text in ["", "a", "a -1", "a 1 2", " 1", "a 1x", "a 1234567890123456789", "a  1"] {
            #expect(LogPlace(Array(text.utf8)) == nil, "\(text)")
        }
        let large = LogEntry(id: "x", .pieces(count: 3, byteCount: 1_000_000))
        for entry in [entry, large, LogEntry(id: "x", .inline([]))] {
            #expect(LogEntry(entry.bytes) == entry)
        }
        for text in [
            "", "1 x inline", "2 x inline\n", "1 x pieces 2 1000000\n", "1 x pieces 0 0\n", "1 x other\n",
        ] {
            #expect(LogEntry(Array(text.utf8)) == nil, "\(text)")
        }
        let base = LogBase(place: place, id: "c", byteCount: 400_000)
        #expect((base.count, LogBase(base.bytes)) == (2, base))
        #expect(LogBase(Array("a 7 c 1 400000".utf8)) == nil)
        #expect(!LogRules.isCopyDue(nil, grown: 1000))
        #expect(LogRules.isCopyDue(base, grown: LogRules.baseByteCount))
    }

    @Test func whatTheHouseAsksTheGateIsReadThere() {
        let questions: [SiteRecords.Question] = [
            .gate, .read([.init("last"), .init("a", to: "b", limit: 3)]),
            .change(
                [.init("last", is: nil), .init("a", is: [1])], [.put("a", [2], lease: "7"), .delete("b")],
                else: [.init("c")]),
            .change([], [.put("a", []), .delete("b", to: "c")], else: []),
            .lease(.begin(seconds: 10)), .lease(.keep("1")), .lease(.end("2")),
        ]
        for question in questions { #expect(SiteRecords.Question(question.json) == question) }
        var answer = SiteRecords.Answer()
        (answer.isDone, answer.lease, answer.gate, answer.fault) = (true, "1", "G", "no")
        answer.entries = ["a": [1, 2], "b": []]
        #expect(SiteRecords.Answer(answer.json) == answer)
        #expect(SiteRecords.Answer(SiteRecords.Answer().json) == SiteRecords.Answer())
    }
}
