package import JSON

/// Whether browsers are told of messages while the page is closed, and which; what `hub push --json` writes.
///
///     {"on": boolean, "devices": [{"device": fingerprint, "kinds": [word, …], "service": host}, …]}
package struct PushRecord: Equatable, Sendable {
    package struct Device: Equatable, Sendable {
        package let device: String
        package let kinds: [String]
        /// The host of the push service.
        package let service: String
    }

    package let isOn: Bool
    package let devices: [Device]

    /// What is no device of a list is left out.
    package init(isOn: Bool, devices: JSONValue?) {
        self.isOn = isOn
        guard case .array(let values)? = devices else {
            self.devices = []
            return
        }
        self.devices = values.compactMap { value in
            guard let members = value.asObject, let device = members["device"]?.asString,
                let service = members["service"]?.asString, case .array(let kinds)? = members["kinds"]
            else { return nil }
            return Device(device: device, kinds: kinds.compactMap(\.asString), service: service)
        }
    }

    package var json: JSONValue {
        .object([
            "on": .boolean(isOn),
            "devices": .array(
                devices.map { device in
                    .object([
                        "device": .string(device.device), "service": .string(device.service),
                        "kinds": .array(device.kinds.map(JSONValue.string)),
                    ])
                }),
        ])
    }
}
