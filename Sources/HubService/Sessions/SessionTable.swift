import Crypto
import FoundationEssentials
package import Pairing

/// The sessions of browsers, in memory alone: whoever can read it has no cookie, since it keeps their hashes.
///
/// A session says which key a request counts for, and nothing of what that key may do.
package struct SessionTable: Sendable {
    /// The most sessions of a device; the oldest goes for a new one. A browser renews its own, and several of
    /// its pages share a cookie.
    package static let maximumPerDevice = 8
    /// The most challenges that a device may use up in their lifetime.
    package static let maximumSpent = 64

    /// The SHA-256 of a token.
    private typealias Digest = [UInt8]

    private struct Session {
        let digest: Digest
        /// Milliseconds.
        var end: UInt64
    }

    private struct Device {
        /// When the device was approved: a session does not outlive a revocation, even if a new approval
        /// follows at once.
        var approved: Double?
        /// The oldest first.
        var sessions: [Session] = []
        var spent: [(challenge: [UInt8], end: UInt64)] = []
    }

    private var devices: [Pin: Device] = [:]
    private var owners: [Digest: Pin] = [:]

    package init() {}

    /// The number of sessions, those that are over too.
    package var count: Int { owners.count }

    /// The devices of which something is kept.
    package var pins: Set<Pin> { Set(devices.keys) }

    /// Uses a challenge up. It is the caller's to know that it is fresh, and that the device may come in.
    ///
    /// - Returns: false if it was used before, or if the device has used too many.
    package mutating func spend(_ challenge: [UInt8], of device: Pin, now: UInt64) -> Bool {
        var entry = devices[device] ?? Device()
        entry.spent.removeAll { $0.end <= now }
        guard entry.spent.count < SessionTable.maximumSpent,
            !entry.spent.contains(where: { $0.challenge == challenge })
        else { return false }
        entry.spent.append((challenge, now + SessionChallenges.lifetime))
        devices[device] = entry
        return true
    }

    /// Begins a session of a device that has access.
    ///
    /// - Parameter token: random, and never used before.
    package mutating func begin(_ token: [UInt8], of device: ApprovedDevice, now: UInt64, lifetime: UInt64) {
        if devices[device.pin]?.approved != device.approvedSecond { end(device.pin) }
        var entry = devices[device.pin] ?? Device()
        entry.approved = device.approvedSecond
        while let first = entry.sessions.first,
            first.end <= now || entry.sessions.count >= SessionTable.maximumPerDevice
        {
            owners[first.digest] = nil
            entry.sessions.removeFirst()
        }
        let digest = SessionTable.digest(token)
        entry.sessions.append(Session(digest: digest, end: now + lifetime))
        owners[digest] = device.pin
        devices[device.pin] = entry
    }

    /// Lets a session live longer, and become the newest.
    ///
    /// - Returns: false if the device has no such session.
    package mutating func extend(_ token: [UInt8], of device: Pin, until end: UInt64) -> Bool {
        let digest = SessionTable.digest(token)
        guard owners[digest] == device,
            var session = devices[device]?.sessions.first(where: { $0.digest == digest })
        else { return false }
        session.end = end
        devices[device]?.sessions.removeAll { $0.digest == digest }
        devices[device]?.sessions.append(session)
        return true
    }

    /// The device whose session this token stands for, and since when it had to be approved.
    package func device(of token: [UInt8], now: UInt64) -> (pin: Pin, approved: Double?)? {
        let digest = SessionTable.digest(token)
        guard let pin = owners[digest], let entry = devices[pin],
            entry.sessions.contains(where: { $0.digest == digest && $0.end > now })
        else { return nil }
        return (pin, entry.approved)
    }

    /// True while the device has a session that began with this approval.
    package func isLive(_ device: ApprovedDevice, now: UInt64) -> Bool {
        guard let entry = devices[device.pin], entry.approved == device.approvedSecond else { return false }
        return entry.sessions.contains { $0.end > now }
    }

    /// Ends the sessions of a device.
    package mutating func end(_ device: Pin) {
        for session in devices[device]?.sessions ?? [] { owners[session.digest] = nil }
        devices[device]?.sessions = []
    }

    /// Ends the sessions of devices that may not come in any more, and forgets what is over.
    package mutating func keep(now: UInt64, _ mayStay: (Pin) -> Bool) {
        for (pin, entry) in devices {
            if !mayStay(pin) { end(pin) }
            for session in entry.sessions where session.end <= now { owners[session.digest] = nil }
            devices[pin]?.sessions.removeAll { $0.end <= now }
            devices[pin]?.spent.removeAll { $0.end <= now }
            if devices[pin].map({ $0.sessions.isEmpty && $0.spent.isEmpty }) ?? false { devices[pin] = nil }
        }
    }

    private static func digest(_ token: [UInt8]) -> Digest { Array(SHA256.hash(data: token)) }
}

extension ApprovedDevice {
    /// When it was last approved, in whole seconds since 1970, as the keyfile has it: in memory there may be
    /// fractions until the file is read again, and a session that began meanwhile must outlive that.
    var approvedSecond: Double? { approved?.timeIntervalSince1970.rounded(.down) }
}
