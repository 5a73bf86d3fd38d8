/// When a search is over: as soon as the network has gone quiet, and not after a fixed time.
///
/// Why it is these times (RFC 6762):
/// - A first question waits 20–120 ms so that many devices do not ask at once (§ 5.2); avahi-daemon gathers
///   questions for up to 100 ms.
/// - A responder delays its answer by 20–120 ms, as several may have one (§ 6). So the last answer to a question
///   that nobody lost arrives 240 ms after it was posed, and then some for the air and the machines: 350 ms.
/// - Whatever follows from an answer (a question for an address, a second packet of known answers) takes one such
///   turn at most: 250 ms without news mean that no turn is under way.
/// - A lost packet is made up for by the repetition of the question, one second after the first (§ 5.2), and its
///   answer: 1,400 ms. That is waited for if there is a sign of loss, and before saying that there is nothing: a host
///   that answered one question and not another; a resolver without answer.
/// - A responder multicasts a record at most once a second (§ 6): to a stack without a cache it may seem silent, if
///   somebody else has just asked. The repetition comes after that second, so it is waited for: 1,400 ms.
/// - A hint that the browse does not confirm is a host that is there, and that the daemon does not hear: its third
///   question is waited for, two seconds after the second (§ 5.2), and its answer: 3,400 ms.
///
/// A pure value: times since the start come in, a verdict comes out.
package struct QuietRule: Hashable, Sendable {
    package static let firstAnswers = Duration.milliseconds(350)
    package static let quiet = Duration.milliseconds(250)
    package static let repetition = Duration.milliseconds(1_400)
    package static let thirdQuestion = Duration.milliseconds(3_400)
    /// The longest that it waits for what is under way: who keeps a search busy must not keep it for ever.
    package static let limit = Duration.seconds(10)

    /// When the first question was asked: a busy daemon can take its time to.
    package var begun = Duration.zero
    /// When the list last changed.
    package var lastNews = Duration.zero
    /// Questions whose answers are not there, nor late: resolvers, handshakes, a sweep.
    package var pending = 0
    /// There is a sign that packets are lost.
    package var isLossy = false
    /// When a stack that has no cache began to ask; nil: the daemon has one.
    package var uncachedSince: Duration?
    /// Nothing was found.
    package var isEmpty = true
    /// Something was hinted at that the browse has not seen.
    package var hasHints = false
    /// A sweep is under way, which ends by itself.
    package var isSweeping = false

    package init() {}

    /// True if it is over at `time`.
    package func isOver(at time: Duration) -> Bool {
        guard !isSweeping else { return false }
        guard time < QuietRule.limit else { return true }
        let least =
            if hasHints {
                QuietRule.thirdQuestion
            } else if isLossy || isEmpty {
                QuietRule.repetition
            } else {
                QuietRule.firstAnswers
            }
        let repeated = uncachedSince.map { $0 + QuietRule.repetition } ?? .zero
        return pending == 0 && time - begun >= least && time >= repeated && time - lastNews >= QuietRule.quiet
    }
}
