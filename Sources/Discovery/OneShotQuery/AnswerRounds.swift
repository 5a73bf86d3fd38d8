/// Which hosts have answered which of the two questions of a one-shot query, and whether that shows that
/// packets get lost here.
///
/// A host answers in the order of the questions. So an answer to the second without one to the first is a
/// loss. An answer to the first without one to the second is a loss only if the host has had the time for it:
/// with 200 hosts answers are late because machines are busy, not because packets are lost.
///
/// A pure value: answers and times come in, a verdict comes out.
struct AnswerRounds: Sendable {
    /// The time that a host has for an answer: the longest response delay (RFC 6762 § 6). It begins anew with
    /// each answer: while they come, the network and the hosts are busy.
    static let patience = Duration.milliseconds(150)
    /// The longest that answers to the second question are waited for, so that a host that goes on answering
    /// cannot delay the verdict for ever. A lost question is repeated one second after the first (§ 5.2).
    static let limit = Duration.seconds(1)
    /// Within this time an answer is prompt: most responders answer a one-shot query in a few milliseconds.
    static let promptness = Duration.milliseconds(50)
    /// The most hosts that are counted; the threat is one that answers under many addresses.
    static let maximumSources = 1_024

    /// Where an answer came from, and at which socket: a host may answer on two networks.
    private struct Source: Hashable, Sendable {
        let address: NetworkAddress
        let socket: Int
    }

    // Bit K: it has answered question K.
    private var answered: [Source: UInt8] = [:]
    private var firstQuestion: ContinuousClock.Instant?
    private var secondQuestion: ContinuousClock.Instant?
    private var hasLateAnswers = false
    private var lastAnswer: ContinuousClock.Instant?

    /// The first question goes out.
    mutating func askFirst(at now: ContinuousClock.Instant) { firstQuestion = now }

    /// The second question goes out.
    mutating func askSecond(at now: ContinuousClock.Instant) { secondQuestion = now }

    /// `address` has answered question `round`, 0 or 1, at the socket of this number.
    mutating func note(
        _ address: NetworkAddress, socket: Int, round: Int, at now: ContinuousClock.Instant
    ) {
        let source = Source(address: address, socket: socket)
        guard answered[source] != nil || answered.count < AnswerRounds.maximumSources else { return }
        answered[source, default: 0] |= round == 0 ? 1 : 2
        if let asked = round == 0 ? firstQuestion : secondQuestion, asked + AnswerRounds.promptness < now {
            hasLateAnswers = true
        }
        lastAnswer = now
    }

    /// True if some answer is missing.
    var hasLosses: Bool { missing != nil }

    /// A host with an answer too few.
    var missing: NetworkAddress? {
        secondQuestion == nil ? nil : answered.first { $0.value != 3 }?.key.address
    }

    /// True once all hosts that answer at all have answered both questions promptly: no packet is lost here,
    /// and none is late.
    func isPrompt(at now: ContinuousClock.Instant) -> Bool {
        guard let secondQuestion, now >= secondQuestion + AnswerRounds.promptness else { return false }
        return !answered.isEmpty && !hasLateAnswers && !hasLosses
    }

    /// How long to wait until ``hasLosses`` can be believed; nil if it can be now.
    func doubt(at now: ContinuousClock.Instant) -> Duration? {
        guard let secondQuestion else { return AnswerRounds.patience }
        let isLate = now >= secondQuestion + AnswerRounds.limit
        guard !isLate, !answered.values.contains(2) else { return nil }
        let quiet = max(secondQuestion, lastAnswer ?? secondQuestion) + AnswerRounds.patience
        // Once all have answered both, nothing is missing as soon as the hosts have had their time.
        let end = answered.values.contains(1) ? quiet : secondQuestion + AnswerRounds.patience
        return now < end ? now.duration(to: end) : nil
    }
}
