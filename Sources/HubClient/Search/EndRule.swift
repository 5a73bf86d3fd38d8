/// Decides when a search is over: as soon as nothing more can come, instead of after a fixed time; and says
/// what it waits for until then. All times by which a search ends are here.
///
/// What counts for all of them:
/// - A host that is slow to answer one question may be as slow with the next: the margin of a time grows to
///   what the slowest answer took, a second at most. Times without a margin grow by all of it.
/// - While this process could not run, it could not listen either: that time does not count. If it is more
///   than ``busyStall`` in all, avahi-daemon may be late, too: silence means nothing any more, and what a
///   hint says is waited for as if packets were lost.
///
/// A pure value: times since the start go in, a verdict comes out.
package struct EndRule: Hashable, Sendable {
    /// What is waited for; completes a sentence that begins with "waits for".
    package enum Wait: String, Hashable, Sendable {
        case firstAnswers = "the first answers, which responders delay by up to 120 ms (RFC 6762 § 6)"
        case repetition = "the answer to the repeated question (RFC 6762 § 5.2), as a packet was lost"
        case something = "the answer to the repeated question (RFC 6762 § 5.2), as there is no hub yet"
        /// What others have just been told, responders tell a stack without a cache later.
        case uncached = """
            answers that responders hold back, since others have just had them (RFC 6762 § 6) and no \
            avahi-daemon has heard those
            """
        case confirmation = "multicast DNS to confirm what one host alone has said"
        case quiet = "what may follow the last news"
    }

    /// What shows that there is no more to come.
    package enum Certainty: Hashable, Sendable {
        /// All hosts have answered all questions, and none is late.
        case prompt
        /// Beside that, all hubs that the daemon knew have answered, more than one message can name.
        case confirmed
        /// There is no sign of any hub but this machine's own.
        case alone
    }

    /// Answers to the first question: it goes out after 20 ms, avahi-daemon collects its own with others for
    /// 100 more, and a responder delays its answer by up to 120, because several may answer (RFC 6762 § 6).
    package static let answers = Duration.milliseconds(240)
    /// The same without the daemon: this process collects nothing, and its question goes out after 60 ms at
    /// the latest.
    package static let ownAnswers = Duration.milliseconds(180)
    /// What may follow an answer: a question for an address, a second packet of known answers.
    package static let followUp = Duration.milliseconds(140)
    /// For Wi-Fi and slow machines, in both.
    package static let margin = Duration.milliseconds(110)
    /// The first answers where all hosts here have answered two one-shot questions (§ 5.1) within 120 ms, and
    /// there is no hub on a host that has not: the question for multicast answers goes out after 20 ms, then
    /// 120 ms, and what the answer needs to get here.
    package static let promptAnswers = Duration.milliseconds(190)
    /// The same where, beside that, the daemon knows more hubs than one message can name, and all of them
    /// have answered within 50 ms: any other host can answer a one-shot question before the daemon asks. With
    /// 200 hubs its question keeps every host busy for a quarter of a second.
    package static let confirmedAnswers = Duration.milliseconds(90)
    /// The same where nobody has answered three one-shot questions, and all that is announced is on this
    /// machine. Nobody has shown that packets get through, so the daemon's question is waited for.
    package static let aloneAnswers = Duration.milliseconds(225)
    /// What may follow an answer in these three cases.
    package static let promptQuiet = Duration.milliseconds(50)
    /// The answer to the repeated question, one second after the first (§ 5.2): where a host answers one
    /// question but not another, where a resolver gets no answer, before an empty result, and for a hint that
    /// multicast DNS has not confirmed: its host exists.
    package static let repetition = Duration.milliseconds(1_400)
    /// The answer to the third one, two seconds later: for such a hint where packets are lost.
    package static let thirdQuestion = Duration.milliseconds(3_400)
    /// A responder multicasts a record at most once a second (§ 6). If another host has just asked, it seems
    /// silent to a search without a cache, and answers after that second and its delay; python-zeroconf
    /// collects such answers for 200 ms more. A direct answer is not held back (§ 6.7).
    package static let uncached = Duration.milliseconds(1_600)
    /// The longest search, so that a hostile host cannot keep it busy forever. What a busy machine adds is at
    /// most twice as long; a flood makes it busy, too.
    package static let limit = Duration.seconds(10)
    /// A machine is busy if this process could not run for that long, in all.
    package static let busyStall = Duration.milliseconds(500)

    static let maximumStall = limit * 2
    /// How long a daemon that was lost is waited for: it asks its first question, and repeats it.
    static let comeback = thirdQuestion
    /// The longest that name servers are waited for since the last news, and in all: ten thousand hubs take
    /// some thirty thousand questions. One that is not answered ends by itself.
    static let domainLimit = limit * 6
    static let longestDomainSearch = domainLimit * 10
    private static let maximumSlowness = Duration.seconds(1)

    /// When the first question was asked: a busy daemon may be late.
    package var begun = Duration.zero
    package var lastNews = Duration.zero
    /// How long the slowest answer took; zero if all were prompt.
    package private(set) var slowness = Duration.zero
    /// How long this process could not run, in all.
    package private(set) var stalled = Duration.zero
    package var isLossy = false
    /// Why not all of the usual time is needed; nil if nothing says so.
    package var certainty: Certainty?
    /// When a stack without a cache began to ask; nil if the daemon, which has a cache, is used.
    package var uncachedSince: Duration?
    /// True if there is no such cache, though all that were found answer directly: that one host was prompt
    /// says nothing of those that nobody has heard yet.
    package var isUncached = false
    package var isEmpty = true
    package var hasHints = false
    /// True if nothing is asked that could be met by silence: only name servers and single addresses, which
    /// answer or fail.
    package var isDirect = false

    package init() {}

    /// True if this machine is too busy for silence to mean that nobody has answered.
    package var isBusy: Bool { stalled >= EndRule.busyStall }

    package mutating func noteAnswer(after time: Duration) {
        slowness = max(slowness, min(time, EndRule.maximumSlowness))
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
        let certainty = isSure ? certainty : nil
        // An answer that waited for this process is no slow one.
        let slowness = max(.zero, slowness - stalled)
        // The margin is for slow hosts.
        let excess = max(.zero, slowness - EndRule.margin)
        let answers =
            switch certainty {
            case .confirmed: EndRule.confirmedAnswers + slowness
            case .prompt: EndRule.promptAnswers + slowness
            case .alone: EndRule.aloneAnswers + slowness
            case nil: (isUncached ? EndRule.ownAnswers : EndRule.answers) + EndRule.margin + excess
            }
        let (least, wait): (Duration, Wait) =
            if hasHints {
                ((isLossy || isBusy ? EndRule.thirdQuestion : EndRule.repetition) + excess, .confirmation)
            } else if isLossy {
                (EndRule.repetition + excess, .repetition)
            } else if isEmpty {
                (EndRule.repetition + excess, .something)
            } else {
                (answers, .firstAnswers)
            }
        let quiet =
            certainty == nil
            ? EndRule.followUp + EndRule.margin + excess : EndRule.promptQuiet + slowness
        var all = [(wait, begun + least), (.quiet, lastNews + quiet)]
        if let uncachedSince { all.append((.uncached, uncachedSince + EndRule.uncached + excess)) }
        return all.filter { time < $0.1 }
    }
}
