import FoundationEssentials
import GatewayRules
import Pairing
import Synchronization

/// A device that may come in, with the header fields that name it.
struct DescribedDevice: Sendable {
    let device: ApprovedDevice
    let fields: DeviceFields

    init(_ device: ApprovedDevice) {
        self.device = device
        fields = DeviceFields(
            fingerprint: device.fingerprint.description, name: device.name.description)
    }
}

/// The device register for the server. While the keyfile cannot be read, no device comes in; the log says so
/// once, and once more when it can be read again.
final class DeviceAccess: Sendable {
    let register: DeviceRegister
    private let log: ServeLog
    private let fault = Mutex<String?>(nil)
    private let clock: @Sendable () -> Moment
    /// The latest that the clocks have said, after which a wall clock that is set back is behind.
    private let known: Mutex<Moment>

    /// - Parameter clock: the time; a parameter for tests.
    init(_ register: DeviceRegister, log: ServeLog, clock: @escaping @Sendable () -> Moment = { .now }) {
        self.register = register
        self.log = log
        self.clock = clock
        known = Mutex(clock())
    }

    /// What the keyfile says of the device with this pin now.
    func access(of pin: Pin) -> RequestRouter.Access {
        do {
            let device = try register.device(pin)
            note(nil)
            guard let device else { return .unknown }
            let verdict = verdict(on: device)
            return verdict == .approved ? .approved(device) : .refused(device, verdict)
        } catch {
            note(describing(error))
            return .unreadable
        }
    }

    /// Seconds until the approval of `device` expires, 0 if it has; nil if it does not. The wall clock may be
    /// set, so look again in an hour at the latest.
    func secondsLeft(of device: ApprovedDevice) -> Double? {
        device.expires.map { expires in
            let (now, known) = time()
            return now.secondsLeft(until: expires, notBefore: [known, device.latest])
        }
    }

    /// What the clocks say now, and the latest that they have said.
    func time() -> (now: Moment, known: Moment) {
        known.withLock { known in
            let now = clock()
            known = now.latest(and: known)
            return (now, known)
        }
    }

    private func verdict(on device: ApprovedDevice) -> DeviceVerdict {
        // Most approvals have no expiry; then no clock is asked, and nothing is locked.
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
