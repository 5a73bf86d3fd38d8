import FoundationEssentials
import Home
import Household
import Identity
import JSON
import TestSupport
import Testing

@Suite struct StatesTests {
    private let time = Date(timeIntervalSince1970: 1_795_000_000)

    private func device(_ id: String, _ states: [String: String]) throws -> ControlledDevice {
        let activators = states.sorted { $0.key < $1.key }.map { id, state in
            #"{"activatorId":"\#(id)","rank":0,"name":"x","type":"bool","state":\#(state)}"#
        }
        let list = activators.joined(separator: ",")
        let json = #"[{"deviceId":"\#(id)","name":"n","type":"Light","activators":[\#(list)]}]"#
        return try #require(ControlledDevice.list(parsing: Array(json.utf8))?.first)
    }

    private func texts(_ changes: [StateChange]) -> [String] {
        changes.map { "\($0.device)/\($0.activator) \($0.before?.text ?? "-") \($0.state.text)" }
    }

    @Test func whatChangesIsFound() throws {
        var known = KnownStates()
        let house = [try device("b", ["1": "true"]), try device("a", ["1": "0.5"])]
        let first = known.changes(to: house, at: time)
        #expect(texts(first) == ["a/1 - 0.5", "b/1 - true"])
        known.take(first)
        #expect(known.changes(to: house, at: time) == [])
        let second = known.changes(to: [try device("b", ["1": "false", "2": "1"])], at: time)
        #expect(texts(second) == ["a/1 0.5 null", "b/1 true false", "b/2 - 1"])
        known.take(second)
        #expect(known.changes.keys.sorted().map { "\($0.device)/\($0.activator)" } == ["b/1", "b/2"])
    }

    /// What does not answer has not changed, and is not gone.
    @Test func silenceIsNoChange() throws {
        let known = KnownStates([
            StateChange(device: "a", activator: "1", state: .boolean(true), before: nil, time: time)
        ])
        #expect(known.changes(to: [], unanswered: ["a"], at: time) == [])
        #expect(texts(known.changes(to: [], at: time)) == ["a/1 true null"])
    }

    @Test func allAreWrittenInOrder() {
        let changes = (0..<9).map { index in
            StateChange(
                device: "\(index % 2)", activator: "\(9 - index)", state: .integer(Int64(index)),
                before: index < 4 ? .null : nil, time: time.addingTimeInterval(Double(index / 3)))
        }
        var written: [UInt8] = []
        KnownStates(changes).write(to: &written)
        let sorted = changes.sorted { ($0.device, $0.activator) < ($1.device, $1.activator) }
        #expect(String(decoding: written, as: UTF8.self) == JSONValue.array(sorted.map(\.json)).text)
    }

    @Test func aChangeIsJSON() {
        let change = StateChange(
            device: "a", activator: "1", state: .boolean(false), before: .boolean(true),
            time: time.addingTimeInterval(0.0625))
        #expect(
            change.json.text
                == #"{"activator":"1","before":true,"device":"a","state":false,"#
                + #""time":"2026-11-18T11:06:40.062Z"}"#)
    }
}

@Suite struct ReadMarksTests {
    @Test func rangesGrowTogether() {
        var marks = ReadMarks()
        for id: Int64 in [5, 3, 9, 4, 1, 2, 9] { marks.mark(id...id) }
        #expect(marks.ranges == [1...5, 9...9])
        #expect(marks.unreadCount(in: 1...10) == 4)
        #expect(marks.unreadCount(in: 4...9) == 3)
        marks.mark(1...8)
        #expect(marks.ranges == [1...9])
    }

    /// Against a set of ids, which says the same at length.
    @Test(arguments: 0..<20) func rangesSayWhatASetSays(seed: Int) {
        var generator = SplitMix64(seed: UInt64(seed))
        var marks = ReadMarks()
        var ids: Set<Int64> = []
        for _ in 0..<200 {
            let first = Int64.random(in: 1...300, using: &generator)
            let last = first + Int64.random(in: 0...5, using: &generator)
            marks.mark(first...last)
            ids.formUnion(first...last)
            for (one, other) in zip(marks.ranges, marks.ranges.dropFirst()) {
                #expect(one.upperBound + 1 < other.lowerBound)
            }
        }
        for id: Int64 in 1...310 { #expect(marks.contains(id) == ids.contains(id)) }
        let unread = (20...290).count { !ids.contains(Int64($0)) }
        #expect(marks.unreadCount(in: 20...290) == Int64(unread))
    }
}
