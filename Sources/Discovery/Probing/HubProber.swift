import Synchronization

/// Asks everybody on the local network over UDP which hubs there are, and gives the answers that are proven.
///
/// Needs no daemon and no multicast DNS. Three probes go out in a burst, each to every interface's broadcast
/// addresses and to ff02::1.
///
///     for try await hub in HubProber().replies {
///         print(hub.reply.name, hub.address.description(withPort: hub.reply.port), hub.reply.pin.fingerprint)
///     }
///
/// Names are a stranger's: escape them before you print. The pin is proven, the address is not (see ``ProbeReply``).
public struct HubProber: Sendable {
    /// The design's UDP port.
    public static let defaultPort: UInt16 = 8_000
    /// When the probes of a burst leave, since its start. Wi-Fi drops broadcasts, so there are three.
    public static let burst: [Duration] = [.zero, .milliseconds(150), .milliseconds(600)]
    /// When the last answer to a burst can be expected: 50 ms of jitter and a slow Wi-Fi's round trip after the last
    /// probe.
    public static let answerTime = Duration.milliseconds(800)
    /// The least time between two bursts that notices cause.
    public static let noticeInterval = Duration.seconds(5)
    /// The most replies that wait for a slow reader.
    public static let maximumUnread = 8_192

    /// The UDP port that hubs listen on.
    public var port: UInt16
    /// Whether it goes on listening after the burst, and probes again when a hub gives notice or this machine's
    /// network changes: for a list that is watched.
    public var hearsNotices: Bool
    // Shorter in tests.
    var noticeInterval = HubProber.noticeInterval
    private let tally = Tally()

    /// A prober; it sends nothing until its replies are read.
    public init(port: UInt16 = HubProber.defaultPort, hearsNotices: Bool = false) {
        self.port = port
        self.hearsNotices = hearsNotices
    }

    /// The hubs that answer from now on. It does not end by itself: after ``answerTime`` break out of the loop or
    /// cancel the task, and everything (thread, sockets) is freed. Each iteration is a search of its own.
    ///
    /// A hub comes once for each of its addresses, and again when it says something new.
    public var replies: SearchResults<VerifiedReply> {
        SearchResults(maximumUnread: HubProber.maximumUnread) { output, ended throws(DiscoveryError) in
            try ProbeSession(self, tally: tally, output: output, ended: ended)
        }
    }

    /// What was sent and dropped in all searches of this prober and its copies, up to now.
    public var counts: ProbeCounts { tally.counts.withLock { $0 } }

    /// The counts that all searches of a prober share.
    final class Tally: Sendable {
        let counts = Mutex(ProbeCounts())
    }
}

/// A hub's signed reply, and where it came from.
public struct VerifiedReply: Hashable, Sendable {
    /// What the hub says; its pin is proven.
    public let reply: ProbeReply
    /// The source of the packet, link-local IPv6 with its scope; on a network of ``interface``, but not proven.
    public let address: NetworkAddress
    /// The interface that it came in on.
    public let interface: NetworkInterface
    /// When it came, since the start of the search.
    public let elapsed: Duration

    /// A reply from `address` on `interface`.
    public init(
        reply: ProbeReply, address: NetworkAddress, interface: NetworkInterface, elapsed: Duration
    ) {
        self.reply = reply
        self.address = address
        self.interface = interface
        self.elapsed = elapsed
    }
}

/// What became of datagrams.
public struct ProbeCounts: Hashable, Sendable {
    /// Datagrams that the kernel took.
    public var sent = 0
    /// Datagrams that the kernel refused, by errno: EPERM speaks for a firewall, ENETUNREACH for a missing route.
    public var refused: [Int32: Int] = [:]
    /// Replies (on a device) or probes (on a hub) that were good.
    public var accepted = 0
    /// What was dropped, by reason.
    public var dropped: [ProbeDrop: Int] = [:]

    /// Nothing so far.
    public init() {}

    mutating func note(_ errno: Int32) {
        if errno == 0 { sent += 1 } else { refused[errno, default: 0] += 1 }
    }
}
