/// Sets states, all in parallel, and reads each back until it is so.
package struct Orders: Sendable {
    /// What became of an order.
    package enum Outcome: Sendable {
        /// It was read back as it was ordered, or as the nearest that the device can be.
        case confirmed(Activator)
        /// The server took it, and the state was still another one when the time was over.
        case unconfirmed(Activator)
        /// It could not be given, or not be read back.
        case failed(any Error)
    }

    /// How long an order has to be confirmed.
    package static let confirmation = Duration.seconds(30)
    /// A dimmer answers with the nearest of its steps: what is closer than half a percent is the same.
    private static let tolerance = 0.005

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
            var outcomes: [Int: Outcome] = [:]
            var next = 0
            func start() {
                guard next < orders.count else { return }
                let (index, order) = (next, orders[next])
                next += 1
                group.addTask { (index, await give(order)) }
            }
            for _ in 0..<HubHome.maximumConnections { start() }
            for await (index, outcome) in group {
                outcomes[index] = outcome
                start()
            }
            return orders.indices.compactMap { outcomes[$0] }
        }
    }

    private func give(_ order: Order) async -> Outcome {
        do {
            let end = ContinuousClock.now + time
            try await home.perform(.set(order.activator, of: order.device, to: order.state))
            var pause = Duration.milliseconds(50)
            while true {
                let activator = try await home.activator(order.activator, of: order.device)
                if Orders.isSame(activator.state, order.state) { return .confirmed(activator) }
                guard ContinuousClock.now + pause < end else { return .unconfirmed(activator) }
                try await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        } catch {
            return .failed(error)
        }
    }

    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if let one = one.asDouble, let other = other.asDouble { return abs(one - other) < tolerance }
        return one == other
    }
}
