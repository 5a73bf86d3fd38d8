/// Decides which orders and readings of states are under way at once, and which come next. A hub gives a
/// paired device 16 connections, and the user may run several programs.
///
/// A pure value: it says which may begin, and the caller begins them. An order without an answer stops
/// counting after a while, as far as there is room, and other orders for its appliance come last: lamps
/// without power must not delay lamps with power.
package struct OrderQueue: Sendable {
    /// The most that are under way.
    package static let width = HubHome.maximumConnections
    /// The most that may be under way beyond it, because others are overdue.
    package static let overdueWidth = 3
    /// One without an answer is overdue after this long.
    package static let patience = Duration.seconds(2)

    private var waiting: [(id: Int, device: String?)] = []
    /// The appliances of those under way; nil for a reading, which delays no other order.
    private var underWay: [Int: String?] = [:]
    /// Those of them without an answer for ``patience``.
    private var overdue: Set<Int> = []
    private var next = 0

    package init() {}

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
        guard counted < OrderQueue.width, !waiting.isEmpty else { return nil }
        let busy = Set(underWay.values.compactMap { $0 })
        let index = waiting.firstIndex { $0.device.map { !busy.contains($0) } ?? true } ?? 0
        let (id, device) = waiting.remove(at: index)
        underWay.updateValue(device, forKey: id)
        return id
    }
}

/// Makes tasks wait for their turn in an ``OrderQueue``.
actor OrderTurns {
    private var queue = OrderQueue()
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Runs `body` when it is its turn.
    nonisolated func take<Value: Sendable>(
        _ device: String?, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let id = await join(device)
        let watch = Task {
            try await Task.sleep(for: OrderQueue.patience)
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
