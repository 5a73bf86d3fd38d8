/// Lets so many in at once, and the others in the order in which they came; a counting semaphore (Dijkstra) that
/// suspends tasks instead of blocking threads.
actor Semaphore {
    private var free: Int
    private var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    private var nextID = 0

    /// How many wait now.
    var waitingCount: Int { waiting.count }

    /// - Parameter count: how many it lets in at once, at least 1.
    init(_ count: Int) {
        free = max(1, count)
    }

    /// Does `body` as soon as one may. Throws `CancellationError` if the task is cancelled while it waits.
    ///
    /// - Parameter isAhead: true to go before all that wait already.
    nonisolated func run<Value: Sendable>(
        ahead isAhead: Bool = false, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await wait(ahead: isAhead)
        do {
            let value = try await body()
            await signal()
            return value
        } catch {
            await signal()
            throw error
        }
    }

    private func wait(ahead isAhead: Bool) async throws {
        if free > 0 {
            free -= 1
            return
        }
        let id = nextID
        nextID += 1
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                // Cancelled before it waits, nobody would wake it: giveUp(id) may have come already.
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                waiting.insert((id, continuation), at: isAhead ? 0 : waiting.count)
            }
        } onCancel: {
            Task { await giveUp(id) }
        }
    }

    private func signal() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().continuation.resume() }
    }

    private func giveUp(_ id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
