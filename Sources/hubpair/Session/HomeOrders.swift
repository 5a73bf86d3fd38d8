import ArgumentParser
import Home
import HubClient
import Identity
import JSON

/// How long orders have to be confirmed.
struct ConfirmationOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long an appliance has to follow the order, which is read back, and the hub to answer. "
                + "(default: 30s)",
            valueName: "time"),
        transform: durationValue(atMost: .seconds(600), like: "30s"))
    var timeout = Duration.seconds(30)

    /// How long the hub has for an answer: a list takes a small computer a moment, however short an order's
    /// time is.
    var answering: Duration { min(max(timeout, .seconds(2)), HubConnection.Deadlines.usual) }
}

/// Gives orders, and reports the outcome of each.
struct HomeOrders {
    /// So many failures are reported with their reasons, and the rest by name alone.
    private static let maximumNamed = 20
    /// Of the rest so many names: a house has hundreds.
    private static let maximumListed = 10

    let session: HomeSession
    let timeout: Duration
    /// In which the states are told.
    var units = StateUnits()

    struct Result {
        let order: Order
        let outcome: Orders.Outcome

        var status: ExitStatus {
            switch outcome {
            case .confirmed: .done
            case .unconfirmed, .silent: .tryAgain
            case .failed(let error): ExitStatus(of: error)
            }
        }
    }

    func run(_ orders: [Order]) async -> [Result] {
        let waiting = WaitingLine("\(session.hub.name): 0 of \(orders.count) done")
        defer { waiting.end() }
        let outcomes = await Orders(orders, home: session.home, time: timeout).run {
            waiting.say("\(session.hub.name): \($0) of \(orders.count) done")
        }
        return zip(orders, outcomes).map { Result(order: $0, outcome: judged($1)) }
    }

    /// Whose fault it is that an order has no answer: the appliance's, unless the hub has said before that
    /// its server does not answer.
    private func judged(_ outcome: Orders.Outcome) -> Orders.Outcome {
        guard case .unconfirmed(nil) = outcome, session.isServerSilent else { return outcome }
        return .failed(SilentServer(time: timeout))
    }

    /// Gives orders, writes the results, and throws the gravest status if an order has failed.
    func runAndReport(_ orders: [Order], asJSON: Bool) async throws {
        let results = await run(orders)
        if asJSON {
            try JSONLine.write(results.map(json))
        } else {
            try report(results)
        }
        nameFailures(results)
        let worst = ExitStatus.worst(of: results.map(\.status))
        if worst != .done { throw worst }
    }

    /// Writes the confirmed orders to standard output.
    func report(_ results: [Result]) throws {
        for result in results {
            if case .confirmed(let activator) = result.outcome {
                let state = shortened(units.text(activator, of: result.order.device))
                try Console.output(words: SafeText.escaped("\(result.order.name) is \(state)"))
            }
        }
    }

    /// Writes the others to standard error.
    func nameFailures(_ results: [Result]) {
        let failures = results.filter { $0.status != .done }
        if let error = commonRefusal(of: failures, among: results) {
            // The reason is this computer or the house, not an order: once is enough.
            Console.report(HubFailure(hub: session.hub.name, error: error))
            if results.count > 1 {
                Console.note("\(results.count - failures.count) of \(results.count) are done and stand")
            }
            return
        }
        for result in failures.prefix(HomeOrders.maximumNamed) {
            switch result.outcome {
            case .confirmed: break
            case .unconfirmed(nil):
                Console.report(
                    "\(result.order.name): no answer after \(timeout.words)",
                    hint:
                        "it may still follow: 'hubpair home' shows its state; is the appliance switched on?",
                    exit: .tryAgain)
            case .unconfirmed(let activator?):
                let state = shortened(units.text(activator, of: result.order.device))
                Console.report(
                    "\(result.order.name) is still \(state) after \(timeout.words)",
                    hint: "the hub took the order, and the appliance has not followed; is it switched on?",
                    exit: .tryAgain)
            case .silent(let error):
                let since = session.silence(of: result.order.device).map { ", \($0.words)" } ?? ""
                Console.report(
                    "\(result.order.name): the appliance does not answer\(since)",
                    hint: "is it switched on? the hub's server says: \(error)", exit: .tryAgain)
            case .failed(let error): Console.report(error, subject: result.order.name)
            }
        }
        if failures.count > HomeOrders.maximumNamed {
            let names = failures.dropFirst(HomeOrders.maximumNamed).map { shortened($0.order.name) }
            Console.report(
                "\(names.count) more failed: \(listed(names, most: HomeOrders.maximumListed))",
                hint: "'hubpair home' shows what does not answer",
                exit: .worst(of: failures.dropFirst(HomeOrders.maximumNamed).map(\.status)))
        }
        if !failures.isEmpty, results.count > 1 {
            Console.note("\(results.count - failures.count) of \(results.count) are done and stand")
        }
    }

    /// Why the hub does not let this computer in, if several orders have failed and all for that; or why the
    /// house does not answer, if no order has been carried out, one or many, and all for that.
    private func commonRefusal(of failures: [Result], among results: [Result]) -> (any UserError)? {
        if failures.count == results.count, let broken = session.brokenDatabase { return broken }
        let isAway = failures.count == results.count && failures.allSatisfy { $0.status == .unavailable }
        guard isAway || failures.count > 1 && failures.allSatisfy({ $0.status == .notPermitted }),
            case .failed(let error)? = failures.first?.outcome,
            failures.allSatisfy({
                if case .failed(let other) = $0.outcome { "\(other)" == "\(error)" } else { false }
            })
        else { return nil }
        return error as? any UserError
    }

    /// A result as JSON: what was ordered, and what was read back.
    func json(of result: Result) -> JSONValue {
        var line = session.json
        line["device"] = .string(result.order.device)
        line["activator"] = .string(result.order.activator)
        line["name"] = .string(result.order.name)
        line["ordered"] = result.order.state
        (line["state"], line["error"]) = (.null, .null)
        switch result.outcome {
        case .confirmed(let activator):
            line["outcome"] = .string("confirmed")
            line["state"] = activator.state
            line.add(units.amount(activator.state, of: result.order.device, activator.id))
        case .unconfirmed(let activator):
            line["outcome"] = .string("unconfirmed")
            if let activator {
                line["state"] = activator.state
                line.add(units.amount(activator.state, of: result.order.device, activator.id))
            }
        case .silent(let error):
            line["outcome"] = .string("silent")
            line["error"] = .string("\(error)")
            if let silence = session.silence(of: result.order.device) { line["age"] = .count(silence.age) }
        case .failed(let error):
            line["outcome"] = .string("failed")
            line["error"] = .string("\(error)")
        }
        return .object(line)
    }
}
