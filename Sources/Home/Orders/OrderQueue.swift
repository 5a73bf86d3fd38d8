/// Decides which orders and readings of states are under way at once, and which come next. A hub gives a
/// paired device 16 connections, and the user may run several programs.
///
/// A pure value: it says which may begin, and the caller begins them. An order without an answer stops
/// counting after a while, as far as there is room, and other orders for its appliance come last: lamps
/// without power must not delay lamps with power.
package struct OrderQueue: Sendable {
    /// The most that are under way.
    package static let width = 12
    /// The most that may be under way beyond it, because others are overdue.
    package static let overdueWidth = 3
    /// One without an answer is overdue after this long.
    package static let patience = Duration.seconds(2)

    /// A hub that takes this long for an answer most likely gives one at a time: more at once would only
    /// queue there, and their time would run out.
    package static let slow = Duration.seconds(1)
    /// The most that are under way at a slow hub.
    package static let slowWidth = 2

    private let isSlow: Bool
    private var waiting: [(id: Int, device: String?)] = []
    /// The appliances of those under way; nil for a reading, which delays no other order.
    private var underWay: [Int: String?] = [:]
    /// Those of them without an answer for ``patience``.
    private var overdue: Set<Int> = []
    private var next = 0

    /// - Parameter pace: how long the hub took for its last answer.
    package init(pace: Duration = .zero) { isSlow = pace >= OrderQueue.slow }

    /// Adds an entry at the end of the queue.
    ///
    /// - Parameter device: the appliance that an order is for; nil for the reading of a state.
    package mutating func join(_ device: String?) -> Int {
        defer { next += 1 }
        waiting.append((next, device))
        return next
    }

    /// `id` has been answered, or given up.
    package mutating func end(_ id: Int) {
        underWay[id] = nil
        overdue.remove(id)
    }

    /// `id` has had no answer for ``patience``.
    package mutating func noteOverdue(_ id: Int) {
        if underWay.keys.contains(id) { overdue.insert(id) }
    }

    /// Takes the next entry that may begin out of the queue; nil if there is none or no room.
    package mutating func begin() -> Int? {
        let counted = underWay.count - min(overdue.count, OrderQueue.overdueWidth)
        guard counted < (isSlow ? OrderQueue.slowWidth : OrderQueue.width), !waiting.isEmpty else {
            return nil
        }
        let busy = Set(underWay.values.compactMap { $0 })
        // At a slow hub, what is begun is finished first: its time runs.
        let begun = isSlow ? waiting.firstIndex { $0.device == nil } : nil
        let index = begun ?? waiting.firstIndex { $0.device.map { !busy.contains($0) } ?? true } ?? 0
        let (id, device) = waiting.remove(at: index)
        underWay.updateValue(device, forKey: id)
        return id
    }
}

/// Makes tasks wait for their turn in an ``OrderQueue``.
actor OrderTurns {
    private var queue: OrderQueue
    private let patience: Duration
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// - Parameter pace: how long the hub took for its last answer.
    init(pace: Duration) {
        queue = OrderQueue(pace: pace)
        patience = max(OrderQueue.patience, pace * 4)
    }

    /// Runs `body` when it is its turn.
    nonisolated func take<Value: Sendable>(
        _ device: String?, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let id = await join(device)
        let watch = Task {
            try await Task.sleep(for: patience)
            await noteOverdue(id)
        }
        defer { watch.cancel() }
        do {
            let value = try await body()
            await end(id)
            return value
        } catch {
            await end(id)
            throw error
        }
    }

    private func join(_ device: String?) async -> Int {
        let id = queue.join(device)
        await withCheckedContinuation { continuation in
            waiting[id] = continuation
            begin()
        }
        return id
    }

    private func noteOverdue(_ id: Int) {
        queue.noteOverdue(id)
        begin()
    }

    private func end(_ id: Int) {
        queue.end(id)
        begin()
    }

    private func begin() {
        while let id = queue.begin() { waiting.removeValue(forKey: id)?.resume() }
    }
}
