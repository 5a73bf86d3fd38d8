import Synchronization

/// The results of a search as they arrive, as an asynchronous sequence with a typed error.
///
/// The sequence does not end by itself. Breaking out of the loop or cancelling the task frees everything: the
/// thread, the descriptors and the C library's objects. Each iterator runs a search of its own.
public struct SearchResults<Element: Sendable>: AsyncSequence, Sendable {
    /// The error that ends an iteration.
    public typealias Failure = DiscoveryError
    /// Delivers an element; returns false if the buffer is full.
    typealias Output = @Sendable (Element) -> Bool
    /// Ends the sequence; nil without an error.
    typealias Ended = @Sendable (DiscoveryError?) -> Void
    typealias Start =
        @Sendable (@escaping Output, @escaping Ended) throws(DiscoveryError) -> any SearchSession

    private let maximumUnread: Int
    private let start: Start

    /// - Parameters:
    ///   - maximumUnread: how many elements are buffered for a slow reader.
    ///   - start: creates the session of one search.
    init(maximumUnread: Int, start: @escaping Start) {
        self.maximumUnread = maximumUnread
        self.start = start
    }

    /// Starts a search.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Runs a search until the task is cancelled, and delivers each element on the search's own thread: for a
    /// reader that takes many at a time, whom each of them need not wake.
    ///
    /// - Parameter output: returns false if it cannot take the element, which ends the search. It must not
    ///   block, and may still be called shortly after this has returned.
    package func deliver(
        to output: @escaping @Sendable (Element) -> Bool
    ) async throws(DiscoveryError) {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        let ending = Ending()
        let session = try start(output) { error in
            ending.error.withLock { $0 = error }
            continuation.finish()
        }
        // Called at the end, and if the task is cancelled.
        continuation.onTermination = { _ in Task { await session.close(nil) } }
        await session.open()
        for await _ in end {}
        if let error = ending.error.withLock({ $0 }) { throw error }
    }

    /// A running search, which lasts as long as this value.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Element>.Iterator
        private let ending = Ending()

        init(_ results: SearchResults) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Element.self, bufferingPolicy: .bufferingOldest(results.maximumUnread))
            base = stream.makeAsyncIterator()
            let search = Task { [ending] in
                do throws(DiscoveryError) {
                    try await results.deliver { element in
                        if case .dropped = continuation.yield(element) { false } else { true }
                    }
                } catch {
                    ending.error.withLock { $0 = error }
                }
                continuation.finish()
            }
            // Called in every case: end, cancellation, or release of the iterator.
            continuation.onTermination = { _ in search.cancel() }
        }

        /// The next element; nil if the task was cancelled. Throws the ``DiscoveryError`` that ended the
        /// search.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DiscoveryError) -> Element? {
            if let element = await base.next(isolation: actor) { return element }
            if let error = ending.error.withLock({ $0 }) { throw error }
            return nil
        }
    }

    /// The error that ended a search. It is kept outside the stream, so that it arrives even if the stream's
    /// buffer is full.
    private final class Ending: Sendable {
        let error = Mutex<DiscoveryError?>(nil)
    }
}

/// One search. Owns the thread, descriptors and sockets that it listens with, from `open` to `close`.
///
/// The session retains itself from `open` to `close`, so every `open` needs a `close`.
protocol SearchSession: Actor {
    func open()
    /// Frees everything and ends the output; a second call does nothing.
    func close(_ error: DiscoveryError?)
}
