/// Why a datagram was dropped. The raw values are for logs and JSON.
public enum ProbeDrop: String, Hashable, Sendable, CaseIterable {
    /// It begins with none of the magic numbers that are expected.
    case wrongMagic
    /// It is shorter than it says, or than any of its kind.
    case tooShort
    /// It is longer than it says, or than any of its kind.
    case tooLong
    /// Zeros, port, name or key are not what they must be.
    case malformed
    /// Its nonce belongs to no probe of this search: forged, or kept from an earlier search.
    case wrongNonce
    /// It was here before, to the byte.
    case replayed
    /// It says what the same source has said and proven already.
    case repeated
    /// The signature is wrong.
    case badSignature
    /// Its source is on none of the networks of the interface that it came in on.
    case offLink
    /// More of them than are looked at, from this source or in all.
    case overLimit
}

/// What a device makes of the datagrams that answer its probes: which count, which do not, and why.
///
/// A pure value: time comes in as a parameter. The threat is a host on the link, which hears every probe and
/// its nonce: it can answer with junk in any number. So everything is bounded, and a signature, which costs
/// about 0.1 ms, is verified at most 8 times a second for one source and 512 in all (1,024 at once, so that
/// 200 hubs that answer together are all heard).
struct ReplyScreen: Sendable {
    enum Verdict: Hashable {
        case verified(ProbeReply)
        case dropped(ProbeDrop)
    }

    /// The most sources, statements and signatures that are remembered.
    static let maximumRemembered = 4_096
    static let verificationsPerSource = 8

    private struct Statement: Hashable {
        let source: NetworkAddress
        let bytes: ArraySlice<UInt8>
    }

    private var nonces: Set<[UInt8]> = []
    private var signatures: Set<ArraySlice<UInt8>> = []
    private var statements: Set<Statement> = []
    private var limit = RateLimit(perSecond: 512, burst: 1_024)
    private var sourceLimits: [NetworkAddress: RateLimit] = [:]

    /// Forgets the probes before, and what was said to them: what comes now is news.
    mutating func begin() {
        nonces = []
        signatures = []
        statements = []
    }

    /// A probe is on its way: replies to its nonce count.
    mutating func expect(_ probe: Probe) { nonces.insert(probe.nonce) }

    /// Judges a datagram of `length` bytes that begins with `bytes`.
    ///
    /// - Parameter source: nil if it is not on the link.
    mutating func judge(
        _ bytes: [UInt8], length: Int, from source: NetworkAddress?, at now: Duration
    ) -> Verdict {
        guard let nonce = ProbeReply.nonce(of: bytes) else { return .dropped(.wrongMagic) }
        guard length >= ProbeReply.byteCounts.lowerBound else { return .dropped(.tooShort) }
        guard length <= ProbeReply.byteCounts.upperBound, let statement = ProbeReply.statement(of: bytes)
        else {
            return .dropped(.tooLong)
        }
        guard let source else { return .dropped(.offLink) }
        guard nonces.contains(nonce) else { return .dropped(.wrongNonce) }
        // From whatever source: a reply is signed anew for every probe, so a sender that repeats one is not
        // the hub. A host that overhears a reply and sends it first takes its place; the probes after it give
        // the hub new chances.
        let signature = bytes.suffix(64)
        guard !signatures.contains(signature) else { return .dropped(.replayed) }
        let said = Statement(source: source, bytes: statement)
        guard !statements.contains(said) else { return .dropped(.repeated) }
        guard signatures.count < ReplyScreen.maximumRemembered, admits(source, at: now) else {
            return .dropped(.overLimit)
        }
        do throws(ProbeReplyError) {
            let reply = try ProbeReply(verifying: bytes)
            signatures.insert(signature)
            statements.insert(said)
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
        if sourceLimits.count >= ReplyScreen.maximumRemembered {
            sourceLimits = sourceLimits.filter { !$0.value.isIdle(at: now) }
            guard sourceLimits.count < ReplyScreen.maximumRemembered else { return false }
        }
        let count = ReplyScreen.verificationsPerSource
        guard sourceLimits[source, default: RateLimit(perSecond: count, burst: count)].admit(at: now) else {
            return false
        }
        return limit.admit(at: now)
    }
}
