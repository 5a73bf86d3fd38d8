/// Looks at something whenever it is asked to, and again when the last look says so. Requests that come
/// during a look count as one.
package final class RecurringLook: Sendable {
    private let requests: AsyncStream<Void>.Continuation
    private let looking: Task<Void, Never>

    /// - Parameters:
    ///   - memory: what one look keeps for the next.
    ///   - look: returns in how many seconds to look again; nil: not before it is asked to.
    package init<Memory: Sendable>(
        remembering memory: Memory, _ look: @escaping @Sendable (inout Memory) async -> Double?
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        requests = continuation
        looking = Task {
            var memory = memory
            var alarm: Task<Void, Never>?
            for await _ in stream {
                let next = await look(&memory)
                alarm?.cancel()
                alarm = next.map { seconds in
                    Task {
                        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
                        continuation.yield()
                    }
                }
            }
            alarm?.cancel()
        }
    }

    /// Looks again, soon.
    package func look() { requests.yield() }

    /// Ends it; returns once a look that is under way is over.
    package func stop() async {
        requests.finish()
        await looking.value
    }
}
