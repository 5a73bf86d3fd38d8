import FoundationEssentials
package import Pairing

/// The owner's decisions about devices, each one step on the keyfile.
package struct AdministerDevices {
    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// All devices in the keyfile's order, without those that asked and whose question has lapsed.
    package func list(at now: Moment = .now) throws -> [ApprovedDevice] {
        try HubState.completedDevices(in: state.open()).devices.devices.filter { !$0.isForgotten(at: now) }
    }

    /// Approves a device that asked, or whose approval has run out. One that was revoked is refused: only a
    /// new once code brings it back.
    ///
    /// - Returns: the device as it is now, and whether that is a change.
    package func approve(_ selector: PeerSelector, now: Moment = .now) throws -> (
        device: ApprovedDevice, changed: Bool
    ) {
        try change(selector) { device in
            switch device.verdict(at: now.wall) {
            case .approved, .unknown: return
            case .revoked: throw HubError.revoked(name: device.name.description)
            case .pending, .expired:
                guard !device.isForgotten(at: now) else {
                    throw HubError.askLapsed(name: device.name.description)
                }
                device.status = .approved
                device.approved = now.wall
                device.expires = nil
                device.asked = nil
            }
        }
    }

    /// Takes an approval back, or refuses one that is asked for; the device stays as a tombstone.
    package func revoke(_ selector: PeerSelector) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector) {
            $0.status = .revoked
            $0.asked = nil
        }
    }

    /// Gives a device another name. Two devices of one name would be mistaken for each other.
    package func rename(_ selector: PeerSelector, to name: PeerName) throws -> (
        device: ApprovedDevice, changed: Bool
    ) {
        try change(selector) { device, others in
            if let other = others.first(where: { $0.name == name }) {
                throw PeerSelectorError.nameTaken(name: name.description, by: other.fingerprint)
            }
            device.name = name
        }
    }

    private func change(
        _ selector: PeerSelector, _ body: (inout ApprovedDevice) throws -> Void
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector) { device, _ in try body(&device) }
    }

    private func change(
        _ selector: PeerSelector, _ body: (inout ApprovedDevice, _ others: [ApprovedDevice]) throws -> Void
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try state.open().withLock { directory in
            // What a crash cut short comes first: a device that is revoked now must not be approved by it later.
            var (keyfile, isChanged) = try HubState.completedDevices(in: directory)
            let index = try selector.index(
                in: keyfile.devices.map { ($0.name, $0.fingerprint) }, kind: "device", list: "hubpair devices"
            )
            let before = keyfile.devices[index]
            var device = before
            try body(&device, keyfile.devices.filter { $0.pin != before.pin })
            if device != before { keyfile.insert(device) }
            if device != before || isChanged {
                let isRevoked = device.status == .revoked && before.status != .revoked
                if isRevoked {
                    try directory.replaceBoth(ApprovedDevices.fileName, with: keyfile.serialized)
                } else {
                    try directory.replace(ApprovedDevices.fileName, with: keyfile.serialized)
                }
            }
            return (device, device != before)
        }
    }
}
