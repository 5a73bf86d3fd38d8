import Foundation
import Household
import Identity
import Testing

/// The clock of the scenes, over years, in zones with summer time, with restarts and a clock that jumps.
struct SceneClockTests {
    /// A zone as a table: Foundation's own look-up would take most of the time.
    private struct Zone {
        let starts: [Int]
        let offsets: [Int]

        init(_ name: String, from: Int, to: Int) throws {
            let zone = try #require(TimeZone(identifier: name))
            var (starts, offsets): ([Int], [Int]) = ([], [])
            for time in stride(from: from, to: to, by: 900) {
                let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
                if offsets.last != offset {
                    starts.append(time)
                    offsets.append(offset)
                }
            }
            (self.starts, self.offsets) = (starts, offsets)
        }

        func offset(_ time: Int) -> Int { offsets[max(0, (starts.lastIndex { $0 <= time } ?? 0))] }
    }

    /// What the clock should do, from the words of the promise: the time of a scene on a day is when clocks
    /// first show it, or something later on that day or after it.
    private struct Oracle {
        let minutes: Int
        let days: Set<Int>
        var dues: [(day: Int, time: Int)] = []
        var done: Set<Int> = []
        var isKnown = false

        init(_ minutes: Int, _ days: Set<Int>, _ zone: Zone, from: Int, to: Int) {
            (self.minutes, self.days) = (minutes, days)
            var next = (from + zone.offset(from)) / 86_400 + 1
            for time in stride(from: from, to: to, by: 60) {
                let local = time + zone.offset(time)
                while local >= next * 86_400 + minutes * 60 {
                    if days.contains((next + 3) % 7) { dues.append((next, time)) }
                    next += 1
                }
            }
        }

        enum Verdict: Equatable { case nothing, due, missed(Int) }

