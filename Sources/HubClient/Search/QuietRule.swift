/// Decides when a search is over: as soon as the network is quiet, instead of after a fixed time.
///
/// The reasons for the times (RFC 6762):
/// - A first question waits 20–120 ms so that many hosts do not ask at once (§ 5.2). avahi-daemon collects
///   questions for up to 100 ms.
/// - A responder delays its answer by 20–120 ms, because several may answer (§ 6). So without packet loss the
///   last answer arrives 240 ms after the question. With a margin for Wi-Fi and slow machines: 350 ms.
/// - A follow-up to an answer (a question for an address, a second packet of known answers) takes at most the
///   same time again: after 250 ms without news, nothing is outstanding.
/// - If a packet is lost, the question is repeated one second after the first (§ 5.2) and answered: 1,400 ms.
///   The search waits that long if there is a sign of loss (a host that answers one question but not another,
///   a resolver without an answer), and before an empty result.
/// - A responder multicasts a record at most once a second (§ 6). If another host has just asked, it seems
///   silent to a stack without a cache. The repeated question comes after that second, and the search waits
///   for its answer: 1,400 ms.
/// - A hint that the browse does not confirm comes from a host that exists but that the daemon does not hear.
///   The search waits for the answer to the daemon's third question, two seconds after the second (§ 5.2):
///   3,400 ms.
///
/// A pure value: times since the start go in, a verdict comes out.
package struct QuietRule: Hashable, Sendable {
    package static let firstAnswers = Duration.milliseconds(350)
    package static let quiet = Duration.milliseconds(250)
    package static let repetition = Duration.milliseconds(1_400)
    package static let thirdQuestion = Duration.milliseconds(3_400)
    /// The maximum duration of a search, so that a hostile host cannot keep it busy forever.
    package static let limit = Duration.seconds(10)

    /// When the first question was asked: a busy daemon may be late.
    package var begun = Duration.zero
    /// When the list last changed.
    package var lastNews = Duration.zero
    /// The number of outstanding questions that are not overdue: resolvers, handshakes, a sweep.
    package var pending = 0
    /// True if there is a sign of packet loss.
    package var isLossy = false
    /// When a stack without a cache began to ask; nil if the daemon, which has a cache, is used.
    package var uncachedSince: Duration?
    /// True if nothing has been found.
    package var isEmpty = true
    /// True if there is a hint that the browse has not confirmed.
    package var hasHints = false
    /// True while a sweep runs, which ends by itself.
    package var isSweeping = false

    package init() {}

    /// True if the search is over at `time`.
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
