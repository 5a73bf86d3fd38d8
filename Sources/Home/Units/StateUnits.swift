package import JSON

/// The units of a house, by appliance and activator.
package struct StateUnits: Equatable, Sendable {
    private var units: [String: [String: StateUnit]] = [:]

    package init() {}

    package var isEmpty: Bool { units.isEmpty }

    package subscript(device: String, activator: String) -> StateUnit? {
        get { units[device]?[activator] }
        set {
            units[device, default: [:]][activator] = newValue
            if units[device]?.isEmpty == true { units[device] = nil }
        }
    }

    /// All of them, sorted by their ids.
    package var all: [(device: String, activator: String, unit: StateUnit)] {
        var all: [(device: String, activator: String, unit: StateUnit)] = []
        for (device, units) in units.sorted(by: { $0.key < $1.key }) {
            for (activator, unit) in units.sorted(by: { $0.key < $1.key }) {
                all.append((device: device, activator: activator, unit: unit))
            }
        }
        return all
    }

    /// The activator that an amount is for: the one that has a unit, or else the one for a level.
    package func activator(of device: ControlledDevice) throws(SettingError) -> Activator {
        let measured = device.activators.filter { self[device.id, $0.id] != nil }
        if measured.count == 1 { return measured[0] }
        let activator = try device.activator(for: .level(1))
        if measured.isEmpty || measured.contains(activator) { return activator }
        throw .severalUnits(device: device.name, activators: measured.map(\.name))
    }

    /// The unit of a state, if it is a level of what has one.
    private func unit(of state: JSONValue, _ device: String, _ activator: String) -> (StateUnit, Double)? {
        guard let unit = self[device, activator], let level = state.asDouble, (0...1).contains(level) else {
            return nil
        }
        return (unit, level)
    }

    /// What a state of an activator counts; nil if that is not known.
    package func amount(_ state: JSONValue, of device: String, _ activator: String) -> (
        value: Double, unit: String
    )? {
        unit(of: state, device, activator).map { ($0.value(ofLevel: $1), $0.symbol) }
    }

    /// A state of an activator in its unit, as `21 °C`; nil if it has none.
    package func text(_ state: JSONValue, of device: String, _ activator: String) -> String? {
        unit(of: state, device, activator).map { $0.text(ofLevel: $1) }
    }

    /// The state of an activator in words, in its unit if it has one.
    package func text(_ activator: Activator, of device: String) -> String {
        (activator.kind == .float ? text(activator.state, of: device, activator.id) : nil)
            ?? activator.stateText
    }
}
