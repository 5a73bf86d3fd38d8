import Testing

@testable import HubClient

@Suite struct QuietRuleTests {
    private func end(_ rule: QuietRule) -> Duration? {
        (0...4_000).lazy.map { Duration.milliseconds($0) }.first { rule.waits(at: $0).isEmpty }
    }

    @Test func theTimesOfTheRule() {
        var rule = QuietRule()
        #expect(end(rule) == .milliseconds(1_400))  // an empty list must be certain
        rule.isEmpty = false
        #expect(end(rule) == .milliseconds(350))
        rule.lastNews = .milliseconds(300)
        #expect(end(rule) == .milliseconds(550))
        rule.isLossy = true
        #expect(end(rule) == .milliseconds(1_400))
        rule.hasHints = true
        #expect(end(rule) == .milliseconds(3_400))
        rule.isLossy = false
        #expect(end(rule) == .milliseconds(1_400))
        rule.isDirect = true
        #expect(end(rule) == .zero)
    }

    @Test func whereAllAnswerAtOnceNoMarginIsNeeded() {
        var rule = QuietRule()
        rule.isPrompt = true
        #expect(end(rule) == .milliseconds(1_400))  // nobody is nobody
        rule.isEmpty = false
        rule.lastNews = .milliseconds(20)
        #expect(end(rule) == .milliseconds(190))
        rule.lastNews = .milliseconds(160)
        #expect(end(rule) == .milliseconds(210))
        rule.uncachedSince = .zero
        #expect(end(rule) == .milliseconds(1_600))
        rule.uncachedSince = nil
        rule.isLossy = true
        #expect(end(rule) == .milliseconds(1_400))
    }

    @Test func whereNobodyElseIsTheDaemonsRepetitionIsWaitedFor() {
        var rule = QuietRule()
        rule.isAlone = true
        #expect(end(rule) == .milliseconds(1_400))  // an empty list must be certain
        rule.isEmpty = false
        rule.lastNews = .milliseconds(20)
        #expect(end(rule) == .milliseconds(225))
        rule.begun = .milliseconds(40)
        #expect(end(rule) == .milliseconds(265))
        rule.begun = .zero
        rule.lastNews = .milliseconds(210)
        #expect(end(rule) == .milliseconds(260))
        rule.uncachedSince = .zero
        #expect(end(rule) == .milliseconds(1_600))
        rule.uncachedSince = nil
        rule.isLossy = true
        #expect(end(rule) == .milliseconds(1_400))
    }

    @Test func whatIsWaitedFor() {
        var rule = QuietRule()
        #expect(rule.waits(at: .milliseconds(10)).map(\.wait) == [.something, .quiet])
        rule.isEmpty = false
        rule.lastNews = .milliseconds(150)
        #expect(rule.waits(at: .milliseconds(200)).map(\.wait) == [.firstAnswers, .quiet])
        #expect(rule.waits(at: .milliseconds(360)).map(\.wait) == [.quiet])
        #expect(rule.waits(at: .milliseconds(360)).map(\.until) == [.milliseconds(400)])
        rule.isLossy = true
        #expect(rule.waits(at: .milliseconds(500)).map(\.wait) == [.repetition])
    }
}
