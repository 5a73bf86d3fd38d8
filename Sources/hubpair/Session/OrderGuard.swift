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

    /// The same for a command without `--yes`.
    ///
    /// - Parameter commands: those that do it with a yes.
    static func ask(
        _ orders: [Order], _ devices: [ControlledDevice], commands: (([Order]) -> String)? = nil
    ) throws {
        let asked = OrderGuard.asked(orders, devices)
        guard !asked.isEmpty else { return }
        guard Question.canBeAnswered else {
            throw UsageMistake(
                "nobody is there to say yes: it would \(OrderGuard.words(asked)); nothing was changed",
                hint: commands.map { "without a question: \($0(asked))" }
                    ?? "add --yes; 'hubpair home kind APPLIANCE switch' says that it needs no question")
        }
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

    /// `on`, `off`, `40%`.
    static func words(_ state: JSONValue) -> String {
        if case .boolean(let isOn) = state { return isOn ? "on" : "off" }
        return (state.asDouble.map(Setting.level) ?? .on).text
    }
}

extension ControlledDevice {
    /// - Throws: for what has nothing to set.
    func checkIsSettable() throws {
        guard onlyTells else { return }
        throw UsageMistake(
            "\(quoted(name)) only tells how something is, and cannot be set",
            hint: "if it is no sensor, say what it is: 'hubpair home kind \(quoted(name)) switch'")
    }
}
