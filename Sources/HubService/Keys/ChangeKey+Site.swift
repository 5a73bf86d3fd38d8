package import FoundationEssentials
package import Pairing
import PinnedTLS

/// Another key for the gates of a site, which have the same one.
///
/// 1. A gate makes it, and says so in the site (``SiteKeys``): its pin, and the statement of the old one.
/// 2. The others get it in a backup. Each that has it shows it to who asks for it, and says so
///    (``SiteGates``).
/// 3. Once all can, one of them says that it counts, with a statement that is made then: from now on devices
///    are told. Each goes over as a hub of its own does. One that cannot must not serve.
///
/// So a device that has taken it over is at home at each gate, also at one that has not heard yet. Each step
/// is one transaction, and can be repeated by whoever comes.
extension ChangeKey {
    func rotate(
        for term: Duration, at register: SiteRegister, _ directory: borrowing ProtectedDirectory, now: Date
    ) throws -> Rotation {
        let (own, listed) = (register.settings.gate, try register.store.gates().map(\.id))
        let rotation: Rotation = try directory.withSharedLock { directory in
            _ = try follow(in: directory, now: now)
            let hub = try HubState.hub(in: directory, at: now)
            if let statement = hub.statement, hub.old != nil { throw KeyError.underway(statement.until) }
            var keys = try ChangeKey.keys(in: directory, at: now)
            if let (statement, _) = keys.prepared(after: hub.pin) { throw KeyError.prepared(statement.new) }
            let old = try HubState.existingIdentity(in: directory)
            let new = try fresh(keys, in: directory)
            let serials = keys.changes.filter { keys.root(of: $0.statement.old) == hub.root }
                .map(\.statement.serial)
            let known = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
            let statement = try KeyStatement(
                serial: max(known.nextSerial, (serials.max() ?? 0) + 1),
                until: now.addingTimeInterval(Double(term.components.seconds)), old: old.key, new: new.key)
            let others = SiteKeyPlan.besides(
                own, hub.pin, keys, try HubState.siteGates(in: directory), listed: listed)
            keys.note(statement, others.isEmpty ? .changed(now) : .prepared(term: term))
            try directory.replaceShared([SharedFile(SiteKeys.fileName, keys.serialized)])
            return others.isEmpty ? .changed(statement) : .prepared(statement)
        }
        _ = try directory.withLock { try follow(in: $0, now: now) }
        return rotation
    }

    /// The key that is to come: one that a command has made that was cut short before the site knew, or else
    /// another.
    private func fresh(_ keys: SiteKeys, in directory: borrowing ProtectedDirectory) throws -> TLSIdentity {
        if let known = try HubState.nextIdentity(in: directory),
            !keys.changes.contains(where: { $0.statement.new == known.pin })
        {
            return known
        }
        let new = TLSIdentity.random()
        try keep(new, in: directory)
        return new
    }

    private func keep(_ next: TLSIdentity, in directory: borrowing ProtectedDirectory) throws {
        try directory.destroy(HubState.nextKeyFileName)
        try directory.create(HubState.nextKeyFileName, with: Array(next.keyPEM.utf8))
    }

    /// Calls off what is prepared.
    ///
    /// - Returns: the pin of the key that nobody needs any more.
    package func cancel(now: Date = Date()) throws -> Pin {
        let directory = try state.open()
        guard try state.site.register(in: directory) != nil else { throw KeyError.nothingPrepared }
        let pin = try directory.withSharedLock { directory in
            _ = try follow(in: directory, now: now)
            var keys = try ChangeKey.keys(in: directory, at: now)
            let pin = try HubState.existingIdentity(in: directory).pin
            guard let (statement, _) = keys.prepared(after: pin) else { throw KeyError.nothingPrepared }
            keys.note(statement, .cancelled(now))
            try directory.replaceShared([SharedFile(SiteKeys.fileName, keys.serialized)])
            return statement.new
        }
        _ = try directory.withLock { try follow(in: $0, now: now) }
        return pin
    }

    /// What ``take(_:now:)`` has done.
    package struct Taken: Equatable, Sendable {
        package let pin: Pin
        /// It counts already, and is this gate's now.
        package let counts: Bool
    }

    /// Takes the key that the site's gates are to have next, or have already, out of a backup of one that has
    /// it. Nothing else of that counts.
    package func take(_ backup: HubBackup, now: Date = Date()) throws -> Taken {
        let directory = try state.open()
        guard try state.site.register(in: directory) != nil else { throw KeyError.nothingPrepared }
        return try directory.withSharedLock { directory in
            let pin = try HubState.existingIdentity(in: directory).pin
            let keys = try ChangeKey.keys(in: directory, at: now)
            let path = keys.path(from: pin)
            guard let wanted = path.last?.new ?? keys.prepared(after: pin)?.statement.new else {
                throw KeyError.nothingPrepared
            }
            guard
                let key = [backup.identity, backup.next].compactMap(\.self).first(where: { $0.pin == wanted })
            else { throw KeyError.notInBackup(wanted) }
            if try HubState.nextIdentity(in: directory)?.pin != wanted { try keep(key, in: directory) }
            return Taken(pin: wanted, counts: try follow(in: directory, now: now))
        }
    }

