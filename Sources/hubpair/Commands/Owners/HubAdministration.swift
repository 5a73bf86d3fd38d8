import GatewayRules
import HubClient
import HubService
import Identity
import Pairing

/// An owner's decisions on a hub, wherever it is.
protocol HubAdministration: Sendable {
    func devices() async throws -> [DeviceRecord]
    func approve(_ selector: PeerSelector, end: ApprovalEnd, role: Role?) async throws -> DeviceChange
    /// Keeps a device out; `takingAway` also takes away what it leaves behind.
    func revoke(_ selector: PeerSelector, takingAway: Bool) async throws -> Revocation
    /// Gives a device another name, another role, or both.
    func change(_ selector: PeerSelector, name: PeerName?, role: Role?) async throws -> DeviceChange

    func codes() async throws -> [CodeRecord]
    /// Takes the named codes back; if a name fits no code, nothing is changed.
    func void(_ selectors: [CodeSelector]) async throws -> [VoidedCodes]
    /// Takes all codes back that are good.
    func voidAll(keepsLabel: Bool) async throws -> [VoidedCodes]

    /// What the hub is called.
    func names() async throws -> [HubNameRecord]
    /// Says another name or address of the hub.
    func add(_ host: WebHost) async throws -> (record: HubNameRecord, changed: Bool)
    /// Takes one back that was added.
    func remove(_ host: WebHost) async throws

    /// Whether browsers are told of messages while the page is closed, and which.
    func push() async throws -> PushRecord
    /// - Returns: false if it was so already.
    func setPush(_ isOn: Bool) async throws -> Bool

    /// The entries of the journal after the one with this number, or the last ones.
    func journal(
        of matters: [JournalEntry.Matter], after: Int?, limit: Int
    ) async throws -> (entries: [JournalEntry], hasMore: Bool)
}

/// A device as it is now, and whether that is a change.
typealias DeviceChange = (device: DeviceRecord, changed: Bool)
/// The codes that the hub does not know any more, and those that were used before, and so were left.
typealias VoidedCodes = (void: [CodeRecord], used: [CodeRecord])

/// The hub whose files are on this machine.
struct MachineHub: HubAdministration {
    let state: HubState

    func devices() throws -> [DeviceRecord] {
        let now = Moment.now
        let administer = AdministerDevices(state: state)
        return DeviceRecord.all(try administer.list(at: now), seen: try administer.lastSeen(), at: now)
    }

    func approve(_ selector: PeerSelector, end: ApprovalEnd, role: Role?) throws -> DeviceChange {
        try record(AdministerDevices(state: state).approve(selector, end: end, role: role))
    }

    func revoke(_ selector: PeerSelector, takingAway: Bool) throws -> Revocation {
        let (device, changed) = try record(AdministerDevices(state: state).revoke(selector))
        let behind = LeftBehind(of: device.device, state: state)
        guard takingAway else {
            return Revocation(device: device, changed: changed, left: try? behind.things())
        }
        return Revocation(device: device, changed: changed, left: [], taken: try behind.takeAway())
    }

    func change(_ selector: PeerSelector, name: PeerName?, role: Role?) throws -> DeviceChange {
        try record(AdministerDevices(state: state).change(selector, name: name, role: role))
    }

    private func record(_ change: (device: ApprovedDevice, changed: Bool)) throws -> DeviceChange {
        let others = DeviceLikeness(try AdministerDevices(state: state).list()).resembled(by: change.device)
        return (DeviceRecord(change.device, resembling: others, seen: nil, at: .now), change.changed)
    }

    func codes() throws -> [CodeRecord] {
        try AdministerCodes(state: state).list().map { CodeRecord($0) }
    }

    func void(_ selectors: [CodeSelector]) throws -> [VoidedCodes] {
        try AdministerCodes(state: state).void(selectors).map(records)
    }

    func voidAll(keepsLabel: Bool) throws -> [VoidedCodes] {
        [records(try AdministerCodes(state: state).voidAll(keepsLabel: keepsLabel))]
    }

    private func records(_ voided: AdministerCodes.Voided) -> VoidedCodes {
        (voided.codes.map { CodeRecord($0, status: .void) }, voided.used.map { CodeRecord($0) })
    }

    func names() throws -> [HubNameRecord] { try AdministerNames(state: state).list() }

    func add(_ host: WebHost) throws -> (record: HubNameRecord, changed: Bool) {
        try AdministerNames(state: state).add(host)
    }

    func remove(_ host: WebHost) throws { try AdministerNames(state: state).remove(host) }

    func push() throws -> PushRecord {
        let isOn = try AdministerPush(state: state).isOn
        // Without a house nobody has been told where to tell.
        return PushRecord(isOn: isOn, devices: try HouseQuestion.push.ask(state)["devices"])
    }

    func setPush(_ isOn: Bool) throws -> Bool { try AdministerPush(state: state).set(isOn) }

    func journal(
        of matters: [JournalEntry.Matter], after: Int?, limit: Int
    ) throws -> (entries: [JournalEntry], hasMore: Bool) {
        try ReadJournal(state: state).run(of: matters, after: after, limit: limit)
    }
}

/// A hub with which this computer is paired.
extension AdministerHub: HubAdministration {
    func add(_ host: WebHost) async throws -> (record: HubNameRecord, changed: Bool) {
        try await addName(host.text)
    }

    func remove(_ host: WebHost) async throws { try await removeName(host.text) }

    func void(_ selectors: [CodeSelector]) async throws -> [VoidedCodes] {
        try await void(selectors.map(\.text))
    }
}
