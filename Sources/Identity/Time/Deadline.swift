/// A point in time by which work must be done.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(_ end: ContinuousClock.Instant) { self.end = end }

    /// A deadline after `time` from now.
    package init(in time: Duration) { self.init(.now + time) }

    /// Runs `work`. At the deadline it is cancelled, and this returns once it has stopped.
    ///
    /// - Returns: the result of `work`; nil if the deadline came first.
    @discardableResult
    package func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await first(
            of: work,
            or: {
                try await Task.sleep(until: end)
                return nil
            })
    }

    /// Runs `work`, which returns what it has found when it is cancelled: at the deadline, or with this task.
    package func collect<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: work)
            group.addTask { [end] in
                try? await Task.sleep(until: end)
                return nil
            }
            for try await value in group {
                if let value { return value }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }

    /// Runs `work`, which may block in a call that nobody can cancel. When the time is over, or this task is
    /// cancelled, it is cancelled and left behind.
    ///
    /// - Returns: what `work` gives; nil if the time was over first, or this task is cancelled.
    package func runOrLeave<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        let (values, continuation) = AsyncStream.makeStream(
            of: Value?.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task { _ = continuation.yield(await work()) }
        let clock = Task { [end] in
            try await Task.sleep(until: end)
            continuation.yield(nil)
        }
        defer {
            work.cancel()
            clock.cancel()
        }
        for await value in values { return value }
        return nil
    }
}

/// Runs two tasks concurrently. When one has ended, the other is cancelled, and this returns once it has
/// stopped.
///
/// - Returns: the result of the task that ended first; its error is rethrown.
package func first<Value: Sendable>(
    of one: @escaping @Sendable () async throws -> Value,
    or other: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask(operation: one)
        group.addTask(operation: other)
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
