import FoundationEssentials
package import GatewayRules
package import Pairing
import Synchronization

/// A device that has access, with the header fields that identify it.
package struct DescribedDevice: Sendable {
    package let device: ApprovedDevice
    package let fields: DeviceFields

    package init(_ device: ApprovedDevice) {
        self.device = device
        // An unknown role has no access; if it ever had, the least would be told.
        fields = DeviceFields(
            fingerprint: device.fingerprint.description, name: device.name.description,
            role: device.knownRole ?? .guest)
    }
}

/// The server's view of the device register. While the keyfile cannot be read, no device has access; this is
/// logged once, and once more when the keyfile can be read again.
final class DeviceAccess: Sendable {
    let register: DeviceRegister
    private let log: ServeLog
    private let fault = Mutex<String?>(nil)
    private let clock: @Sendable () -> Moment
    /// The latest time seen, which reveals a wall clock that was set back.
    private let known: Mutex<Moment>

    /// - Parameter clock: returns the current time; replaced in tests.
    init(_ register: DeviceRegister, log: ServeLog, clock: @escaping @Sendable () -> Moment = { .now }) {
        self.register = register
        self.log = log
        self.clock = clock
        known = Mutex(clock())
    }

    /// An approval that no time ends, as a connection has found it.
    struct Found: Sendable {
        fileprivate let device: ApprovedDevice
        fileprivate let version: UInt64
    }

    /// The access that the keyfile grants now to the device with this pin.
    func access(of pin: Pin) -> RequestRouter.Access {
        var found: Found?
        return lookUp(pin, &found)
    }

    /// The same; what was found before is the answer if nothing has happened since.
    func access(
        of pin: Pin, _ glance: DeviceGlance, found: inout Found?
    ) -> RequestRouter.Access {
        if let known = found, known.device.pin == pin, glance.holds(known.version) {
            return .approved(known.device)
        }
        return lookUp(pin, &found)
    }

    private func lookUp(_ pin: Pin, _ found: inout Found?) -> RequestRouter.Access {
        found = nil
        do {
            let (device, version) = try register.deviceAndVersion(pin)
            try register.checkFresh()
            note(nil)
            guard let device else { return .unknown }
            let verdict = verdict(on: device)
            guard verdict == .approved else { return .refused(device, verdict) }
            // The copy of a site counts for a time only.
            if device.expires == nil, !register.isCopy { found = Found(device: device, version: version) }
            return .approved(device)
        } catch {
            note(describing(error))
            return .unreadable
        }
    }

    /// Seconds until the approval of `device` expires, 0 if it has expired; nil if it does not expire. The
    /// wall clock may be changed, so check again after at most an hour.
    func secondsLeft(of device: ApprovedDevice) -> Double? {
        device.expires.map { expires in
            let (now, known) = time()
            return now.secondsLeft(until: expires, notBefore: [known, device.latest])
        }
    }

    /// The current time, and the latest time seen.
    func time() -> (now: Moment, known: Moment) {
        known.withLock { known in
            let now = clock()
            known = now.latest(and: known)
            return (now, known)
        }
    }

    private func verdict(on device: ApprovedDevice) -> DeviceVerdict {
        // Most approvals do not expire; then neither clock nor lock is needed.
        guard device.expires != nil else { return device.verdict(at: .distantPast) }
        let (now, known) = time()
        return device.verdict(at: now, latest: known)
    }

    private func note(_ fault: String?) {
        let hasChanged = self.fault.withLock { known in
            defer { known = fault }
            return known != fault
        }
        guard hasChanged else { return }
        if let fault {
            log.error("nobody is let in until this is mended: \(fault)")
        } else {
            log.notice("the list of approved devices can be read again")
        }
    }
}
