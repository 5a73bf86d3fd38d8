package import FoundationEssentials
package import Pairing

/// Revokes paired devices that nobody has used for long.
package struct PruneDevices {
    /// An approved device, and since when it has not been seen.
    package struct Unseen: Equatable, Sendable {
        package let device: ApprovedDevice
        package let since: Date
    }

    private let state: HubState
    private let span: Double

    /// - Parameter span: how long a device must not have been seen, in seconds.
    package init(state: HubState, unseenFor span: Double) { (self.state, self.span) = (state, span) }

    /// The devices that would be revoked, in the keyfile's order.
    ///
    /// - Throws: `HubError.noLastSeen` if no record of them has been kept.
    package func candidates(at now: Moment = .now) throws -> [Unseen] {
        let directory = try state.open()
        let devices = try HubState.completedDevices(in: directory).devices
        return try candidates(among: devices, in: directory, at: now)
    }

    /// Revokes those of `chosen` that still have not been seen.
    ///
    /// - Returns: the devices that are revoked now.
    package func revoke(_ chosen: [Unseen], now: Moment = .now) throws -> [ApprovedDevice] {
        let pins = Set(chosen.map(\.device.pin))
        return try ApprovedDevicesFile(of: state).change(at: now) { keyfile, directory in
            let gone = try candidates(among: keyfile, in: directory, at: now).map(\.device)
                .filter { pins.contains($0.pin) }
            for var device in gone {
                device.status = .revoked
                keyfile.insert(device)
            }
            return gone
        }
    }

    private func candidates(
        among devices: ApprovedDevices, in directory: borrowing ProtectedDirectory, at now: Moment
    ) throws -> [Unseen] {
        guard var record = try directory.read(LastSeen.fileName, LastSeen.init(parsing:)) else {
            throw HubError.noLastSeen
        }
        // This gate may not have served for long, while others saw them.
        if let site = try state.site.register(in: directory) {
            for (device, entry) in try site.store.seen(after: 0).entries {
                record.learn(entry, of: device, at: now.wall)
            }
        }
        return devices.devices.compactMap { device in
            guard device.verdict(at: now) == .approved else { return nil }
            let since = record.unseenSince(device)
            return now.wall.timeIntervalSince(since) >= span ? Unseen(device: device, since: since) : nil
        }
    }
}
