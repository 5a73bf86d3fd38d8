/// Which probes a hub answers: at most 2 a second for one source and 20 for all, each nonce once.
///
/// A pure value: time comes in as a parameter. Two threats: a source that is forged, whose owner would get
/// the replies (each is smaller than its probe); and a flood of probes, each of which costs a signature. An
/// attacker that forges the sources of many hosts on the link can use up the 20, and so make the hub silent
/// over UDP; mDNS and the address that a code carries remain.
struct ProbeLimits: Sendable {
    static let perSource = 2
    static let overAll = 20
    /// Both limits count over any stretch of this length.
    static let window = Duration.seconds(1)

    private struct Answer {
        let source: NetworkAddress
        let nonce: [UInt8]
        let time: Duration
    }

    // What was admitted within the window, the oldest first: at most `overAll`, whatever the number of
    // sources.
    private var answers: [Answer] = []

    /// Nil if a probe with this nonce from this source is to be answered at `now`, which then counts; else
    /// why not.
    mutating func judge(_ probe: Probe, from source: NetworkAddress, at now: Duration) -> ProbeDrop? {
        answers.removeAll { now - $0.time >= ProbeLimits.window }
        let same = answers.filter { $0.source == source }
        // A device asks over several broadcast addresses at once.
        guard !same.contains(where: { $0.nonce == probe.nonce }) else { return .repeated }
        guard same.count < ProbeLimits.perSource, answers.count < ProbeLimits.overAll else {
            return .overLimit
        }
        answers.append(Answer(source: source, nonce: probe.nonce, time: now))
        return nil
    }
}
