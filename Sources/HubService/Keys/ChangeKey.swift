package import FoundationEssentials
import Glibc
package import Pairing
import PinnedTLS

/// Gives the hub another key: `hubpair hub key`.
///
/// What is written, in this order, so that a command that was cut short leaves the hub with the key that it
/// had, and can be run again: the key as the old one, what names the new one, and then the new one in its
/// place. A hub that serves takes it over by itself.
package struct ChangeKey {
    /// How long devices have to come, if nobody says.
    package static let usualTerm = Duration.seconds(90 * 86_400)
    package static let terms = Duration.seconds(60)...Duration.seconds(400 * 86_400)

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// Makes a new key, which the old one signs; both are served until the term is over.
    package func rotate(for term: Duration, now: Date = Date()) throws -> KeyStatement {
        try state.open().withLock { directory in
            try checkAlone(directory)
            let hub = try HubState.hub(in: directory, at: now)
            if let statement = hub.statement, hub.old != nil { throw KeyError.underway(statement.until) }
            let old = try HubState.existingIdentity(in: directory)
            let new = TLSIdentity.random()
            var keys = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
            let until = now.addingTimeInterval(Double(term.components.seconds))
            let statement = try KeyStatement(
                serial: keys.nextSerial, until: until, old: old.key, new: new.key)
            try directory.destroy(HubState.oldKeyFileName)
            try directory.create(HubState.oldKeyFileName, with: Array(old.keyPEM.utf8))
            keys.follow(old.pin, by: new.pin, statement, at: now)
            try directory.replace(HubKeys.fileName, with: keys.serialized)
            try put(new, in: directory)
            return statement
        }
    }

    /// The other gates of a site would go on with the old key.
    private func checkAlone(_ directory: borrowing ProtectedDirectory) throws {
        guard try state.site.register(in: directory) == nil else { throw KeyError.shared }
    }

    /// What ``lose(now:)`` has done.
    package struct Loss: Sendable {
        package let old: Pin
        package let new: Pin
        /// The devices that were approved, and are not any more.
        package let devices: [ApprovedDevice]
        /// How many codes are void.
        package let codes: Int
    }

    /// Makes a new key that nothing of the old one leads to: somebody else may have that. Every device has
    /// to pair again, with a code that is made from now on.
    package func lose(now: Moment = .now) throws -> Loss {
        try state.open().withLock { directory in
            try checkAlone(directory)
            let hub = try HubState.hub(in: directory, at: now.wall)
            // First what the old key's thief could use, then the key: cut short, it is run again.
            var devices = try HubState.completedDevices(in: directory).devices
            let revoked = devices.devices.filter { $0.status != .revoked }
            for var device in revoked {
                device.status = .revoked
                device.asked = nil
                devices.insert(device)
            }
            try directory.replaceBoth(ApprovedDevices.fileName, with: devices.serialized)
            let codes = try voidCodes(in: directory) { !$0.isExpired(at: now) }
            for file in [PublicCertificate.fileName, CertificateRequest.fileName] {
                try directory.retire(file)
            }
            Journal.note(
                revoked.map { JournalEntry.Fact(.revoked, $0) }, by: nil, at: now.wall, in: directory)
            let new = TLSIdentity.random()
            var keys = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
            keys.follow(hub.pin, by: new.pin, nil, at: now.wall)
            try directory.replace(HubKeys.fileName, with: keys.serialized)
            try put(new, in: directory)
            try directory.destroy(HubState.oldKeyFileName)
            return Loss(
                old: hub.pin, new: new.pin, devices: revoked.filter { $0.status == .approved }, codes: codes)
        }
    }

    /// Deletes the old key once its term is over, and voids the codes that were made with it.
    ///
    /// - Returns: the pin of the key that was deleted; nil if there is nothing to do.
    @discardableResult
    package func endTerm(now: Date = Date()) throws -> Pin? {
        let directory = try state.open()
        guard try directory.stamp(of: HubState.oldKeyFileName) != nil else { return nil }
        return try directory.withLock { directory in
            let hub = try HubState.hub(in: directory, at: now)
            guard hub.old == nil, let statement = hub.statement else { return nil }
            try voidCodes(in: directory) { HubKeys.isOld($0, for: hub) }
            if let pem = try PublicCertificate.file(in: directory),
                (try? InstalledCertificate(pem, of: hub.pin)) == nil
            {
                try directory.retire(PublicCertificate.fileName)
            }
            try directory.destroy(HubState.oldKeyFileName)
            return statement.old
        }
    }

    /// - Returns: how many codes it were.
    @discardableResult
    private func voidCodes(
        in directory: borrowing ProtectedDirectory, _ isVoid: (Ticket) -> Bool
    ) throws -> Int {
        guard var tickets = try HubState.tickets(in: directory) else { return 0 }
        let before = tickets.tickets.filter(isVoid)
        tickets.void(Set(before.map(\.id)))
        try directory.replaceBoth(Tickets.fileName, with: tickets.serialized)
        let gone = before.filter { tickets.ticket($0.id) == nil }
        if !gone.isEmpty {
            Journal.note(
                [JournalEntry.Fact(.codeVoid, tickets: gone)], by: nil, at: Date(), in: directory)
        }
        return gone.count
    }

    /// The point of no return. The key before is in a file of its own, and in no `.bak`.
    private func put(_ key: TLSIdentity, in directory: borrowing ProtectedDirectory) throws {
        try directory.replace(HubState.keyFileName, with: Array(key.keyPEM.utf8))
        try directory.destroyBackup(of: HubState.keyFileName)
        try SetUpHub.ensureCertificate(of: key, in: directory)
    }
}

/// Why the hub's key is not changed.
package enum KeyError: Equatable, UserError {
    /// The old key is still served, until then.
    case underway(Date)
    /// The hub is a gate of a site.
    case shared

    package var description: String {
        switch self {
        case .underway(let end): "the key was changed, and devices have until \(end.timestamp) to come"
        case .shared: "the gates of a site have one key"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .underway: .tryAgain
        case .shared: .usage
        }
    }

    package var hint: String? {
        switch self {
        case .underway:
            "'hubpair hub key' lists those that have not come; wait until then, or if somebody else may "
                + "have the key: hubpair hub key lost"
        case .shared: "leave it first: hubpair hub site leave"
        }
    }
}
