package import FoundationEssentials
package import Pairing
import Synchronization

/// Which devices may come in, as the keyfile says now: what every request is checked against.
///
/// The keyfile is read again only when it is another than before, which one `stat` tells; so `devices revoke` in
/// another process takes effect with the next request. A fault in the file closes the door: every look-up throws until
/// it is mended.
package final class DeviceRegister: Sendable {
    private struct Content {
        var devices: [Pin: ApprovedDevice] = [:]
        var stamp: FileStamp?
    }

    private let state: HubState
    private let content = Mutex(Content())

    package init(state: HubState) { self.state = state }

    /// The device with this pin, or nil if the keyfile does not know it.
    package func device(_ pin: Pin) throws -> ApprovedDevice? {
        try content.withLock { content in
            try refresh(&content)
            return content.devices[pin]
        }
    }

    /// Whether the device with this pin may come in at the time `now`.
    package func verdict(for pin: Pin, at now: Date) throws -> DeviceVerdict {
        try device(pin)?.verdict(at: now) ?? .unknown
    }

    /// Takes what this process has written, so that one device more does not cost the reading of 10,000.
    ///
    /// - Parameters:
    ///   - changed: the devices that were entered, nil for those that are gone.
    ///   - stamp: the file before, and as it is now.
    func adopt(_ changed: [Pin: ApprovedDevice?], from old: FileStamp?, to stamp: FileStamp?) {
        content.withLock { content in
            // Whoever has read another version reads again.
            guard content.stamp != nil, content.stamp == old else { return }
            for (pin, device) in changed { content.devices[pin] = device }
            content.stamp = stamp
        }
    }

    private func refresh(_ content: inout Content) throws {
        let directory = try state.open()
        let stamp = try directory.stamp(of: ApprovedDevices.fileName)
        guard stamp == nil || stamp != content.stamp else { return }
        content = Content()
        let keyfile = try HubState.existing(
            ApprovedDevices.fileName, in: directory, ApprovedDevices.init(parsing:))
        content.devices = Dictionary(keyfile.devices.map { ($0.pin, $0) }) { first, _ in first }
        // If the file was replaced in between, the older stamp makes the next look-up read it again.
        content.stamp = stamp
    }
}
