import FoundationEssentials
import GatewayRules
import Pairing
import Synchronization

/// A device that may come in, with what is written of it into headers.
struct ServeDevice: Sendable {
    let device: ApprovedDevice
    let fields: DeviceFields

    init(_ device: ApprovedDevice) {
        self.device = device
        fields = DeviceFields(
            fingerprint: device.fingerprint.description, name: device.name.description)
    }
}

/// What the keyfile says of a device now.
enum ServeAccess: Sendable {
    case approved(ApprovedDevice)
    /// Known, and not to come in; the verdict says why.
    case refused(ApprovedDevice, DeviceVerdict)
    case unknown
    /// The keyfile cannot be read, so nobody comes in until it can.
    case unreadable
}

/// The device register as the server asks it: a keyfile that cannot be read lets nobody in, and the log says so
/// once, and when it can be read again.
final class ServeDevices: Sendable {
    let register: DeviceRegister
    private let log: ServeLog
    private let fault = Mutex<String?>(nil)

    init(_ register: DeviceRegister, log: ServeLog) {
        self.register = register
        self.log = log
    }

    /// What the keyfile says of the device with this pin at the time `now`.
    func access(of pin: Pin, at now: Date) -> ServeAccess {
        do {
            let device = try register.device(pin)
            note(nil)
            guard let device else { return .unknown }
            let verdict = device.verdict(at: now)
            return verdict == .approved ? .approved(device) : .refused(device, verdict)
        } catch {
            note(describing(error))
            return .unreadable
        }
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

/// What is wrong, and how to mend it, in one line.
func describing(_ error: any Error) -> String {
    let localized = error as? any LocalizedError
    let message = localized?.errorDescription ?? "\(error)"
    return localized?.recoverySuggestion.map { "\(message); \($0)" } ?? message
}
