import Home
import JSON
import Testing

@Suite struct NearestStepTests {
    /// What is read every half second, and at which read it counts as followed.
    @Test(arguments: [
        ([0.4, 0.4, 0.4, 0.4, 0.4], 3), ([0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.4], 6),
        ([0, 0, 0, 0, 0, 0], nil), ([0.1, 0.1, 0.1, 0.1, 0.1], nil), ([0.4, 0.5, 0.4, 0.5, 0.4, 0.5], nil),
    ])
    func staysAtItsNearest(_ levels: [Double], _ expected: Int?) throws {
        var nearest = try #require(NearestStep(before: .number(0), target: .number(0.37)))
        let found = levels.indices.first {
            nearest.take(.number(levels[$0]), at: .milliseconds(500 * $0))
        }
        #expect(found == expected)
    }

    @Test func movesTheRightWay() throws {
        var nearest = try #require(NearestStep(before: .number(0.4), target: .number(0.37)))
        for time in 0..<12 {
            let isThere = nearest.take(.number(time < 6 ? 0.4 : 0.5), at: .seconds(time))
            #expect(!isThere)
        }
        #expect(NearestStep(before: .number(0.5), target: .number(0)) == nil)
        #expect(NearestStep(before: .number(0.5), target: .integer(1)) == nil)
        #expect(NearestStep(before: .null, target: .number(0.5)) == nil)
        #expect(NearestStep(before: .boolean(false), target: .boolean(true)) == nil)
    }

    /// Three quick reads are no rest: a hub may ask its devices once a second.
    @Test func restTakesTime() throws {
        var nearest = try #require(NearestStep(before: .number(0), target: .number(0.37)))
        for time in 0..<10 {
            let isThere = nearest.take(.number(0.3), at: .milliseconds(100 * time))
            #expect(!isThere)
        }
    }
}
