import Synchronization

/// Looks for services of one type on the local network without avahi-daemon: avahi's own mDNS stack, in this process
/// (RFC 6762, 6763).
///
/// The same sightings as ``HubBrowser``, for machines where that throws ``DiscoveryError/noBus`` or
/// ``DiscoveryError/noDaemon``. A daemon keeps a cache and this does not: a first answer takes 20–120 ms (RFC 6762
/// § 6). Fine beside a daemon, too: it only asks.
public struct EmbeddedBrowser: Hashable, Sendable {
    /// The DNS-SD service type (RFC 6763 § 4.1.2), such as `_hestia._tcp`.
    public var serviceType: String
    /// How long ``Sighting/settled`` waits for the address of a service.
    public var resolveDeadline: Duration

    /// A browser; it sends nothing until its sightings are read.
    public init(serviceType: String = "_hestia._tcp", resolveDeadline: Duration = .seconds(1)) {
        self.serviceType = serviceType
        self.resolveDeadline = resolveDeadline
    }

    /// What is seen from now on. It does not end by itself: break out of the loop or cancel the task, and everything
    /// (thread, sockets, avahi's objects) is freed. Each iteration is a browse of its own.
    public var sightings: Sightings { Sightings(browser: self) }

    /// The sightings of one browser, with a typed error.
    public struct Sightings: AsyncSequence, Sendable {
        /// The element.
        public typealias Element = Sighting
        /// The error.
        public typealias Failure = DiscoveryError

        let browser: EmbeddedBrowser

        /// Starts a browse.
        public func makeAsyncIterator() -> Iterator { Iterator(browser) }
    }

    /// A browse that goes on until this value is gone.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Sighting>.Iterator
        private let ending: Ending

        init(_ browser: EmbeddedBrowser) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Sighting.self, bufferingPolicy: .bufferingOldest(HubBrowser.maximumUnread))
            let ending = Ending()
            base = stream.makeAsyncIterator()
            self.ending = ending
            do throws(DiscoveryError) {
                let session = try EmbeddedBrowseSession(browser) { sighting in
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
