import Testing

@testable import HubClient

@Suite struct EndRuleTests {
    private func end(_ rule: EndRule) -> Duration? {
        (0...4_000).lazy.map { Duration.milliseconds($0) }.first { rule.waits(at: $0).isEmpty }
    }

    @Test func theTimesOfTheRule() {
        var rule = EndRule()
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
        var rule = EndRule()
        rule.certainty = .prompt
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

    @Test func whereAllThatTheDaemonKnewHaveAnsweredItsQuestionIsNotWaitedFor() {
        var rule = EndRule()
        rule.certainty = .confirmed
        #expect(end(rule) == .milliseconds(1_400))  // nobody is nobody
        rule.isEmpty = false
        rule.lastNews = .milliseconds(30)
        #expect(end(rule) == .milliseconds(90))
        rule.lastNews = .milliseconds(90)
        #expect(end(rule) == .milliseconds(140))
        rule.hasHints = true
        #expect(end(rule) == .milliseconds(1_400))
        rule.hasHints = false
        rule.uncachedSince = .zero
        #expect(end(rule) == .milliseconds(1_600))
        rule.uncachedSince = nil
        rule.stall(for: .milliseconds(500), until: .milliseconds(600))
        #expect(end(rule) == .milliseconds(850))  // a busy daemon knows less than it should
    }

    @Test func whereNobodyElseIsTheDaemonsRepetitionIsWaitedFor() {
        var rule = EndRule()
        rule.certainty = .alone
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

    @Test func promptnessOfSomeSaysNothingOfOthersWithoutACache() {
        var rule = EndRule()
        rule.isEmpty = false
        rule.certainty = .prompt
        #expect(end(rule) == .milliseconds(190))
        rule.isUncached = true
        #expect(end(rule) == .milliseconds(290))
    }

    @Test func whereOneAnswerWasSlowTheNextMayBe() {
        var rule = EndRule()
        rule.isEmpty = false
        rule.noteAnswer(after: .milliseconds(200))
        rule.noteAnswer(after: .milliseconds(100))
        #expect(end(rule) == .milliseconds(440))
        rule.lastNews = .milliseconds(300)
        #expect(end(rule) == .milliseconds(640))
        // One that is slow on purpose delays the end by a second at most.
        rule.noteAnswer(after: .seconds(9))
        #expect(end(rule) == .milliseconds(1_440))
        // What the margin holds delays nothing; where there is none, all of it does.
        var other = EndRule()
        other.isEmpty = false
        other.noteAnswer(after: EndRule.margin)
        #expect(end(other) == .milliseconds(350))
        other.certainty = .prompt
        #expect(end(other) == .milliseconds(300))
    }

    @Test func whatThisProcessCouldNotHearDoesNotCount() {
        var rule = EndRule()
        rule.isEmpty = false
        rule.stall(for: .milliseconds(100), until: .milliseconds(150))
        #expect(end(rule) == .milliseconds(450))
        // News that came in the meantime has its quiet time from now on, and no longer.
        rule.lastNews = .milliseconds(290)
        rule.stall(for: .milliseconds(100), until: .milliseconds(300))
        #expect(end(rule) == .milliseconds(550))
        #expect(!rule.isBusy)
        rule.hasHints = true
        #expect(end(rule) == .milliseconds(1_600))
        rule.stall(for: .milliseconds(300), until: .milliseconds(700))
        #expect(rule.isBusy)
        #expect(end(rule) == .milliseconds(3_900))
        // Nor does silence show that nobody else is there.
        rule.hasHints = false
        rule.certainty = .prompt
        #expect(end(rule) == .milliseconds(850))
        // An answer that waited as long as this process did is no slow one.
        rule.noteAnswer(after: .milliseconds(500))
        #expect(end(rule) == .milliseconds(850))
        rule.noteAnswer(after: .milliseconds(700))
        #expect(end(rule) == .milliseconds(940))
    }

    @Test func whatIsWaitedFor() {
        var rule = EndRule()
        #expect(rule.waits(at: .milliseconds(10)).map(\.wait) == [.something, .quiet])
        rule.isEmpty = false
        rule.lastNews = .milliseconds(150)
        #expect(rule.waits(at: .milliseconds(200)).map(\.wait) == [.firstAnswers, .quiet])
        #expect(rule.waits(at: .milliseconds(360)).map(\.wait) == [.quiet])
        #expect(rule.waits(at: .milliseconds(360)).map(\.until) == [.milliseconds(400)])
        rule.isLossy = true
        #expect(rule.waits(at: .milliseconds(500)).map(\.wait) == [.repetition])
        // There is a daemon, whatever was slow.
        rule.noteAnswer(after: .milliseconds(800))
        #expect(rule.waits(at: .milliseconds(700)).map(\.wait) == [.repetition, .quiet])
    }
}
