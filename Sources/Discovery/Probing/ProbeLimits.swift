/// Decides which probes a hub answers: at most 2 per second for one source and 20 in total, and each nonce
/// once per source.
///
/// A pure value: the time is a parameter. There are two threats. A forged source address directs the replies
/// to its owner; therefore each reply is smaller than its probe. A flood of probes costs one signature each.
/// An attacker who forges the addresses of many hosts on the link can use up the limit of 20 and so silence
/// the hub over UDP; mDNS and the address in a pairing code still work.
struct ProbeLimits: Sendable {
    static let perSource = 2
    static let overAll = 20
    /// The sliding window over which both limits count.
    static let window = Duration.seconds(1)

    private struct Answer {
        let source: NetworkAddress
        let nonce: [UInt8]
        let time: Duration
    }

    // The probes admitted within the window, oldest first: at most `overAll`, whatever the number of sources.
    private var answers: [Answer] = []

    /// Admits a probe, which then counts, and returns nil; or returns why it is not answered.
    mutating func judge(_ probe: Probe, from source: NetworkAddress, at now: Duration) -> ProbeDrop? {
        answers.removeAll { now - $0.time >= ProbeLimits.window }
        let same = answers.filter { $0.source == source }
        // A device sends one probe to several broadcast addresses, so it can arrive more than once.
        guard !same.contains(where: { $0.nonce == probe.nonce }) else { return .repeated }
        guard same.count < ProbeLimits.perSource, answers.count < ProbeLimits.overAll else {
            return .overLimit
        }
        answers.append(Answer(source: source, nonce: probe.nonce, time: now))
        return nil
    }
}
