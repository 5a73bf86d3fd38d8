import Identity
package import JSON

/// One activator, and the state that it is to have.
package struct Order: Equatable, Sendable {
    /// The appliance's id.
    package let device: String
    /// The activator's id.
    package let activator: String
    /// The names of both, for messages.
    package let name: String
    package let state: JSONValue
    /// The state before; nil if it has not been read.
    package let before: JSONValue?

    /// The order that sets `activator` of the appliance `device`.
    package init(_ device: ControlledDevice, _ activator: Activator, to setting: Setting)
        throws(SettingError)
    {
        self.init(
            device: device.id, activator: activator.id,
            name: "\(shortened(device.name)): \(shortened(activator.name))",
            state: try setting.state(for: activator), before: activator.state)
    }

    package init(
        device: String, activator: String, name: String, state: JSONValue, before: JSONValue? = nil
    ) {
        self.device = device
        self.activator = activator
        self.name = name
        self.state = state
        self.before = before
    }
}
