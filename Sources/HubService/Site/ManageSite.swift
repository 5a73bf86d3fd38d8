import FoundationEssentials
import Glibc
import Identity
package import Pairing

/// Makes a hub a gate of a site, and a hub of its own again. Nothing is lost on the way in or out: the
/// devices, the codes and what was counted of them go along.
package struct ManageSite {
    /// What joining came to.
    package struct Joined: Equatable, Sendable {
        /// True for the first gate: the site has what this hub had.
        package let isFirst: Bool
        /// The devices that are let in now.
        package let devices: Int
        /// The codes of this hub that are void now, since the site has its own.
        package let voided: Int
    }

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// Moves in. A hub that is a gate of this site already gets other members, another certificate or another
    /// time without a majority.
    ///
    /// The first gate gives the site all that it has. At a later one the site's word counts: a device that is
    /// not known there comes along, and one that was revoked here after it was approved there is revoked.
    ///
    /// - Parameter other: the hub whose site it is, which has another key.
    /// - Throws: `SiteError`; then nothing has changed here.
    package func join(
        _ members: [SiteMember], _ credentials: SiteCredentials, stale: Int, with other: Fingerprint? = nil,
        now: Moment = .now
    ) throws -> Joined {
        let directory = try state.open()
        return try directory.withLock { directory in
            let hub = try HubState.hub(in: directory)
            let before = try directory.read(SiteSettings.fileName, SiteSettings.init(parsing:))
            // The site keeps its name when its hub's key changes.
            let own = ([hub.pin] + hub.past).map(\.fingerprint)
            let founder = try other ?? before?.hub ?? ManageSite.founder(own, members, credentials)
            if let before, before.hub != founder { throw SiteError.joined(before.members.map(\.text)) }
            var settings = SiteSettings(
                members: members, hub: founder, cluster: 0,
                gate: before?.gate ?? ManageSite.gate(), stale: stale, credentials: credentials)
            let store = try EtcdStore(settings, isJoining: true)
            let (cluster, isInUse) = try store.standing()
            if let before, before.cluster != cluster {
                throw SiteError.joined(before.members.map(\.text))
            }
            settings.cluster = cluster
            guard isInUse || own.contains(founder) else { throw SiteError.nobody(founder) }
            var voided = 0
            // A site that was emptied has again what its gate has a copy of.
            let movesIn = before == nil || !isInUse
            if !isInUse {
                try store.fill(ManageSite.all(in: directory))
            } else if movesIn {
                voided = try merge(directory, into: store, at: now)
            }
            try store.add(gate: settings.gate, name: ManageSite.hostName())
            if movesIn {
                let register = SiteRegister(store, settings)
                let snapshot = try register.current()
                // First what shuts everybody out until the copy is one.
                try directory.replace(SiteSettings.fileName, with: settings.serialized)
                try register.copy(snapshot, to: directory)
            } else {
                try directory.replace(SiteSettings.fileName, with: settings.serialized)
            }
            let devices = try HubState.completedDevices(in: directory).devices.devices
            return Joined(
                isFirst: !isInUse, devices: devices.count { $0.verdict(at: now) == .approved },
                voided: voided)
        }
    }

    /// Whose site it is that the hub with these keys, the latest first, has: that of one of them if there is,
    /// else a new one.
    private static func founder(
        _ own: [Fingerprint], _ members: [SiteMember], _ credentials: SiteCredentials
    ) throws -> Fingerprint {
        guard own.count > 1 else { return own[0] }
        for hub in own {
            let settings = SiteSettings(
                members: members, hub: hub, cluster: 0, gate: "", stale: 0, credentials: credentials)
            if try EtcdStore(settings, isJoining: true).standing().isInUse { return hub }
        }
        return own[0]
    }

    /// Goes in beside the gates that are there, with a site from a backup: what else was restored does not
    /// count.
    package func enter() throws {
        let directory = try state.open()
        guard let register = try state.site.register(in: directory) else { throw SiteError.notJoined }
        try EtcdStore(register.settings).add(gate: register.settings.gate, name: ManageSite.hostName())
        try directory.withSharedLock { _ in }
    }

    /// Moves out, with what the site has now. The last gate leaves nothing behind.
    ///
    /// - Parameter isOffline: the site is not asked: this gate's copy counts.
    /// - Returns: true if it was the last gate, or that is not known.
    @discardableResult
    package func leave(isOffline: Bool = false) throws -> Bool {
        let directory = try state.open()
        return try directory.withLock { directory in
            guard let register = try state.site.register(in: directory) else { throw SiteError.notJoined }
            let isLast = try isOffline || takeOut(register.settings.gate, register, directory)
            // One that goes without the key that counts is another hub from then on: devices have that.
            _ = try ChangeKey(state: state).follow(in: directory, now: Date())
            try directory.destroy(SiteSettings.fileName)
            for file in [SiteCopy.fileName, SiteGates.fileName, SiteKeys.fileName, HubState.nextKeyFileName] {
                try directory.destroy(file)
            }
            return isLast
        }
    }

    /// Takes out another gate, which is gone for good: what it cannot do itself any more. One that still runs
    /// goes on as before, and is told of again when it starts.
    ///
    /// - Parameter name: what ``SiteStatus/gates`` calls it.
    package func takeOut(gate name: String) throws {
        let directory = try state.open()
        try directory.withLock { directory in
            guard let register = try state.site.register(in: directory) else { throw SiteError.notJoined }
            let (store, own) = (try EtcdStore(register.settings), register.settings.gate)
            // Another one may have taken this gate out, which is one all the same: with the last that is
            // listed all would go.
            if try !store.gates().contains(where: { $0.id == own }) {
                try store.add(gate: own, name: ManageSite.hostName())
            }
            let others = SiteStatus.names(of: try store.gates()).filter { $0.id != own }
            guard let gate = others.first(where: { $0.name == name }) else {
                throw SiteError.noGate(name, known: others.map(\.name))
            }
            _ = try takeOut(gate.id, register, directory)
        }
    }

    private func takeOut(
        _ gate: String, _ register: SiteRegister, _ directory: borrowing ProtectedDirectory
    ) throws -> Bool {
        let store = try EtcdStore(register.settings)
        var root = gate == register.settings.gate ? try HubState.hub(in: directory).root : nil
        while true {
            do {
                let others = try store.gates().map(\.id).filter { $0 != gate }
                let isLast = others.isEmpty
                let snapshot = try register.current()
                try register.copy(snapshot, to: directory)
                var gates = try HubState.siteGates(in: directory)
                var keys = try HubState.siteKeys(in: directory)
                keys.add(try HubKeys.statements(in: directory), at: Date())
                root = root ?? gates[gate].map { keys.root(of: $0.hub.pin) }
                // One that has never served has not said which hub it is.
                let isLastOfHub = others.allSatisfy { other in
                    gates[other].map { keys.root(of: $0.hub.pin) != root } ?? false
                }
                if gates.forget(gate) {
                    let change = try snapshot.change(to: [SharedFile(SiteGates.fileName, gates.serialized)])
                    _ = try store.commit(change, on: snapshot.head)
                    continue
                }
                let isGone = try store.remove(
                    gate: gate, of: root?.fingerprint, isLast: isLastOfHub, head: snapshot.head)
                if isGone { return isLast }
            } catch SiteError.empty {
                // It was cut short after the site was told.
                return true
            }
        }
    }

    // MARK: Moving in

    /// The files as a change of an empty site.
    private static func all(in directory: borrowing ProtectedDirectory) throws -> SiteChange {
        var files = [
            SharedFile(
                ApprovedDevices.fileName, try HubState.completedDevices(in: directory).devices.serialized)
        ]
        for name in [Tickets.fileName, FailedAttempts.fileName, SiteGates.fileName, SiteKeys.fileName] {
            if let bytes = try directory.read(name) { files.append(SharedFile(name, bytes)) }
        }
        return try SiteSnapshot(head: 0, parts: [:]).change(to: files)
    }

    /// Adds to the site what it does not know.
    ///
    /// - Returns: how many codes of this hub are good, and void then.
    private func merge(
        _ directory: borrowing ProtectedDirectory, into store: EtcdStore, at now: Moment
    ) throws -> Int {
        let own = try HubState.completedDevices(in: directory).devices
        var isDone = false
        while !isDone {
            let snapshot = try store.snapshot()
            guard let bytes = snapshot.contents[ApprovedDevices.fileName] else {
                throw SiteError.damaged("no \(ApprovedDevices.fileName)")
            }
            var devices = try ApprovedDevices(parsing: bytes)
            devices.add(own)
            let change = try snapshot.change(to: [SharedFile(ApprovedDevices.fileName, devices.serialized)])
            var head: Int64? = snapshot.head
            for piece in change.pieces(of: SiteRegister.pieceCount, byteCount: SiteRegister.pieceByteCount)
            where !piece.parts.isEmpty {
                head = try head.flatMap { try store.commit(piece, on: $0) }
            }
            isDone = head != nil
        }
        let tickets = try HubState.tickets(in: directory) ?? Tickets()
        let attempts = try HubState.attempts(in: directory) ?? FailedAttempts()
        let latest = try OpenCodes.latest(tickets, attempts, in: directory, at: now)
        return tickets.tickets.count {
            IssuedCode($0, in: tickets, attempts, at: now, latest: latest).status == .good
        }
    }

    static func gate() -> String {
        CrockfordBase32.encode((0..<5).map { _ in UInt8.random(in: 0...255) })
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension ApprovedDevices {
    /// Adds the devices of another gate that this register does not know, and takes over that one was
    /// revoked there since it was approved here.
    mutating func add(_ other: ApprovedDevices) {
        for device in other.devices where device.status != .pending {
            guard let known = self.device(device.pin) else {
                insert(device)
                continue
            }
            let isNewer = (device.approved ?? .distantPast) >= (known.approved ?? .distantPast)
            if device.status == .revoked, known.status == .approved, isNewer { insert(device) }
        }
    }
}
