import Pairing
import TestSupport
import Testing

@testable import HubService

/// Held against a model that is written apart: a list of what waits, in the order in which it came.
@Suite struct AnswerTurnsTests {
    private static let most = 4
    private static let waiting = 32

    private struct Request: Equatable {
        let number: Int
        let device: Int
    }

    private func pin(_ device: Int) throws -> Pin {
        try #require(Pin(bytes: Array(repeating: UInt8(device), count: 32)))
    }

    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1, 2, 3])
    func everyDeviceHasItsTurn(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var turns = AnswerTurns<Request>()
        var making: [Request] = []
        var waiting: [Request] = []
        /// How many of others were begun since a device waits with nothing being made.
        var passed: [Int: Int] = [:]
        for number in 0..<4_000 {
            let asks = Int.random(in: 0..<3, using: &generator) > 0 && number < 3_500
            if asks || making.isEmpty {
                // One device is a crowd.
                let device = Bool.random(using: &generator) ? 0 : Int.random(in: 0..<9, using: &generator)
                let request = Request(number: number, device: device)
                let isBusy = making.contains { $0.device == device }
                let expected: AnswerTurns<Request>.Verdict =
                    if !isBusy, making.count < AnswerTurnsTests.most {
                        .now
                    } else if waiting.count(where: { $0.device == device }) < AnswerTurnsTests.waiting {
                        .later
                    } else {
                        .refused
                    }
                #expect(turns.ask(request, for: try pin(device)) == expected, "seed \(seed)")
                if expected == .now { making.append(request) }
                if expected == .later { waiting.append(request) }
                continue
            }
            let done = making.remove(at: Int.random(in: 0..<making.count, using: &generator))
            let next = turns.end(try pin(done.device))
            let mayBegin = waiting.filter { one in !making.contains { $0.device == one.device } }
            guard let next else {
                #expect(mayBegin.isEmpty, "seed \(seed)")
                continue
            }
            // The oldest of its device, and of a device of which nothing is being made.
            #expect(mayBegin.first { $0.device == next.device } == next, "seed \(seed)")
            waiting.removeAll { $0 == next }
            making.append(next)
            for other in Set(mayBegin.map(\.device)) where other != next.device {
                passed[other, default: 0] += 1
            }
            passed[next.device] = 0
            // Each of the others at most once for itself, and once for a turn that it had waited for before.
            #expect(passed.values.allSatisfy { $0 <= 2 * 9 }, "seed \(seed)")
            #expect(Set(making.map(\.device)).count == making.count)
            #expect(making.count <= AnswerTurnsTests.most)
        }
    }

    /// 15 requests of one device are in front of another's, and no more than the next of them passes it.
    @Test func aCrowdIsPassed() throws {
        var turns = AnswerTurns<String>()
        let (crowd, owner) = (try pin(1), try pin(2))
        // Three others take the other places.
        for device in 3...5 { #expect(turns.ask("other", for: try pin(device)) == .now) }
        #expect(turns.ask("crowd 0", for: crowd) == .now)
        for number in 1..<15 { #expect(turns.ask("crowd \(number)", for: crowd) == .later) }
        #expect(turns.ask("owner", for: owner) == .later)
        #expect(turns.end(crowd) == "crowd 1")
        #expect(turns.end(crowd) == "owner")
    }

    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1, 2])
    func theBudgetIsKept(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var budget = AnswerBudget()
        var held: [(device: Int, count: Int)] = []
        for _ in 0..<5_000 {
            if Bool.random(using: &generator), !held.isEmpty {
                let (device, count) = held.remove(at: Int.random(in: 0..<held.count, using: &generator))
                budget.giveBack(count, for: try pin(device))
            } else {
                let device = Int.random(in: 0..<12, using: &generator)
                let count = Int.random(in: 65_537...6_000_000, using: &generator)
                let own = held.filter { $0.device == device }.map(\.count)
                let all = held.map(\.count).reduce(0, +)
                let fits =
                    all + count <= 33_554_432 && (own.isEmpty || own.reduce(count, +) <= 4_194_304)
                #expect(budget.take(count, for: try pin(device)) == fits, "seed \(seed)")
                if fits { held.append((device, count)) }
            }
            #expect(budget.byteCount == held.map(\.count).reduce(0, +), "seed \(seed)")
        }
        for (device, count) in held { budget.giveBack(count, for: try pin(device)) }
        #expect(budget.byteCount == 0)
        #expect(budget.hasRoom(for: try pin(1)))
    }
}
