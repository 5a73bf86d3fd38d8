import Identity
package import JSON

/// A house that takes orders: the server that has the appliances, over whatever connection.
package protocol OrderedHouse: Sendable {
    /// How long it took for its last answer.
    var pace: Duration { get async }
    /// Orders an activator to have a state; returns when the order is taken.
    func set(_ activator: String, of device: String, to state: JSONValue) async throws
    /// One activator as it is.
    func activator(_ id: String, of device: String) async throws -> Activator
}

/// Gives orders, all in parallel, and reads each state back until the appliance has followed.
package struct Orders: Sendable {
    /// The result of an order.
    package enum Outcome: Sendable {
        /// The state is as it was ordered, or the nearest that the appliance has.
        case confirmed(Activator)
        /// The time was over while the state was still another one; nil if it could not be read until then.
        case unconfirmed(Activator?)
        /// The server gets no answer from the appliance: it may follow when it is back; the server's words.
        case silent(ServerError)
        /// The order could not be given, or the state not be read.
        case failed(any Error)
    }

    /// How long an order has to be confirmed.
    package static let confirmation = Duration.seconds(30)
    /// The longest time for the last reading once the time is over.
    private static let lastLook = Duration.milliseconds(500)

    private let orders: [Order]
    private let house: any OrderedHouse
    private let time: Duration
    private let end: ContinuousClock.Instant?

    /// - Parameters:
    ///   - time: how long each order has to be confirmed.
    ///   - end: when all are given up, also those whose turn has not come; nil: never.
    package init(
        _ orders: [Order], home house: some OrderedHouse, time: Duration = confirmation,
        until end: ContinuousClock.Instant? = nil
    ) {
        self.orders = orders
        self.house = house
        self.time = time
        self.end = end
    }

    /// Gives all orders. If one fails, the others go on.
    ///
    /// - Parameter progress: told how many are done, after each.
    /// - Returns: the outcomes in the order of the orders.
    package func run(progress: (Int) -> Void = { _ in }) async -> [Outcome] {
        let pace = await house.pace
        return await withTaskGroup(of: (Int, Outcome).self) { group in
            let turns = OrderTurns(pace: pace)
            for (index, order) in orders.enumerated() {
                let look = end == nil ? max(Orders.lastLook, pace * 3) : Orders.lastLook
                group.addTask { (index, await give(order, turns, lastLook: look)) }
            }
            var outcomes: [Int: Outcome] = [:]
            for await (index, outcome) in group {
                outcomes[index] = outcome
                progress(outcomes.count)
            }
            return orders.indices.compactMap { outcomes[$0] }
        }
    }

    private func give(_ order: Order, _ turns: OrderTurns, lastLook: Duration) async -> Outcome {
        do {
            // Its time begins with its turn. The hub holds its answer back while an appliance hangs, so that
            // each request needs the order's deadline.
            let (given, start, end) = try await turns.take(order.device) {
                let start = ContinuousClock.now
                let end = min(start + time, self.end ?? start + time)
                let given = try await Deadline(end).run {
                    let before = try await before(order)
                    try await house.set(order.activator, of: order.device, to: order.state)
                    return before
                }
                return (given, start, end)
            }
            guard let before = given else { return .unconfirmed(nil) }
            var nearest = NearestStep(before: before, target: order.state)
            var last: Activator?
            var pause = Duration.milliseconds(50)
            while true {
                let look = try await turns.take(nil) {
                    try await Deadline(max(end, .now + lastLook)).run { try await read(order) }
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
        } catch let error as ServerError where error.isFailureOfServer {
            return .silent(error)
        } catch {
            return .failed(error)
        }
    }

    /// The state before a level is set. The levels 0 and 1 do not need it: every appliance can reach them.
    private func before(_ order: Order) async throws -> JSONValue {
        if let before = order.before { return before }
        guard let target = order.state.asDouble, target > 0, target < 1 else { return .null }
        return try await read(order).state
    }

    private func read(_ order: Order) async throws -> Activator {
        try await house.activator(order.activator, of: order.device)
    }

    /// True if a state is as it was ordered, as far as appliances keep levels.
    package static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if let one = one.asDouble, let other = other.asDouble {
            return abs(one - other) < NearestStep.tolerance
        }
        return one == other
    }
}
