/// A point in time by which work has to be done.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(_ end: ContinuousClock.Instant) { self.end = end }

    /// The deadline that is `time` away from now.
    package init(in time: Duration) { self.init(.now + time) }

    /// Runs `work`. When the time is over, it is cancelled, and this returns once it has stopped.
    ///
    /// - Returns: what `work` gives; nil if the time was over first.
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
}

/// Runs two tasks at once. When one has ended, the other is cancelled, and this returns once that has
/// stopped.
///
/// - Returns: what the first one gives; what it throws is thrown.
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
