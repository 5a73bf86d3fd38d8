import Synchronization

/// What a search finds, as it finds it, with a typed error.
///
/// It does not end by itself: break out of the loop or cancel the task, and everything (thread, descriptors, the
/// library's objects) is freed. Each iteration is a search of its own.
public struct SearchResults<Element: Sendable>: AsyncSequence, Sendable {
    /// The error.
    public typealias Failure = DiscoveryError
    /// Takes an element; false if there is no room for it.
    typealias Output = @Sendable (Element) -> Bool
    /// Takes the end, with its reason.
    typealias Ended = @Sendable (DiscoveryError?) -> Void
    typealias Start =
        @Sendable (@escaping Output, @escaping Ended) throws(DiscoveryError) -> any SearchSession

    private let maximumUnread: Int
    private let start: Start

    /// - Parameters:
    ///   - maximumUnread: how many elements wait for a slow reader.
    ///   - start: makes the session of one search.
    init(maximumUnread: Int, start: @escaping Start) {
        self.maximumUnread = maximumUnread
        self.start = start
    }

    /// Starts a search.
    public func makeAsyncIterator() -> Iterator { Iterator(maximumUnread, start) }

    /// A search that goes on until this value is gone.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Element>.Iterator
        private let ending: Ending

        init(_ maximumUnread: Int, _ start: Start) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Element.self, bufferingPolicy: .bufferingOldest(maximumUnread))
            let ending = Ending()
            base = stream.makeAsyncIterator()
            self.ending = ending
            do throws(DiscoveryError) {
                let session = try start { element in
                    if case .dropped = continuation.yield(element) { false } else { true }
                } _: { error in
                    ending.error.withLock { $0 = error }
                    continuation.finish()
                }
                // Called in every case: the end, cancellation, or an iterator that is dropped.
                continuation.onTermination = { _ in Task { await session.close(nil) } }
                Task { await session.open() }
            } catch {
                ending.error.withLock { $0 = error }
                continuation.finish()
            }
        }

        /// The next element; nil if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DiscoveryError) -> Element? {
            if let element = await base.next(isolation: actor) { return element }
            if let error = ending.error.withLock({ $0 }) { throw error }
            return nil
        }
    }

    /// How a search ended. Beside the stream and not in it, so that it arrives even if the stream is full.
    private final class Ending: Sendable {
        let error = Mutex<DiscoveryError?>(nil)
    }
}

/// One search: owns what listens to the network, from `open` to `close`.
///
/// It holds itself meanwhile: whoever calls `open` must see to it that `close` is called.
protocol SearchSession: Actor {
    func open()
    /// Frees everything and ends the output; a second call does nothing.
    func close(_ error: DiscoveryError?)
}
