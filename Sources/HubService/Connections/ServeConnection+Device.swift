import GatewayRules
import NIOCore
import Pairing
import Synchronization

// Whose connection it is, and whether that device still has access.
extension ServeConnection {
    /// The maximum time between two requests.
    var idleTime: TimeAmount {
        let limits = shared.limits
        return machine.isKnown ? limits.idle : min(limits.idle, limits.strangerIdle)
    }

    /// Finds out for whom the request counts: the certificate's device, or without a device's certificate
    /// that of the session. A proxy's own connection has no session.
    func identify(_ head: RequestHead) {
        hasSession = false
        if case .device = certificate { return }
        client.certificate = certificate
        guard !client.isTrustedProxy,
            let pin = service.map({ $0.sessions.device(of: head) }) ?? shared.sessions.device(of: head)
        else { return }
        client.certificate = .device(pin)
        hasSession = true
    }

    /// From the handshake on, an approved device's connection is never displaced by others.
    func recognize() {
        guard let pin = client.pin, case .approved(let device) = access(of: pin) else { return }
        enter(device)
    }

    /// The access of the device with this pin, now.
    ///
    /// Who has the hub's own key may read all of its files. That is the doctor on this machine: it learns
    /// from the hub how the upstream is, since a stock server must not be asked by two at once. The key
    /// counts in the handshake alone: the certificate, which a proxy hands on, is public.
    func access(of pin: Pin) -> RequestRouter.Access {
        if isDoctor, pin == shared.itself.pin { return .approved(shared.itself) }
        var found = found
        defer { self.found = found }
        return shared.devices.access(of: pin, loop.glance, found: &found)
    }

    private var isDoctor: Bool { !client.isTrustedProxy && client.pin == shared.itself.pin }

    /// Counts the connection as the device's own; it is closed when the device loses access.
    ///
    /// - Returns: false if the device has too many connections in use.
    @discardableResult
    func enter(_ device: ApprovedDevice) -> Bool {
        watchExpiry(of: device)
        if client.isTrustedProxy { noteSeen(device.pin) }
        guard !machine.isApproved, let channel = context?.channel else { return machine.isApproved }
        let (limits, rest) = (shared.limits, rest)
        let approval = shared.connections.withLock {
            $0.approve(
                ConnectionKey(channel: channel), as: device.pin, at: service?.port, limits: limits
            ) { rest.leave() }
        }
        switch approval {
        case .counted: break
        case .countedFor(let other): ConnectionLimiter.retire(other.channel)
        case .refused:
            shared.log.warning(
                .limit,
                "\(device.fingerprint) from \(source) has \(limits.connectionsPerSource) connections in use "
                    + "already")
            return false
        }
        machine.approve()
        try? channel.syncOptions?.setOption(.writeBufferWaterMark, value: ServeConnection.deviceWaterMark)
        noteDevice()
        return true
    }

    /// The header fields that identify a device, cached across requests.
    func described(_ device: ApprovedDevice) -> DescribedDevice {
        if let last = lastDevice, last.device == device { return last }
        let described = DescribedDevice(device)
        lastDevice = described
        return described
    }

    /// Checks the approval again when it expires, because no file changes then; after at most an hour,
    /// because the clock may be changed.
    func watchExpiry(of device: ApprovedDevice) {
        let left = shared.devices.secondsLeft(of: device)
        guard left != nil || hasSession else { return timer.clear(.expiry) }
        // What goes on for long ends a minute after the last session of its device, at most.
        let seconds = min(hasSession ? 60 : 3600, max(0, left ?? 3600))
        timer.start(.expiry, .milliseconds(Int64(seconds * 1000) + 1))
    }

    /// Closes the connection if its device had access and has lost it, or if its role does not allow any more
    /// what the connection is passing on.
    func closeUnlessStillApproved() {
        guard machine.isApproved, let pin = client.pin else { return }
        guard case .approved(let device) = access(of: pin), !hasSession || isSessionLive(of: device) else {
            let action = machine.accessIsLost()
            if action == .close {
                shared.log.notice(
                    "closed a connection of \(pin.fingerprint) from \(source): no longer approved")
            }
            return carryOut(action)
        }
        if let passing = machine.passing,
            !router.allows(passing, of: device, guests: shared.guests.verdict)
        {
            shared.log.notice(
                "closed a connection of \(pin.fingerprint) from \(source): its role no longer allows it")
            return close()
        }
        watchExpiry(of: device)
    }

    private func isSessionLive(of device: ApprovedDevice) -> Bool {
        service.map { $0.sessions.isLive(device) } ?? shared.sessions.isLive(device)
    }

    /// Notes that its device is here; a proxy's requests are noted one by one.
    func noteDevice() {
        guard machine.isApproved, !client.isTrustedProxy, !isDoctor, let pin = client.pin else { return }
        noteSeen(pin)
    }

    /// A browser of the page, and a proxy, see whatever key there is.
    private func noteSeen(_ device: Pin) {
        let key = showsOldKey ? shared.certificate.old : nil
        shared.seen.note(device, from: source, key: (key ?? shared.itself.pin).fingerprint)
    }
}
