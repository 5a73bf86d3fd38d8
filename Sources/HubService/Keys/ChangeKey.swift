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

    let state: HubState

    package init(state: HubState) { self.state = state }

    /// Makes a new key, which the old one signs; both are served until the term is over.
    ///
    /// - Returns: at a gate of a site with others that have the same key, that it is prepared.
    package func rotate(for term: Duration, now: Date = Date()) throws -> Rotation {
        let directory = try state.open()
        if let register = try state.site.register(in: directory) {
            return try rotate(for: term, at: register, directory, now: now)
        }
        return try directory.withLock { directory in
            let hub = try HubState.hub(in: directory, at: now)
            if let statement = hub.statement, hub.old != nil { throw KeyError.underway(statement.until) }
            let old = try HubState.existingIdentity(in: directory)
            let new = TLSIdentity.random()
            var keys = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
            let until = now.addingTimeInterval(Double(term.components.seconds))
            let statement = try KeyStatement(
                serial: keys.nextSerial, until: until, old: old.key, new: new.key)
            try keepOld(old, in: directory)
            keys.follow(old.pin, by: new.pin, statement, at: now)
            try directory.replace(HubKeys.fileName, with: keys.serialized)
            try put(new, in: directory)
            return .changed(statement)
        }
    }

    /// What ``rotate(for:now:)`` has done.
    package enum Rotation: Equatable, Sendable {
        case changed(KeyStatement)
        case prepared(KeyStatement)
    }

    func keepOld(_ old: TLSIdentity, in directory: borrowing ProtectedDirectory) throws {
        try directory.destroy(HubState.oldKeyFileName)
        try directory.create(HubState.oldKeyFileName, with: Array(old.keyPEM.utf8))
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
            // The thief may play each of its gates; they would have to go over at once, and not one by one.
            guard try state.site.register(in: directory) == nil else { throw KeyError.shared }
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
        return try directory.withSharedLock { directory in
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
        guard !before.isEmpty else { return 0 }
        tickets.void(Set(before.map(\.id)))
        try directory.replaceShared([SharedFile(Tickets.fileName, tickets.serialized, isFinal: true)])
        let gone = before.filter { tickets.ticket($0.id) == nil }
        if !gone.isEmpty {
            Journal.note(
                [JournalEntry.Fact(.codeVoid, tickets: gone)], by: nil, at: Date(), in: directory)
        }
        return gone.count
    }

    /// The point of no return. The key before is in a file of its own, and in no `.bak`.
    func put(_ key: TLSIdentity, in directory: borrowing ProtectedDirectory) throws {
        try directory.replace(HubState.keyFileName, with: Array(key.keyPEM.utf8))
        try directory.destroyBackup(of: HubState.keyFileName)
        try SetUpHub.ensureCertificate(of: key, in: directory)
    }
}
