package import Home
import JSON

/// Sets states, all in parallel, and reads each back until it is so.
package struct Orders: Sendable {
    /// What became of an order.
    package enum Outcome: Sendable {
        /// It was read back as it was ordered, or as the nearest that the device can be.
        case confirmed(Activator)
        /// The state was still another one when the time was over; nil if it could not even be read by then.
        case unconfirmed(Activator?)
        /// It could not be given, or not be read back.
        case failed(any Error)
    }

    /// How long an order has to be confirmed.
    package static let confirmation = Duration.seconds(30)
    /// What the last look at the state may take once the time is over.
    private static let lastLook = Duration.milliseconds(500)

    private let home: HubHome
    private let time: Duration

    package init(home: HubHome, time: Duration = confirmation) {
        self.home = home
        self.time = time
    }

    /// Gives all orders. What failed leaves the others as they are.
    ///
    /// - Returns: the outcomes in the order of `orders`.
    package func run(_ orders: [Order]) async -> [Outcome] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            let turns = OrderTurns()
            for (index, order) in orders.enumerated() {
                group.addTask { (index, await give(order, turns)) }
            }
            var outcomes: [Int: Outcome] = [:]
            for await (index, outcome) in group { outcomes[index] = outcome }
            return orders.indices.compactMap { outcomes[$0] }
        }
    }

    private func give(_ order: Order, _ turns: OrderTurns) async -> Outcome {
        do {
            // Its time begins with its turn. The hub holds its answer back while an appliance hangs, so that each
            // request needs the order's deadline.
            let (given, start) = try await turns.take(order.device) {
                let start = ContinuousClock.now
                let given = try await Deadline(start + time).run {
                    let before = try await before(order)
                    try await home.perform(.set(order.activator, of: order.device, to: order.state))
                    return before
                }
                return (given, start)
            }
            guard let before = given else { return .unconfirmed(nil) }
            let end = start + time
            var nearest = NearestStep(before: before, target: order.state)
            var last: Activator?
            var pause = Duration.milliseconds(50)
            while true {
                let look = try await turns.take(nil) {
                    try await Deadline(max(end, .now + Orders.lastLook)).run { try await read(order) }
                }
                guard let activator = look else { return .unconfirmed(last) }
                last = activator
                if Orders.isSame(activator.state, order.state) { return .confirmed(activator) }
                let now = ContinuousClock.now
                if nearest?.take(activator.state, at: now - start) ?? false { return .confirmed(activator) }
                guard now < end else { return .unconfirmed(activator) }
                try await Task.sleep(for: min(pause, end - now))
                pause = min(pause * 2, .seconds(2))
            }
        } catch {
            return .failed(error)
        }
    }

    /// The state that a level comes from; every device can be at 0 and at 1, so that they need none.
    private func before(_ order: Order) async throws -> JSONValue {
        if let before = order.before { return before }
        guard let target = order.state.asDouble, target > 0, target < 1 else { return .null }
        return try await read(order).state
    }

    private func read(_ order: Order) async throws -> Activator {
        try await home.activator(order.activator, of: order.device)
    }

    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if let one = one.asDouble, let other = other.asDouble {
            return abs(one - other) < NearestStep.tolerance
        }
        return one == other
    }
}
