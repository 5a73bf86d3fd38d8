import ArgumentParser
import Home
import Identity
import JSON

/// A question before an order that opens a door, unlocks it, lets water run or silences a siren.
struct OrderGuard: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Do not ask before what opens, unlocks, or silences an alarm. Scripts need it for that.")
    var yes = false

    /// Asks once for all orders that need it.
    ///
    /// - Parameter devices: as what they were said to be.
    func confirm(_ orders: [Order], _ devices: [ControlledDevice]) throws {
        if !yes { try OrderGuard.ask(orders, devices) }
    }

    /// The same without a way around it.
    static func ask(_ orders: [Order], _ devices: [ControlledDevice]) throws {
        let asked = OrderGuard.asked(orders, devices)
        guard !asked.isEmpty else { return }
        guard Question.canBeAnswered else { throw NobodySaysYes(orders: asked) }
        try Question.confirm("\(words(asked))?", orElse: "nothing was changed")
    }

    /// Those of the orders that are asked about first.
    static func asked(_ orders: [Order], _ devices: [ControlledDevice]) -> [Order] {
        let byID = Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
        return orders.filter { byID[$0.device]?.asksFirst($0.activator, $0.state) == true }
    }

    fileprivate static func words(_ orders: [Order]) -> String {
        let names = listed(orders.map { "\($0.name) to \(words($0.state))" }, most: 8)
        return "set \(names)"
    }

    private static func words(_ state: JSONValue) -> String {
        if case .boolean(let isOn) = state { return isOn ? "on" : "off" }
        return (state.asDouble.map(Setting.level) ?? .on).text
    }
}

/// An order that is asked about first, where nobody can answer.
private struct NobodySaysYes: UserError {
    let orders: [Order]

    var description: String {
        "nobody is there to say yes: it would \(OrderGuard.words(orders)); nothing was changed"
    }
    var kind: UserErrorKind { .usage }
    var hint: String? { "add --yes; 'hubpair home kind APPLIANCE switch' says that it needs no question" }
}

/// An order to what has nothing to set.
struct OnlyTells: UserError {
    let device: String

    var description: String { "\(quoted(device)) only tells how something is, and cannot be set" }
    var kind: UserErrorKind { .usage }
    var hint: String? { "if it is no sensor, say what it is: 'hubpair home kind \(quoted(device)) switch'" }
}
