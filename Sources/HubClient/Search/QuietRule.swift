/// Decides when a search is over: as soon as nothing more can come, instead of after a fixed time; and says
/// what it waits for until then.
///
/// The reasons for the times (RFC 6762):
/// - A responder delays its answer by 20–120 ms, because several may answer (§ 6). The search sends its
///   question after 10–20 ms, 60 at most; avahi-daemon sends the same once more, with others that it collects
///   for up to 100 ms. So without packet loss the last answer arrives 240 ms after the start. With a margin
///   for Wi-Fi and slow machines: 350 ms.
/// - If all hosts here have answered two one-shot questions (§ 5.1) within 120 ms, and there is no hub on a
///   host that has not, no margin is needed, and the daemon's repetition need not be waited for. The question
///   for multicast answers goes out after 20 ms at most; 120 ms, and what the answer needs to get here:
///   190 ms. ``Sighting/prompt`` comes later if that question did: it waits for what the daemon knows, or is
///   left to the daemon; and where a host took more than 50 ms.
/// - If it is left to the daemon, since the daemon knows more hubs than one message can name, and all of them
///   have answered within 50 ms, nothing new is to be expected from it: 90 ms, in which any other host can
///   answer a one-shot question, and before the daemon asks. With 200 hubs its question keeps every host busy
///   for a quarter of a second.
/// - If nobody has answered three one-shot questions, and all that is announced is on this machine, there
///   is no sign of a slow machine or network: no margin is needed. But nobody has shown that packets get
///   through either, so the answer to the daemon's repetition is waited for: 100 and 120 ms, and what the
///   answer needs to get here: 225 ms.
/// - A follow-up to an answer (a question for an address, a second packet of known answers) takes at most the
///   same time again: after 250 ms without news, nothing is outstanding. Where all have answered at once, or
///   there is nobody, 50 ms.
/// - If a packet is lost, the question is repeated one second after the first (§ 5.2) and answered: 1,400 ms.
///   The search waits that long if there is a sign of loss (a host that answers one question but not another,
///   a resolver without an answer), and before an empty result.
/// - A responder multicasts a record at most once a second (§ 6). If another host has just asked, it seems
///   silent to a stack without a cache, and answers after that second: with its delay of up to 120 ms, and
///   python-zeroconf collects such answers for 200 ms more. With a margin: 1,600 ms. A direct answer is not
///   held back (§ 6.7): where every host gives those, that is not waited for.
/// - A hint that is not confirmed comes from a host that exists, but whose multicast answers neither the
///   daemon nor this search hears.
///   The answer to the repeated question is waited for, too; and if there is another sign of loss, the one to
///   the daemon's third question, two seconds after the second (§ 5.2): 3,400 ms.
///
/// - A host that is slow to answer one question may be as slow with the next: all these times are longer by
///   what the slowest answer took, 1 s at most.
/// - While this process could not run, it could not listen either: that time does not count. If it is more
///   than half a second in all, the machine is busy, and avahi-daemon on it may be too: silence means nothing
///   any more, and what a hint says is waited for as if packets were lost.
///
/// A pure value: times since the start go in, a verdict comes out.
package struct QuietRule: Hashable, Sendable {
    /// What is waited for.
    package enum Wait: Hashable, Sendable {
        /// Answers to the first question.
        case firstAnswers
        /// The answer to the repeated question, since there is a sign of loss.
        case repetition
        /// The same, since nothing has been found.
        case something
        /// A late answer: what others have just been told, responders tell a stack without a cache later.
        case uncached
        /// That the browse confirms a hint.
        case confirmation
        /// What may follow the last news.
        case quiet
    }

    package static let confirmedAnswers = Duration.milliseconds(90)
    package static let promptAnswers = Duration.milliseconds(190)
    package static let aloneAnswers = Duration.milliseconds(225)
    package static let firstAnswers = Duration.milliseconds(350)
    package static let promptQuiet = Duration.milliseconds(50)
    package static let quiet = Duration.milliseconds(250)
    package static let repetition = Duration.milliseconds(1_400)
    package static let uncached = Duration.milliseconds(1_600)
    package static let thirdQuestion = Duration.milliseconds(3_400)
    /// The maximum duration of a search, so that a hostile host cannot keep it busy forever.
    package static let limit = Duration.seconds(10)
    /// What a busy machine can add to ``limit``; a flood makes it busy, too.
    package static let maximumStall = Duration.seconds(20)
    /// The same while name servers still answer: a thousand hubs take some two thousand questions, which a
    /// slow line or a busy machine does not bring back in ten seconds. A question that is not answered ends
    /// by itself.
    package static let domainLimit = Duration.seconds(60)
    /// What one slow host can add to the times above; the threat is one that is slow on purpose.
    package static let maximumSlowness = Duration.seconds(1)
    /// A machine is busy if this process could not run for that long, in all: more than the margin of the
    /// first answers.
    package static let busyStall = Duration.milliseconds(500)

    /// When the first question was asked: a busy daemon may be late.
    package var begun = Duration.zero
    /// When the list last changed.
    package var lastNews = Duration.zero
    /// How long the slowest answer took; zero if all were prompt.
    package private(set) var slowness = Duration.zero
    /// How long this process could not run, in all.
    package private(set) var stalled = Duration.zero
    /// True if there is a sign of packet loss.
    package var isLossy = false
    /// True if all hosts have answered all questions, and none is late.
    package var isPrompt = false
    /// True if, beside that, all hubs that the daemon knew have answered, more than one message can name.
    package var isConfirmed = false
    /// True if there is no sign of any hub but this machine's own.
    package var isAlone = false
    /// When a stack without a cache began to ask; nil if the daemon, which has a cache, is used.
    package var uncachedSince: Duration?
    /// True if there is no such cache, though all that were found answer directly: that one host was prompt
    /// says nothing of those that nobody has heard yet.
    package var isUncached = false
    /// True if nothing has been found.
    package var isEmpty = true
    /// True if there is a hint that the browse has not confirmed.
    package var hasHints = false
    /// True if nothing is asked that could be met by silence: only name servers and single addresses, which
    /// answer or fail.
    package var isDirect = false

    package init() {}

    /// True if this machine is too busy for silence to mean that nobody has answered.
    package var isBusy: Bool { stalled >= QuietRule.busyStall }

    /// An answer took this long.
    package mutating func noteAnswer(after time: Duration) {
        slowness = max(slowness, min(time, QuietRule.maximumSlowness))
    }

    /// At `time` this process can run again, and could not for `pause` before it.
    package mutating func stall(for pause: Duration, until time: Duration) {
        stalled += pause
        begun = min(begun + pause, time)
        lastNews = min(lastNews + pause, time)
        uncachedSince = uncachedSince.map { min($0 + pause, time) }
    }

    /// What is waited for at `time` beside answers that are under way, and until when.
    package func waits(at time: Duration) -> [(wait: Wait, until: Duration)] {
        guard !isDirect else { return [] }
        let isSure = !isLossy && !isBusy && !isUncached && uncachedSince == nil
        let (isPrompt, isAlone) = (isPrompt && isSure, isAlone && isSure)
        let isConfirmed = isConfirmed && isSure
        let answers =
            if isConfirmed {
                QuietRule.confirmedAnswers
            } else if isPrompt {
                QuietRule.promptAnswers
            } else if isAlone {
                QuietRule.aloneAnswers
            } else {
                QuietRule.firstAnswers
            }
        let (least, wait): (Duration, Wait) =
            if hasHints {
                (isLossy || isBusy ? QuietRule.thirdQuestion : QuietRule.repetition, .confirmation)
            } else if isLossy {
                (QuietRule.repetition, .repetition)
            } else if isEmpty {
                (QuietRule.repetition, .something)
            } else {
                (answers, .firstAnswers)
            }
        let quiet = lastNews + (isConfirmed || isPrompt || isAlone ? QuietRule.promptQuiet : QuietRule.quiet)
        var all = [(wait, begun + least), (.quiet, quiet)]
        if let uncachedSince { all.append((.uncached, uncachedSince + QuietRule.uncached)) }
        // An answer that waited for this process is no slow one.
        let slowness = max(.zero, slowness - stalled)
        return all.map { ($0.0, $0.1 + slowness) }.filter { time < $0.1 }
    }
}
