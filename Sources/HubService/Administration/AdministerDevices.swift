import FoundationEssentials
package import Pairing

/// The owner's decisions about devices, each one step on the keyfile.
package struct AdministerDevices {
    private let state: HubState
    private let author: JournalEntry.Author?

    /// - Parameter author: the owner's device through which it is done; nil for the command line on the hub.
    package init(state: HubState, by author: JournalEntry.Author? = nil) {
        (self.state, self.author) = (state, author)
    }

    /// All devices in the keyfile's order, without those that asked and whose question has lapsed.
    package func list(at now: Moment = .now) throws -> [ApprovedDevice] {
        try HubState.completedDevices(in: state.open()).devices.devices.filter { !$0.isForgotten(at: now) }
    }

    /// When and from where devices were last let in; an empty record if none has been kept, or if it has a
    /// fault, which the next one does not have.
    package func lastSeen() throws -> LastSeen {
        let directory = try state.open()
        return (try? directory.read(LastSeen.fileName, LastSeen.init(parsing:)))
            ?? LastSeen(since: .distantPast)
    }

    /// Approves a device that asked, or whose approval has run out. One that was revoked is refused: only a
    /// new once code brings it back.
    ///
    /// A device that asks is meant by its fingerprint alone: it chose its name itself, and a stranger's that
    /// calls itself as the one the owner has in mind would be let in its place. A name counts for a device
    /// that the owner approved before, unless a device that asks has the same name.
    ///
    /// - Parameters:
    ///   - end: when the approval ends; of one that is there it changes nothing but that.
    ///   - role: what the device may do; nil leaves it as it is, and a new device is a member.
    /// - Returns: the device as it is now, and whether that is a change.
    package func approve(
        _ selector: PeerSelector, end: ApprovalEnd = .unsaid, role: Role? = nil, now: Moment = .now
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector, at: now) { devices in
            let named = devices.filter { selector.isName($0.name) && !$0.isForgotten(at: now) }
            let asking = named.filter { $0.status == .pending }
            guard let first = asking.first else { return }
            throw HubError.asksByName(
                name: first.name.description, asking: asking.map(\.fingerprint),
                known: named.filter { $0.status != .pending }.map(\.fingerprint))
        } _: { device, _ in
            // Whole seconds, as the file has them.
            func ending(besides present: Date?) throws -> Date? {
                try end.date(besides: present, at: now, latest: device.latest).map {
                    Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.up))
                }
            }
            switch device.verdict(at: now) {
            case .approved, .unknownRole: device.expires = try ending(besides: device.expires)
            case .unknown: return
            case .revoked: throw HubError.revoked(name: device.name.description)
            case .pending, .expired:
                guard !device.isForgotten(at: now) else {
                    throw HubError.askLapsed(name: device.name.description)
                }
                device.expires = try ending(besides: nil)
                device.status = .approved
                device.approved = now.wall
                device.asked = nil
            }
            if let role { device.role = role.rawValue }
        }
    }

    /// Gives a device that is approved, or whose approval has run out, another role. One that asks gets its
    /// role with the approval, and one that was revoked with a new code.
    package func give(
        _ role: Role, to selector: PeerSelector, now: Moment = .now
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector, at: now) { device, _ in try AdministerDevices.set(role, of: &device) }
    }

    /// Gives a device another name, another role, or both, in one step.
    package func change(
        _ selector: PeerSelector, name: PeerName?, role: Role?, now: Moment = .now
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector, at: now) { device, others in
            if let name { try AdministerDevices.set(name, of: &device, among: others) }
            if let role { try AdministerDevices.set(role, of: &device) }
        }
    }

    private static func set(_ role: Role, of device: inout ApprovedDevice) throws(HubError) {
        switch device.status {
        case .pending: throw .roleOfAsking(device.fingerprint, role)
        case .revoked: throw .roleOfRevoked(name: device.name.description, role)
        // No word at all is a member, too, and need not be written.
        case .approved where device.knownRole != role: device.role = role.rawValue
        case .approved: break
        }
    }

    private static func set(
        _ name: PeerName, of device: inout ApprovedDevice, among others: [ApprovedDevice]
    ) throws(PeerSelectorError) {
        try others.checkIsFree(name)
        device.name = name
    }

    /// Refuses an approval that a device asks for; the device stays as a tombstone.
    ///
    /// - Throws: ``HubError/asksNothing(_:)`` for a device that does not ask.
    package func refuse(
        _ selector: PeerSelector, now: Moment = .now
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector, at: now) { device, _ in
            guard device.status == .pending else { throw HubError.asksNothing(device.fingerprint) }
            device.status = .revoked
            device.asked = nil
        }
    }

    /// Takes an approval back, or refuses one that is asked for; the device stays as a tombstone.
    package func revoke(
        _ selector: PeerSelector, now: Moment = .now
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try change(selector, at: now) { device, _ in
            device.status = .revoked
            device.asked = nil
        }
    }

    /// Gives a device another name.
    package func rename(_ selector: PeerSelector, to name: PeerName, now: Moment = .now) throws -> (
        device: ApprovedDevice, changed: Bool
    ) {
        try change(selector, name: name, role: nil, now: now)
    }

    /// - Parameter check: looks at all devices first; what it throws stops the change.
    private func change(
        _ selector: PeerSelector, at now: Moment,
        check: ([ApprovedDevice]) throws -> Void = { _ in },
        _ body: (inout ApprovedDevice, _ others: [ApprovedDevice]) throws -> Void
    ) throws -> (device: ApprovedDevice, changed: Bool) {
        try ApprovedDevicesFile(of: state).change(by: author, at: now) { keyfile, _ in
            try check(keyfile.devices)
            let index = try AdministerDevices.index(of: selector, in: keyfile.devices, at: now)
            let before = keyfile.devices[index]
            var device = before
            try body(&device, keyfile.devices.filter { $0.pin != before.pin })
            if device != before { keyfile.insert(device) }
            return (device, device != before)
        }
    }

    /// The position of the one device that is meant. Questions that have lapsed are not listed, so they make
    /// no name ambiguous; they are meant only if nothing else is.
    private static func index(
        of selector: PeerSelector, in devices: [ApprovedDevice], at now: Moment
    ) throws(PeerSelectorError) -> Int {
        let listed = devices.indices.filter { !devices[$0].isForgotten(at: now) }
        func find(among indices: [Int]) throws(PeerSelectorError) -> Int {
            let peers = indices.map { index in
                let device = devices[index]
                return PeerSelector.Peer(device.name, device.fingerprint, status: device.status.rawValue)
            }
            return indices[try selector.index(in: peers, kind: "device", list: "hubpair devices")]
        }
        do {
            return try find(among: listed)
        } catch {
            guard case .unknown = error, listed.count < devices.count,
                let index = try? find(among: devices.indices.filter { !listed.contains($0) })
            else { throw error }
            return index
        }
    }
}
