import Synchronization

/// Looks for services of one type on the local network through the running avahi-daemon (RFC 6762, 6763).
///
///     var listing = HubListing(networks: LocalNetwork.current())
///     let start = ContinuousClock.now
///     for try await sighting in HubBrowser().sightings {
///         for change in listing.apply(sighting, at: start.duration(to: .now)) { ... }
///         if sighting == .settled { break }
///     }
public struct HubBrowser: Hashable, Sendable {
    /// The most instances (service, interface and address family) that are followed at a time. The threat is
    /// one host that announces thousands.
    public static let maximumInstances = 16_384
    /// The most sightings that wait for a slow reader.
    public static let maximumUnread = 32_768

    /// The DNS-SD service type (RFC 6763 § 4.1.2), such as `_hestia._tcp`.
    public var serviceType: String
    /// How long ``Sighting/settled`` waits for the address of a service. An answer comes within 20–120 ms
    /// (RFC 6762 § 6) or, if a packet was lost, to the second question one second later.
    public var resolveDeadline: Duration
    /// True: hears of changes of port, address and TXT record for as long as it is read, of the first 400 services
    /// at least. False: a service is resolved once, which spares the daemon.
    public var follows: Bool
    /// True: a one-shot query (RFC 6762 § 5.1) runs ahead of the daemon, and gives ``Sighting/hinted(_:)``.
    public var asksOnce: Bool

    /// A browser; it sends nothing until its sightings are read.
    public init(
        serviceType: String = "_hestia._tcp", resolveDeadline: Duration = .seconds(2), follows: Bool = true,
        asksOnce: Bool = true
    ) {
        self.serviceType = serviceType
        self.resolveDeadline = resolveDeadline
        self.follows = follows
        self.asksOnce = asksOnce
    }

    /// What is seen from now on. It does not end by itself: break out of the loop or cancel the task, and
    /// everything (thread, descriptors, avahi's objects) is freed. Each iteration is a browse of its own.
    public var sightings: Sightings { Sightings(browser: self) }

    /// The sightings of one browser, with a typed error.
    public struct Sightings: AsyncSequence, Sendable {
        /// The element.
        public typealias Element = Sighting
        /// The error.
        public typealias Failure = DiscoveryError

        let browser: HubBrowser

        /// Starts a browse.
        public func makeAsyncIterator() -> Iterator { Iterator(browser) }
    }

    /// A browse that goes on until this value is gone.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Sighting>.Iterator
        private let ending: Ending

        init(_ browser: HubBrowser) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Sighting.self, bufferingPolicy: .bufferingOldest(HubBrowser.maximumUnread))
            let ending = Ending()
            base = stream.makeAsyncIterator()
            self.ending = ending
            do throws(DiscoveryError) {
                let session = try BrowseSession(browser) { sighting in
                    if case .dropped = continuation.yield(sighting) { false } else { true }
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

        /// The next sighting; nil if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DiscoveryError) -> Sighting? {
            if let sighting = await base.next(isolation: actor) { return sighting }
            if let error = ending.error.withLock({ $0 }) { throw error }
            return nil
        }
    }

    /// How a browse ended. Beside the stream and not in it, so that it arrives even if the stream is full.
    private final class Ending: Sendable {
        let error = Mutex<DiscoveryError?>(nil)
    }
}
