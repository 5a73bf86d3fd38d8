import Testing

@testable import Discovery

/// What the answers to two questions say about losses, and when. Times are in ms; the second question goes
/// out at 120, or at 20 once somebody has answered, and where three are asked the second at 60 and the third
/// at 120.
@Suite struct AnswerRoundsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Host, question, time.
        let answers: [(host: UInt8, round: Int, time: Int)]
        /// When there is no more doubt, and what the verdict is then.
        let known: Int
        let isLossy: Bool
        let questions: [Int]

        init(
            _ description: String, _ answers: [(host: UInt8, round: Int, time: Int)], known: Int,
            isLossy: Bool, questions: [Int] = [0, 120]
        ) {
            (testDescription, self.answers, self.known, self.isLossy) = (description, answers, known, isLossy)
            self.questions = questions
        }
    }

    static let cases: [Case] = [
        Case("nobody answers", [], known: 270, isLossy: false),
        Case("both answered", [(1, 0, 5), (1, 1, 125)], known: 270, isLossy: false),
        Case("the first answer is lost", [(1, 1, 125)], known: 125, isLossy: true),
        Case("the second answer is lost", [(1, 0, 5)], known: 270, isLossy: true),
        Case(
            "the second answer is lost, others come late",
            [(1, 0, 5), (2, 0, 100), (2, 1, 200)], known: 350, isLossy: true),
        Case(
            "a slow host answers while others do",
            [(1, 0, 5), (2, 0, 100), (2, 1, 200), (1, 1, 340)], known: 340, isLossy: false),
        Case("both answers are late", [(1, 0, 200), (1, 1, 330)], known: 330, isLossy: false),
        Case(
            "one answers on and on", (0..<60).map { (2, 1, 130 + $0 * 20) } + [(1, 0, 5), (2, 0, 6)],
            known: 1_120, isLossy: true),
        Case(
            "both answered, asked at once", [(1, 0, 5), (1, 1, 25)], known: 170, isLossy: false,
            questions: [0, 20]),
        Case(
            "the second answer is lost, asked at once", [(1, 0, 5)], known: 170, isLossy: true,
            questions: [0, 20]),
        Case(
            "one host is slow to both, asked at once", [(2, 0, 5), (2, 1, 25), (1, 0, 130), (1, 1, 131)],
            known: 170, isLossy: false, questions: [0, 20]),
        Case("nobody answers three", [], known: 270, isLossy: false, questions: [0, 60, 120]),
        Case(
            "the first of three is lost", [(1, 1, 65), (1, 2, 125)], known: 120, isLossy: true,
            questions: [0, 60, 120]),
        Case(
            "the second of three is lost", [(1, 0, 61), (1, 2, 125)], known: 125, isLossy: true,
            questions: [0, 60, 120]),
        Case(
            "only the third comes through", [(1, 2, 125)], known: 125, isLossy: true,
            questions: [0, 60, 120]),
        Case(
            "a late host answers all three", [(1, 0, 100), (1, 1, 130), (1, 2, 200)], known: 270,
            isLossy: false, questions: [0, 60, 120]),
    ]

    @Test(arguments: cases)
    func verdict(of example: Case) throws {
        let start = ContinuousClock.now
        func instant(_ time: Int) -> ContinuousClock.Instant { start + .milliseconds(time) }
        var rounds = AnswerRounds()
        var known: Int?
        for time in 0...2_000 where known == nil {
            if example.questions.contains(time) {
                rounds.ask(isLast: time == example.questions.last, at: instant(time))
            }
            for answer in example.answers where answer.time == time {
                rounds.note(
                    try #require(NetworkAddress(bytes: [192, 0, 2, answer.host])), socket: 0,
                    round: answer.round, at: instant(time), read: instant(time))
            }
            if rounds.doubt(at: instant(time)) == nil { known = time }
        }
        #expect(known == example.known)
        #expect((rounds.missing != nil) == example.isLossy)
        #expect(rounds.isSilent == example.answers.isEmpty)
    }

    /// Prompt: all who answer have answered both questions within 50 ms of each.
    @Test(
        arguments: [
            ([], false), ([(1, 0, 5), (1, 1, 125)], true), ([(1, 0, 50), (1, 1, 170)], true),
            ([(1, 0, 51), (1, 1, 125)], false), ([(1, 0, 5), (1, 1, 175)], false), ([(1, 0, 5)], false),
            ([(1, 1, 125)], false), ([(1, 0, 5), (2, 0, 6), (1, 1, 125)], false),
            ([(1, 0, 5), (2, 0, 6), (1, 1, 125), (2, 1, 140)], true),
        ] as [([(host: UInt8, round: Int, time: Int)], Bool)])
    func prompt(answers: [(host: UInt8, round: Int, time: Int)], isPrompt: Bool) throws {
        let start = ContinuousClock.now
        var rounds = AnswerRounds()
        rounds.ask(isLast: false, at: start)
        #expect(!rounds.isPrompt(at: start + .milliseconds(119)))
        rounds.ask(isLast: true, at: start + .milliseconds(120))
        for answer in answers {
            let time = start + .milliseconds(answer.time)
            rounds.note(
                try #require(NetworkAddress(bytes: [192, 0, 2, answer.host])), socket: 0,
                round: answer.round, at: time, read: time)
        }
        #expect(!rounds.isPrompt(at: start + .milliseconds(169)))
        #expect(rounds.isPrompt(at: start + .milliseconds(180)) == isPrompt)
        #expect(!rounds.isPrompt(within: .milliseconds(4), at: start + .milliseconds(180)))
        let hasAll = !answers.isEmpty && rounds.missing == nil
        #expect(rounds.isPrompt(within: .milliseconds(55), at: start + .milliseconds(180)) == hasAll)
        let delays = answers.map { $0.time - 120 * $0.round }
        #expect(rounds.slowest == .milliseconds(delays.max() ?? 0))
    }

    /// What an answer waits until this process reads it is not the host's time; but while answers are read,
    /// others may wait.
    @Test func unreadAnswers() throws {
        let start = ContinuousClock.now
        func instant(_ time: Int) -> ContinuousClock.Instant { start + .milliseconds(time) }
        let hosts = try (1...2).map { try #require(NetworkAddress(bytes: [192, 0, 2, $0])) }
        var rounds = AnswerRounds()
        rounds.ask(isLast: false, at: start)
        rounds.ask(isLast: true, at: instant(20))
        for (host, round, arrival, read) in [(0, 0, 10, 90), (1, 0, 50, 91), (0, 1, 30, 100)] {
            rounds.note(
                hosts[host], socket: 0, round: round, at: instant(arrival), read: instant(read))
        }
        #expect(rounds.slowest == .milliseconds(50))
        #expect(rounds.doubt(at: instant(200)) == .milliseconds(50))
        rounds.note(hosts[1], socket: 0, round: 1, at: instant(60), read: instant(210))
        #expect(rounds.isPrompt(at: instant(210)))
        #expect(rounds.missing == nil)
    }

    /// However late and in whatever order 200 hosts answer: if nothing is lost, and no pause is longer than
    /// the patience, no loss is seen. If a first answer is lost, it is.
    @Test func lateHostsAreNoLoss() throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<200 {
            let start = ContinuousClock.now
            var rounds = AnswerRounds()
            rounds.ask(isLast: false, at: start)
            rounds.ask(isLast: true, at: start)
            let isLossy = round % 2 == 1
            var answers: [(host: UInt8, round: Int)] = []
            for host in UInt8(1)...200 {
                let second = Int.random(in: 0...answers.count, using: &generator)
                answers.insert((host, 1), at: second)
                guard !(isLossy && host == 100) else { continue }
                answers.insert((host, 0), at: Int.random(in: 0...second, using: &generator))
            }
            var time = start
            for answer in answers {
                // A pause of 2 ms at most: 400 answers are in before the limit.
                time = time + .microseconds(Int.random(in: 0...2_000, using: &generator))
                rounds.note(
                    try #require(NetworkAddress(bytes: [192, 0, 2, answer.host])), socket: 0,
                    round: answer.round, at: time, read: time)
            }
            #expect((rounds.missing != nil) == isLossy)
            #expect(rounds.doubt(at: time + AnswerRounds.patience) == nil)
        }
    }
}
