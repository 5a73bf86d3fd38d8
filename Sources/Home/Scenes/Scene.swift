package import Identity
package import JSON

/// The states of a hub's appliances at one moment, to be restored later.
package struct Scene: Equatable, Sendable {
    /// The hub of the appliances.
    package enum Hub: Equatable, Sendable {
        /// The paired hub of this fingerprint.
        case paired(Fingerprint)
        /// The stock hub of this name.
        case stock(PeerName)
    }

    /// One activator's state.
    package struct State: Equatable, Sendable {
        /// The appliance's id.
        package let device: String
        /// The activator's id.
        package let activator: String
        /// The names of both when the scene was saved, for messages.
        package let name: String
        package let state: JSONValue

        package init(device: String, activator: String, name: String, state: JSONValue) {
            self.device = device
            self.activator = activator
            self.name = name
            self.state = state
        }
    }

    package let name: PeerName
    package let hub: Hub
    package let states: [State]

    package init(name: PeerName, hub: Hub, states: [State]) {
        self.name = name
        self.hub = hub
        self.states = states
    }

    /// The scene of the appliances as they are: every activator of a kind that can be set.
    package init(name: PeerName, hub: Hub, devices: [ControlledDevice]) {
        let states = devices.flatMap { device in
            device.activators.compactMap { activator -> State? in
                guard activator.kind == .bool || activator.kind == .float else { return nil }
                return State(
                    device: device.id, activator: activator.id,
                    name: "\(shortened(device.name)): \(shortened(activator.name))", state: activator.state)
            }
        }
        self.init(name: name, hub: hub, states: states)
    }

    /// The orders that restore it.
    package var orders: [Order] {
        states.map {
            Order(device: $0.device, activator: $0.activator, name: $0.name, state: $0.state)
        }
    }
}

extension Scene.State: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var (device, activator, name): (String?, String?, String?)
        var state: JSONValue?
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "device": device = try reader.string()
            case "activator": activator = try reader.string()
            case "name": name = try reader.string()
            case "state": state = try JSONValue(reading: &reader)
            default: _ = try JSONValue(reading: &reader)
            }
        }
        self.device = try device.required("device")
        self.activator = try activator.required("activator")
        self.name = try name.required("name")
        self.state = try state.required("state")
    }

    /// As it stands in the file.
    var json: JSONValue {
        .object([
            "device": .string(device), "activator": .string(activator), "name": .string(name), "state": state,
        ])
    }
}