    /// Goes over to the key that counts in the site, if that is another.
    ///
    /// - Returns: true if it did.
    /// - Throws: ``KeyError/behind(_:)`` if this gate has not got it.
    @discardableResult
    package func followSite(now: Date = Date()) throws -> Bool {
        let directory = try state.open()
        guard try state.site.register(in: directory) != nil, try isDue(in: directory) else { return false }
        return try directory.withLock { try follow(in: $0, now: now) }
    }

    /// True if another key counts in the site, which this gate has not got.
    func isBehind(in directory: borrowing ProtectedDirectory) throws -> Bool {
        let pin = try HubState.existingIdentity(in: directory).pin
        guard let last = try HubState.siteKeys(in: directory).path(from: pin).last else { return false }
        return try HubState.nextIdentity(in: directory)?.pin != last.new
    }

    /// True if there is something to do for ``follow(in:now:)``.
    private func isDue(in directory: borrowing ProtectedDirectory) throws -> Bool {
        let keys = try HubState.siteKeys(in: directory)
        guard !keys.changes.isEmpty else { return false }
        let pin = try HubState.existingIdentity(in: directory).pin
        if !keys.path(from: pin).isEmpty { return true }
        guard let next = try HubState.nextIdentity(in: directory)?.pin else { return false }
        return next == pin || keys.isCancelled(next)
    }

    /// Call it under the lock of the directory. Cut short, it leaves the gate with the key that it had, and
    /// is run again.
    func follow(in directory: borrowing ProtectedDirectory, now: Date) throws -> Bool {
        let keys = try HubState.siteKeys(in: directory)
        let own = try HubState.existingIdentity(in: directory)
        let next = try HubState.nextIdentity(in: directory)
        let path = keys.path(from: own.pin)
        guard let last = path.last else {
            // It was called off, or the gate has gone over and was cut short.
            if let next, next.pin == own.pin || keys.isCancelled(next.pin) {
                try directory.destroy(HubState.nextKeyFileName)
            }
            return false
        }
        guard let next, next.pin == last.new else { throw KeyError.behind(last.new) }
        var known = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
        if path.count == 1, now < last.until {
            try keepOld(own, in: directory)
        } else {
            try directory.destroy(HubState.oldKeyFileName)
        }
        for statement in path { known.follow(statement.old, by: statement.new, statement, at: now) }
        try directory.replace(HubKeys.fileName, with: known.serialized)
        try put(next, in: directory)
        try directory.destroy(HubState.nextKeyFileName)
        return true
    }

    /// Looks at what the site says of this gate's key, and does its part; for a gate that serves.
    ///
    /// - Returns: true if there is nothing to do until something changes.
    func turn(
        _ register: SiteRegister, _ directory: borrowing ProtectedDirectory, now: Date
    ) throws -> Bool {
        if try followSite(now: now) { return true }
        let pin = try HubState.existingIdentity(in: directory).pin
        let own = register.settings.gate
        guard case .prepared = try ChangeKey.plan(pin, in: directory, listed: [own], now) else {
            return true
        }
        guard try HubState.siteGates(in: directory)[own]?.next != nil else { return true }
        let listed = try register.store.gates().map(\.id)
        guard case .prepared(_, _, missing: []) = try ChangeKey.plan(pin, in: directory, listed: listed, now)
        else { return false }
        try directory.withSharedLock { directory in
            guard
                case .prepared(let statement, let term, missing: []) = try ChangeKey.plan(
                    pin, in: directory, listed: listed, now),
                let new = try HubState.nextIdentity(in: directory), new.pin == statement.new
            else { return }
            let old = try HubState.existingIdentity(in: directory)
            var keys = try ChangeKey.keys(in: directory, at: now)
            // Devices have the whole term from now on.
            let fresh = try KeyStatement(
                serial: statement.serial, until: now.addingTimeInterval(Double(term.components.seconds)),
                old: old.key, new: new.key)
            keys.note(fresh, .changed(now))
            try directory.replaceShared([SharedFile(SiteKeys.fileName, keys.serialized)])
        }
        try followSite(now: now)
        return false
    }

    package static func plan(
        _ pin: Pin, in directory: borrowing ProtectedDirectory, listed: [String], _ now: Date
    ) throws -> SiteKeyPlan {
        SiteKeyPlan(
            pin, try keys(in: directory, at: now), try HubState.siteGates(in: directory), listed: listed)
    }

    /// What the site says of keys, and what this gate knows of its own beside that.
    private static func keys(in directory: borrowing ProtectedDirectory, at now: Date) throws -> SiteKeys {
        var keys = try HubState.siteKeys(in: directory)
        keys.add(try HubKeys.statements(in: directory), at: now)
        return keys
    }
}
