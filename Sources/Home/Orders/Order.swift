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

    /// The order that brings the appliance `device` to what was said.
    ///
    /// - Parameter named: the activator; nil: the one that is meant if none is named.
    package init(
        _ device: ControlledDevice, _ named: Activator? = nil, to said: SaidSetting, _ units: StateUnits
    ) throws(SettingError) {
        let activator: Activator
        if let named { activator = named } else { activator = try said.activator(of: device, units) }
        let unit = units[device.id, activator.id]
        let setting = try said.setting(for: activator, of: device.name, unit)
        try self.init(device, activator, to: device.meant(by: setting, activator, unit))
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
