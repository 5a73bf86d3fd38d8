import Testing

@testable import HubClient

@Suite struct QuietRuleTests {
    @Test func theTimesOfTheRule() {
        var rule = QuietRule()
        #expect(!rule.isOver(at: .milliseconds(1_399)))  // an empty list must be certain
        #expect(rule.isOver(at: .milliseconds(1_400)))
        rule.isEmpty = false
        #expect(!rule.isOver(at: .milliseconds(349)))
        #expect(rule.isOver(at: .milliseconds(350)))
        rule.lastNews = .milliseconds(300)
        #expect(!rule.isOver(at: .milliseconds(549)))
        #expect(rule.isOver(at: .milliseconds(550)))
        rule.pending = 1
        #expect(!rule.isOver(at: .seconds(5)))
        #expect(rule.isOver(at: .seconds(10)))
        rule.pending = 0
        rule.isLossy = true
        #expect(!rule.isOver(at: .milliseconds(1_399)))
        #expect(rule.isOver(at: .milliseconds(1_400)))
        rule.isSweeping = true
        #expect(!rule.isOver(at: .seconds(60)))
    }
}
