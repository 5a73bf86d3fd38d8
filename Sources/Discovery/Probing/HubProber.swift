import Synchronization

/// Asks everybody on the local network over UDP which hubs there are, and gives the answers that are proven.
///
/// Needs no daemon and no multicast DNS. Four probes go out in a burst, each to every interface's broadcast
/// addresses and to ff02::1.
///
///     for try await hub in HubProber().replies {
///         let reply = hub.reply
///         print(reply.name, hub.address.description(withPort: reply.port), reply.pin.fingerprint)
///     }
///
/// Names are a stranger's: escape them before you print. The pin is proven, the address is not (see
/// ``ProbeReply``).
public struct HubProber: Sendable {
    /// The design's UDP port.
    public static let defaultPort: UInt16 = 8_000
    /// When the probes of a burst leave, since its start. Wi-Fi drops broadcasts, so there are several; the
    /// last one finds hubs that answer this computer no more for the rest of a second, since a search just
    /// before has had both of their answers.
    public static let burst: [Duration] = [0, 150, 600, 1_150].map(Duration.milliseconds)
    /// When the last answer can be expected of hubs that were not asked just before: 50 ms of jitter and a
    /// slow Wi-Fi's round trip after the last probe but one.
    public static let answerTime = Duration.milliseconds(800)
    /// The least time between two bursts that notices cause.
    public static let noticeInterval = Duration.seconds(5)
    /// The most replies that wait for a slow reader.
    public static let maximumUnread = 8_192

    /// The UDP port that hubs listen on.
    public var port: UInt16
    /// Whether it goes on listening after the burst, and probes again when a hub gives notice or this
    /// machine's network changes: for a list that is watched.
    public var hearsNotices: Bool
    // Shorter in tests.
    var noticeInterval = HubProber.noticeInterval
    let counter = Counter()

    /// A prober; it sends nothing until its replies are read.
    public init(port: UInt16 = HubProber.defaultPort, hearsNotices: Bool = false) {
        self.port = port
        self.hearsNotices = hearsNotices
    }

    /// What was sent and dropped in all searches of this prober and its copies, up to now.
    public var counts: ProbeCounts { counter.counts.withLock { $0 } }

    /// The counts that all searches of a prober share.
    final class Counter: Sendable {
        let counts = Mutex(ProbeCounts())
    }
}
