import TestSupport
import Testing

@testable import GatewayRules

/// Generated comings and goings before the upstream, held against what must be true of each: the oracle
/// counts who began since when, and knows nothing of lanes or turns.
@Suite struct UpstreamQueueTests {
    private typealias Queue = UpstreamQueue<Int>

    /// What a bystander sees.
    private struct Crowd {
        struct One {
            let lane: Queue.Lane
            /// How many of each other sender, and how many people in all, have begun while it was the first
            /// of its lane.
            var passedBy: [Int: Int] = [:]
            var people = 0
        }

        var waiting: [(id: UInt64, one: One)] = []
        var running: Set<UInt64> = []
        var places: Int

        func isFirst(_ index: Int) -> Bool {
            !waiting[..<index].contains { $0.one.lane == waiting[index].one.lane }
        }

        mutating func begin(_ id: UInt64, _ report: (String) -> Void) {
            guard let index = waiting.firstIndex(where: { $0.id == id }) else {
                return report("\(id) begins, and does not wait")
            }
            if !isFirst(index) { report("\(id) begins before an earlier one of its lane") }
            let one = waiting[index].one
            for other in waiting.indices where other != index && isFirst(other) {
                switch (one.lane, waiting[other].one.lane) {
                case (.person(let sender), .person(let mine)) where sender != mine:
                    waiting[other].one.passedBy[sender, default: 0] += 1
                    if waiting[other].one.passedBy[sender] ?? 0 > 1 {
                        report("\(sender) has begun twice while \(mine) waited")
                    }
                case (.person, .poll):
                    waiting[other].one.people += 1
                    if waiting[other].one.people > Queue.patience { report("a poll was passed too often") }
                case (.poll, .person):
                    if one.people < Queue.patience { report("a poll begins before a person") }
                default: break
                }
            }
            waiting.remove(at: index)
            running.insert(id)
            if running.count > places { report("\(running.count) run at \(places) places") }
        }
    }

    @Test func whoBeginsIsFairAndBegunOnce() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SplitMix64(seed: seed)
        for round in 0..<300 {
            let places = [1, 1, 1, 2, 16].randomElement(using: &generator) ?? 1
            var queue = Queue(places: places)
            var crowd = Crowd(places: places)
            var gone: [UInt64] = []
            let report = { (words: String) -> Void in
                _ = Issue.record("\(words) (round \(round), seed \(seed))")
            }
            for _ in 0..<400 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    let isPoll = Int.random(in: 0..<6, using: &generator) == 0
                    // One sender is greedy.
                    let sender = max(0, Int.random(in: -6..<5, using: &generator))
                    let lane = isPoll ? Queue.Lane.poll : .person(sender)
                    let own = crowd.waiting.count { $0.one.lane == lane }
                    switch queue.enter(lane) {
                    case .begins(let id):
                        if !crowd.waiting.isEmpty { report("\(id) begins before those that wait") }
                        crowd.running.insert(id)
                        if crowd.running.count > crowd.places { report("too many run") }
                    case .waits(let id):
                        if crowd.running.count < crowd.places { report("\(id) waits for a free place") }
                        crowd.waiting.append((id, .init(lane: lane)))
                    case .refused(let waiting):
                        if isPoll { report("a poll is refused") }
                        if waiting != crowd.waiting.count { report("\(waiting) are told to wait") }
                        let limit = crowd.places * Queue.waitingPerPlace
                        if waiting < limit, own < limit / 2 { report("refused with \(own) of \(waiting)") }
                    }
                case 5..<8:
                    let isGone = Int.random(in: 0..<5, using: &generator) == 0
                    let all = isGone ? gone : Array(crowd.running).sorted()
                    guard let id = all.randomElement(using: &generator) else { continue }
                    crowd.running.remove(id)
                    gone.append(id)
                    for next in queue.leave(id) { crowd.begin(next, report) }
                case 8:
                    guard let id = crowd.waiting.map(\.id).randomElement(using: &generator) else { continue }
                    crowd.waiting.removeAll { $0.id == id }
                    gone.append(id)
                    if !queue.leave(id).isEmpty { report("one that waits frees a place") }
                default:
                    guard Int.random(in: 0..<8, using: &generator) == 0 else { continue }
                    crowd.places = [1, 2, 16].randomElement(using: &generator) ?? 1
                    for next in queue.setPlaces(crowd.places) { crowd.begin(next, report) }
                }
                if queue.running != crowd.running { report("others run") }
                if queue.waitingCount != crowd.waiting.count { report("others wait") }
                if crowd.running.count < crowd.places, !crowd.waiting.isEmpty { report("a place is lost") }
            }
        }
    }

    @Test func whatWaitsIsBounded() {
        var queue = Queue(places: 1)
        _ = queue.enter(.person(0))
        var waiting = 0
        for _ in 0..<1_000 { if case .waits = queue.enter(.person(0)) { waiting += 1 } }
        #expect(waiting == 32)
        for sender in 1..<1_000 { if case .waits = queue.enter(.person(sender)) { waiting += 1 } }
        #expect(waiting == 64 && queue.enter(.person(0)) == .refused(waiting: 64))
    }

    @Test func timesNest() {
        #expect(AnswerTimes.poll <= AnswerTimes.upstream)
        #expect(AnswerTimes.upstream + AnswerTimes.turn <= AnswerTimes.gateway)
        #expect(AnswerTimes.gateway < AnswerTimes.client)
        #expect(AnswerTimes.known < AnswerTimes.least && AnswerTimes.least < AnswerTimes.client)
    }
}
