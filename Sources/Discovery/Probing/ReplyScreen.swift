/// Why a datagram was dropped. The raw values are for logs and JSON.
public enum ProbeDrop: String, Hashable, Sendable, CaseIterable {
    /// It begins with none of the expected magic numbers.
    case wrongMagic
    /// It is shorter than its length byte requires, or than any datagram of its kind.
    case tooShort
    /// It is longer than its length byte allows, or than any datagram of its kind.
    case tooLong
    /// The padding, port, name or key is invalid.
    case malformed
    /// Its nonce belongs to no probe of this search: forged, or replayed from an earlier search.
    case wrongNonce
    /// It repeats a signature that was verified before: the same datagram again.
    case replayed
    /// Its content was already received from the same source: for a reply, verified; for a probe, with the
    /// same nonce.
    case repeated
    /// The signature is wrong.
    case badSignature
    /// Its source address is not on a network of the receiving interface.
    case offLink
    /// It exceeds the rate limit for its source or for all sources.
    case overLimit
}

/// Decides which replies to a device's probes are accepted, and why others are dropped.
///
/// A pure value: the time is a parameter. The threat is a host on the link, which sees every probe and its
/// nonce and can answer with any number of replies, from forged sources and signed with keys of its own. So
/// everything is bounded, and no bound is one that other sources can use up for good. Verifying a signature
/// takes about 0.1 ms and happens at most 8 times per second for one source and 512 in total (with a burst of
/// 1,024, so that 200 hubs answering together are all accepted).
///
/// A quarter of that is kept for the first reply of each IPv4 address to a burst, another one for IPv6.
/// Somebody who forges all addresses of a /24 cannot keep a hub at another address from being heard, and
/// IPv6, which has addresses without end, takes nothing from IPv4.
struct ReplyScreen: Sendable {
    enum Verdict: Hashable {
        case verified(ProbeReply)
        case dropped(ProbeDrop)
    }

    /// So many sources, signatures and statements are remembered; the oldest are forgotten first.
    static let remembered = 4_096
    static let verificationsPerSource = 8

    private struct Statement: Hashable {
        let source: NetworkAddress
        let bytes: ArraySlice<UInt8>
    }

    private var nonces: Set<[UInt8]> = []
    private var signatures = Seniority<ArraySlice<UInt8>>()
    private var statements = Seniority<Statement>()
    /// The sources that have had a reply to this burst looked at.
    private var heard = Seniority<NetworkAddress>()
    private var limit = RateLimit(perSecond: 256, burst: 512)
    private var firstLimits: [NetworkAddress.Family: RateLimit] = [:]
    private var sourceLimits: [NetworkAddress: RateLimit] = [:]

    /// Starts a new burst: forgets earlier probes and replies, so that hubs that answered before are reported
    /// again.
    mutating func begin() {
        nonces = []
        (signatures, statements, heard) = (Seniority(), Seniority(), Seniority())
    }

    mutating func expect(_ probe: Probe) { nonces.insert(probe.nonce) }

    /// Judges a datagram of `length` bytes, of which `bytes` are the first.
    ///
    /// - Parameter source: nil if the sender is not on the link.
    mutating func judge(
        _ bytes: [UInt8], length: Int, from source: NetworkAddress?, at now: Duration
    ) -> Verdict {
        do throws(ProbeReplyError) {
            let (nonce, statement) = try ProbeReply.parts(of: bytes, length: length)
            guard let source else { return .dropped(.offLink) }
            guard nonces.contains(nonce) else { return .dropped(.wrongNonce) }
            // Checked for all sources: a hub signs each reply separately, so a repeated signature does not
            // come from the hub. A host that overhears a reply and sends it first suppresses the hub's own;
            // the next probes give the hub another chance.
            let signature = bytes.suffix(64)
            guard !signatures.keys.contains(signature) else { return .dropped(.replayed) }
            let said = Statement(source: source, bytes: statement)
            guard !statements.keys.contains(said) else { return .dropped(.repeated) }
            guard admits(source, at: now) else { return .dropped(.overLimit) }
            let reply = try ProbeReply(verifying: bytes)
            signatures.insert(signature, atMost: ReplyScreen.remembered)
            statements.insert(said, atMost: ReplyScreen.remembered)
            return .verified(reply)
        } catch {
            switch error {
            case .wrongMagic: return .dropped(.wrongMagic)
            case .tooShort: return .dropped(.tooShort)
            case .tooLong: return .dropped(.tooLong)
            case .portZero, .invalidName, .invalidKey: return .dropped(.malformed)
            case .invalidSignature: return .dropped(.badSignature)
            }
        }
    }

    private mutating func admits(_ source: NetworkAddress, at now: Duration) -> Bool {
        if sourceLimits.count >= ReplyScreen.remembered {
            sourceLimits = sourceLimits.filter { !$0.value.isIdle(at: now) }
            // More sources at once than any network has hubs: forged. The limits over all sources are enough.
            if sourceLimits.count >= ReplyScreen.remembered { sourceLimits = [:] }
        }
        let count = ReplyScreen.verificationsPerSource
        guard sourceLimits[source, default: RateLimit(perSecond: count, burst: count)].admit(at: now) else {
            return false
        }
        let isFirst = !heard.keys.contains(source)
        let firstLimit = RateLimit(perSecond: 128, burst: 256)
        let admitted =
            isFirst && firstLimits[source.family, default: firstLimit].admit(at: now)
            || limit.admit(at: now)
        if admitted, isFirst { heard.insert(source, atMost: ReplyScreen.remembered) }
        return admitted
    }
}
