import FoundationEssentials
import JSON
import Pairing
import TestSupport
import Testing

@testable import HubService

/// Of many orders the journal has few lines, and they tell of each of them.
struct OrderGroupsTests {
    private static let start = ContinuousClock.now

    private func order(_ device: UInt8, _ lamp: Int, _ state: Int) throws -> Journal.Note {
        var fact = JournalEntry.Fact(.order)
        (fact.appliance, fact.activator) = ("lamp\(lamp)", "a")
        fact.state = .integer(Int64(state))
        let pin = try #require(Pin(bytes: Array(repeating: device, count: 32)))
        let author = JournalEntry.Author(device: pin.fingerprint, name: try PeerName("Device \(device)"))
        return Journal.Note(fact: fact, author: author, time: Date(timeIntervalSince1970: Double(state)))
    }

    @Test func aSliderIsTwoLines() throws {
        var groups = OrderGroups()
        var lines: [Journal.Note] = []
        for number in 0..<1_000 {
            let now = Self.start + .milliseconds(number * 50)
            lines += groups.ended(by: now)
            if let line = groups.take(try order(1, 1, number), at: now) { lines.append(line) }
        }
        #expect(lines.map(\.fact.state) == [.integer(0)])
        #expect(groups.next == Self.start + .seconds(60))
        lines = groups.ended(by: Self.start + .seconds(60))
        #expect(lines.map(\.fact.state) == [.integer(999)] && lines.map(\.fact.count) == [999])
        #expect(groups.next == nil)
    }

    /// Held against the orders themselves: as many are told of as were given, in order, by whom
    /// they were, and
    /// in few lines whatever comes.
    @Test(arguments: [3, 40, 2_000]) func nothingIsLost(lampCount: Int) throws {
        var random = SplitMix64(seed: 34)
        var groups = OrderGroups()
        var (given, told): ([UInt8: Int], [String: Int]) = ([:], [:])
        var lineCounts: [String: Int] = [:]
        var now = Self.start
        func tell(_ lines: [Journal.Note]) {
            for line in lines {
                let name = "\(line.author?.name.description ?? "")"
                told[name, default: 0] += line.fact.count ?? 1
                lineCounts[name, default: 0] += 1
            }
        }
        for number in 0..<3_000 {
            now += .milliseconds(Int.random(in: 0...2_000, using: &random))
            tell(groups.ended(by: now))
            let device = UInt8.random(in: 1...3, using: &random)
            given[device, default: 0] += 1
            let order = try order(device, Int.random(in: 0..<lampCount, using: &random), number)
            if let line = groups.take(order, at: now) { tell([line]) }
        }
        tell(groups.ended(by: nil))
        for (device, count) in given { #expect(told["Device \(device)"] == count) }
        // 50 minutes: each line of its own may be followed by one of its minute, and there is
        // one a minute more.
        #expect(lineCounts.values.allSatisfy { $0 <= 2 * OrderGroups.linesAnHour + 55 })
    }
}
