import GatewayRules
import Pairing
import Synchronization

/// The sessions of browsers at one service. They begin with the hub's own session: a browser that has opened
/// the hub's page needs nothing else.
///
/// They live longer than that, and stand for nothing elsewhere: the key by which a browser renews the hub's
/// session is kept at the hub's origin, where no script of a service is. So there is nothing at a service's
/// own origin that is worth stealing.
final class ServiceSessions: Sendable {
    private let port: UInt16
    private let hub: BrowserSessions
    private let devices: DeviceAccess
    private let table = Mutex(SessionTable())
    private let lifetime = UInt64(SessionCookie.serviceLifetime) * 1_000

    init(port: UInt16, hub: BrowserSessions, devices: DeviceAccess) {
        (self.port, self.hub, self.devices) = (port, hub, devices)
    }

    /// The device whose session the request has, at this service or at the hub.
    func device(of head: RequestHead) -> Pin? { ownDevice(of: head) ?? hub.device(of: head) }

    private func ownDevice(of head: RequestHead) -> Pin? {
        guard let token = SessionCookie.token(in: head.fields, at: port) else { return nil }
        let now = hub.now
        guard let (pin, approved) = table.withLock({ $0.device(of: token, now: now) }) else { return nil }
        if case .approved(let device) = devices.access(of: pin), device.approvedSecond == approved {
            return pin
        }
        end(pin)
        return nil
    }

    /// Uses the session: it lives on from now.
    ///
    /// - Parameter device: the one whose session the request has, and which may use the service.
    /// - Returns: the value of `Set-Cookie`, where the browser is to keep the session longer, or begins one;
    ///   only where a page or a socket is opened, since a page asks for many things at once.
    func use(by head: RequestHead, of device: ApprovedDevice) -> String? {
        let now = hub.now
        let token = SessionCookie.token(in: head.fields, at: port)
        let isOpening = head.isDocument || head.upgrade != nil
        if let token, table.withLock({ $0.extend(token, of: device.pin, until: now + lifetime) }) {
            return isOpening ? SessionCookie.setting(String(decoding: token, as: UTF8.self), at: port) : nil
        }
        guard isOpening else { return nil }
        let new = BrowserSessions.token()
        table.withLock { $0.begin(Array(new.utf8), of: device, now: now, lifetime: lifetime) }
        return SessionCookie.setting(new, at: port)
    }

    /// True while the device has a session, here or at the hub. What it has open here keeps it alive.
    func isLive(_ device: ApprovedDevice) -> Bool {
        let now = hub.now
        return table.withLock { $0.isLive(device, now: now) } || hub.isLive(device)
    }

    func end(_ device: Pin) { table.withLock { $0.end(device) } }

    /// Called when the keyfile has changed.
    func sweep() {
        let (now, pins) = (hub.now, table.withLock { $0.pins })
        let staying = Set(pins.filter { if case .approved = devices.access(of: $0) { true } else { false } })
        table.withLock { $0.keep(now: now) { staying.contains($0) || !pins.contains($0) } }
    }
}
