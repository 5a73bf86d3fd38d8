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
    public var replies: Replies { Replies(prober: self) }

    /// What was sent and dropped in all searches of this prober and its copies, up to now.
    public var counts: ProbeCounts { tally.counts.withLock { $0 } }

    /// The replies to one prober, with a typed error.
    public struct Replies: AsyncSequence, Sendable {
        /// The element.
        public typealias Element = VerifiedReply
        /// The error.
        public typealias Failure = DiscoveryError

        let prober: HubProber

        /// Starts a search.
        public func makeAsyncIterator() -> Iterator { Iterator(prober) }
    }

    /// A search that goes on until this value is gone.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<VerifiedReply>.Iterator
        private let ending: Ending

        init(_ prober: HubProber) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: VerifiedReply.self, bufferingPolicy: .bufferingOldest(HubProber.maximumUnread))
            let ending = Ending()
            base = stream.makeAsyncIterator()
            self.ending = ending
            do throws(DiscoveryError) {
                let session = try ProbeSession(prober, tally: prober.tally) { reply in
                    if case .dropped = continuation.yield(reply) { false } else { true }
                } ended: { error in
                    ending.error.withLock { $0 = error }
                    continuation.finish()
                }
                // Called in every case: the end, cancellation, or an iterator that is dropped.
                continuation.onTermination = { _ in Task { await session.close() } }
                Task { await session.open() }
            } catch {
                ending.error.withLock { $0 = error }
                continuation.finish()
            }
        }

        /// The next reply; nil if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DiscoveryError) -> VerifiedReply? {
            if let reply = await base.next(isolation: actor) { return reply }
            if let error = ending.error.withLock({ $0 }) { throw error }
            return nil
        }
    }

    /// How a search ended. Beside the stream, so that it arrives even if the stream is full.
    private final class Ending: Sendable {
        let error = Mutex<DiscoveryError?>(nil)
    }

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
