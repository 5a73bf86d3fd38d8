/// Which hosts have answered which questions of a one-shot query, and whether that shows that packets get
/// lost here.
///
/// A host answers in the order of the questions. So an answer to a later one without one to each before it is
/// a loss. If only the last ones lack an answer, it is a loss only if the host has had the time for it: with
/// 200 hosts answers are late because machines are busy, not because packets are lost.
///
/// A pure value: answers and times come in, a verdict comes out.
struct AnswerRounds: Sendable {
    /// The time that a host has for an answer: the longest response delay (RFC 6762 § 6). Each answer
    /// starts it again: while they come, the network and the hosts are busy.
    static let patience = Duration.milliseconds(150)
    /// The longest that answers to the second question are waited for, so that a host that goes on answering
    /// cannot delay the verdict for ever. A lost question is repeated one second after the first (§ 5.2).
    static let limit = Duration.seconds(1)
    /// Within this time an answer is prompt: most responders answer a one-shot query in a few milliseconds.
    static let promptness = Duration.milliseconds(50)
    /// Within this time it is still usual: a host with 200 services needs longer than one with a few. What it
    /// multicasts may take as much longer.
    static let usualTime = Duration.milliseconds(120)
    /// The most hosts that are counted; the threat is one that answers under many addresses.
    static let maximumSources = 1_024

    /// Where an answer came from, and at which socket: a host may answer on two networks.
    private struct Source: Hashable, Sendable {
        let address: NetworkAddress
        let socket: Int
    }

    // Bit K: it has answered question K.
    private var answered: [Source: UInt8] = [:]
    /// When each question went out.
    private var questions: [ContinuousClock.Instant] = []
    private var isComplete = false
    /// The longest that an answer took.
    private(set) var slowest = Duration.zero
    /// When the last answer was read: others may wait behind it.
    private var lastAnswer: ContinuousClock.Instant?

    /// A question goes out, the last one or one before it; at most seven in all.
    mutating func ask(isLast: Bool, at now: ContinuousClock.Instant) {
        guard questions.count < 7 else { return }
        questions.append(now)
        isComplete = isLast
    }

    /// `address` has answered question `round`, from 0, at the socket of this number.
    ///
    /// - Parameters:
    ///   - arrival: when the answer got here: what it then waits for this process is not the host's time.
    ///   - now: when it was read.
    mutating func note(
        _ address: NetworkAddress, socket: Int, round: Int, at arrival: ContinuousClock.Instant,
        read now: ContinuousClock.Instant
    ) {
        guard questions.indices.contains(round) else { return }
        let source = Source(address: address, socket: socket)
        guard answered[source] != nil || answered.count < AnswerRounds.maximumSources else { return }
        answered[source, default: 0] |= 1 << round
        slowest = max(slowest, questions[round].duration(to: min(arrival, now)))
        lastAnswer = now
    }

    /// A host with an answer too few.
    var missing: NetworkAddress? {
        isComplete ? answered.first { $0.value != all }?.key.address : nil
    }

    private var all: UInt8 { (1 << questions.count) - 1 }

    private var lastQuestion: ContinuousClock.Instant? { isComplete ? questions.last : nil }

    var isSilent: Bool { answered.isEmpty }

    /// True if somebody has answered, and nobody since `time` ago.
    func isQuiet(for time: Duration, at now: ContinuousClock.Instant) -> Bool {
        lastAnswer.map { now >= $0 + time } ?? false
    }

    /// True once all hosts that answer at all have answered all questions, each within `time`: no packet is
    /// lost here, and none is late.
    func isPrompt(
        within time: Duration = AnswerRounds.promptness, at now: ContinuousClock.Instant
    ) -> Bool {
        guard let lastQuestion, now >= lastQuestion + AnswerRounds.promptness else { return false }
        return !answered.isEmpty && slowest <= time && missing == nil
    }

    /// How long to wait until ``missing`` can be believed; nil if it can be now.
    func doubt(at now: ContinuousClock.Instant) -> Duration? {
        guard let lastQuestion else { return AnswerRounds.patience }
        let isLate = now >= lastQuestion + AnswerRounds.limit
        // A gap below the latest answer: 01 and 011 have none, 10 and 101 have.
        guard !isLate, !answered.values.contains(where: { $0 & ($0 &+ 1) != 0 }) else { return nil }
        let quiet = max(lastQuestion, lastAnswer ?? lastQuestion) + AnswerRounds.patience
        // Once everybody has answered all, nothing is missing as soon as the hosts have had their time.
        let isWaiting = answered.values.contains { $0 != all }
        let end = isWaiting ? quiet : lastQuestion + AnswerRounds.patience
        return now < end ? now.duration(to: end) : nil
    }
}
