/// Which orders and looks are under way at once, and which come next: a hub gives a device 16 connections, and a person
/// may have several programs.
///
/// A pure value: it says which may begin, and the caller begins them. An order that is not answered for a while stops
/// counting, as far as there is room, and the other orders for its device come last: lamps without power must not keep
/// those with power waiting.
package struct OrderQueue: Sendable {
    /// The most that count.
    package static let width = HubHome.maximumConnections
    /// The most that are under way beyond it.
    package static let overdueWidth = 3
    /// How long one counts without an answer.
    package static let patience = Duration.seconds(2)

    private var waiting: [(id: Int, device: String?)] = []
    /// The devices of what is under way; nil for a look, which keeps nothing else waiting.
    private var underWay: [Int: String?] = [:]
    /// Of these, all that have had no answer for ``patience``.
    private var overdue: Set<Int> = []
    private var next = 0

    package init() {}

    /// Puts something at the end of the queue.
    ///
    /// - Parameter device: the device that an order is for; nil for a look at a state.
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

    /// Takes the next one that may begin out of the queue; nil if there is none or no room.
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

/// Keeps those waiting that an ``OrderQueue`` keeps waiting.
actor OrderTurns {
    private var queue = OrderQueue()
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Does something when it is its turn.
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