        /// The position of the first time after `now`.
        func next(after now: Int) -> Int {
            var (low, high) = (0, dues.count)
            while low < high {
                let middle = (low + high) / 2
                if dues[middle].time <= now { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func look(at now: Int) -> Verdict {
            let next = next(after: now)
            defer { isKnown = true }
            guard next > 0 else { return .nothing }
            let last = dues[next - 1]
            guard last.time > now - 8 * 86_400, !done.contains(last.day) else { return .nothing }
            let isLatest = !done.contains { $0 > last.day }
            done.insert(last.day)
            guard isKnown else { return .nothing }
            if now - last.time <= 600 { return .due }
            return isLatest ? .missed(last.time) : .nothing
        }
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"], 1...1)
    func runsEachOnceAsPromised(_ name: String, _ seed: Int) throws {
        // On a full minute, as the oracle counts.
        let start = 1_760_000_040 + seed * 7_654_320
        let end = start + 400 * 86_400
        let zone = try Zone(name, from: start - 20 * 86_400, to: end + 20 * 86_400)
        let times = SceneTimes(zone: LocalZone { zone.offset($0) }, place: nil)
        // Around the hours at which clocks are changed, and elsewhere.
        let clocks: [(Int, String)] = [
            (150, "mon tue wed thu fri sat sun"), (105, "sat sun"), (1, "mon tue wed thu fri sat sun"),
            (1190, "mon wed fri"),
        ]
        let scenes = try clocks.map { minutes, days in
            HubScene(
                name: try PeerName("At \(minutes)"), states: [], time: .clock(minutes),
                days: try #require(SceneDays(days)))
        }
        var oracles = scenes.map { scene -> Oracle in
            let days = (0..<7).filter { scene.days.contains(weekday: $0) }
            guard case .clock(let minutes) = scene.time else { return Oracle(0, [], zone, from: 0, to: 0) }
            return Oracle(minutes, Set(days), zone, from: start - 15 * 86_400, to: end + 15 * 86_400)
        }
        var generator = Generator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
        var runs = SceneRuns()
        let clock = SceneClock(scenes, times)
        var now = start
        var (dueCount, missedCount) = (0, 0)
        var seen: Set<String> = []
        while now < end {
            // The hub looks every few seconds; here less often, and within the ten minutes.
            let nextDue = oracles.map { $0.dues[$0.next(after: now)].time }.min() ?? end
            let pause = Int.random(in: 1...10_800, using: &generator)
            now = min(now + pause, nextDue + Int.random(in: 0...550, using: &generator))
            switch Int.random(in: 0..<200, using: &generator) {
            case 0..<2: now -= Int.random(in: 0..<7200, using: &generator)  // set back
            case 2..<4: now += Int.random(in: 0..<14_400, using: &generator)  // set forward
            case 4: now -= Int.random(in: 0..<5 * 86_400, using: &generator)
            case 5: now += Int.random(in: 0..<2 * 86_400, using: &generator)  // switched off
            case 6...20: runs = try SceneRuns(parsing: runs.serialized)  // restarted
            default: break
            }
            let events = clock.look(at: Date(timeIntervalSince1970: Double(now)), &runs)
            for (index, scene) in scenes.enumerated() {
                let verdict = oracles[index].look(at: now)
                let found = events.compactMap { event -> Oracle.Verdict? in
                    switch event {
                    case .due(scene): .due
                    case .missed(scene, let time): .missed(Int(time.timeIntervalSince1970))
                    default: nil
                    }
                }
                let expected: [Oracle.Verdict] = verdict == .nothing ? [] : [verdict]
                guard found == expected else {
                    Issue.record("\(name) \(seed) at \(now): \(scene.name): \(found), not \(expected)")
                    return
                }
                if verdict == .due {
                    dueCount += 1
                    let day = times.last(of: scene, through: Date(timeIntervalSince1970: Double(now)))?.day
                    let run = "\(scene.name) \(try #require(day))"
                    #expect(seen.insert(run).inserted, "\(run) runs twice")
                }
                if case .missed = verdict { missedCount += 1 }
            }
        }
        // The test has tested something.
        #expect(dueCount > 500)
        #expect(missedCount > 2)
    }

    private func clock(_ scenes: HubScene...) -> SceneClock {
        SceneClock(scenes, SceneTimes(zone: LocalZone { _ in 0 }, place: nil))
    }

    private func scene(_ text: String, _ days: SceneDays = .all) throws -> HubScene {
        let time: SceneTime = try #require(SceneTime(text))
        return HubScene(name: try PeerName("S"), states: [], time: time, days: days)
    }

    private func date(_ text: String) throws -> Date { try #require(Date(timestamp: text)) }

    @Test func aNewSceneBeginsWithItsNextRun() throws {
        var runs = SceneRuns()
        let early = try scene("07:30")
        let late = try scene("20:00")
        #expect(try clock(early).look(at: date("2026-11-22T07:30:05Z"), &runs).isEmpty)
        #expect(try clock(late).look(at: date("2026-11-22T19:59:59Z"), &runs).isEmpty)
        #expect(try clock(late).look(at: date("2026-11-22T20:00:00Z"), &runs) == [.due(late)])
        #expect(try clock(late).look(at: date("2026-11-22T20:00:01Z"), &runs).isEmpty)
        // Another time on the same day.
        let later = try scene("20:05")
        #expect(try clock(later).look(at: date("2026-11-22T20:01:00Z"), &runs).isEmpty)
        #expect(try clock(later).look(at: date("2026-11-22T20:06:00Z"), &runs) == [.due(later)])
    }

    @Test func afterTenMinutesItIsTooLate() throws {
        for (now, runsThen) in [("2026-11-23T07:40:00Z", true), ("2026-11-23T07:40:01Z", false)] {
            var runs = SceneRuns()
            let scene = try scene("07:30")
            _ = clock(scene).look(at: try date("2026-11-22T12:00:00Z"), &runs)
            runs = try SceneRuns(parsing: runs.serialized)
            let events = clock(scene).look(at: try date(now), &runs)
            #expect(events == [runsThen ? .due(scene) : .missed(scene, try date("2026-11-23T07:30:00Z"))])
            #expect(clock(scene).look(at: try date(now), &runs).isEmpty)
        }
    }

    /// Switched off for three weeks: one message, and not twenty-one.
    @Test func aLongAbsenceIsSaidOnce() throws {
        var runs = SceneRuns()
        let scene = try scene("07:30")
        _ = clock(scene).look(at: try date("2026-11-01T12:00:00Z"), &runs)
        let events = clock(scene).look(at: try date("2026-11-22T12:00:00Z"), &runs)
        #expect(events == [.missed(scene, try date("2026-11-22T07:30:00Z"))])
    }

    /// A clock that was years ahead by mistake must not stop the scenes for years.
    @Test func aClockThatWasYearsAheadDoesNotStopIt() throws {
        var runs = SceneRuns()
        let scene = try scene("07:30")
        _ = clock(scene).look(at: try date("2026-11-22T07:00:00Z"), &runs)
        #expect(clock(scene).look(at: try date("2026-11-22T07:30:00Z"), &runs) == [.due(scene)])
        _ = clock(scene).look(at: try date("2040-01-01T12:00:00Z"), &runs)
        #expect(clock(scene).look(at: try date("2026-11-22T07:30:00Z"), &runs).isEmpty)
        #expect(clock(scene).look(at: try date("2026-11-23T07:30:00Z"), &runs) == [.due(scene)])
    }

    @Test func whatIsGoneIsForgotten() throws {
        var runs = SceneRuns()
        let scene = try scene("07:30")
        runs.note(scene.name, at: try date("2026-11-22T07:00:00Z"))
        runs.decide(.init(scene: scene.name, since: try date("2026-11-22T07:00:00Z")))
        _ = clock(scene).look(at: try date("2026-11-22T07:00:00Z"), &runs)
        #expect(String(decoding: runs.serialized, as: UTF8.self).contains("done=2026-11-21"))
        _ = clock().look(at: try date("2026-11-22T07:00:00Z"), &runs)
        #expect(runs.number(of: scene.name) == 0)
        #expect(runs.decision.scene == scene.name)
    }

    @Test(arguments: [
        "count=x\n", "count=1\n[scene a]\nrun=-1\n", "count=1\n[scene a]\nran=now\n",
        "count=1\n[scene a]\nplan=07:30 mon\ndone=today\n", "count=1\n[room a]\n",
    ])
    func refusesAFile(_ text: String) {
        let bytes = Array(("[keyfile]\nformat=1\n[runs]\n" + text).utf8)
        #expect(throws: (any Error).self) { try SceneRuns(parsing: bytes) }
    }

    /// xorshift64, so that a seed repeats a run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
