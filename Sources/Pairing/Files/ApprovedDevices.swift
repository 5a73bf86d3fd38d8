public import FoundationEssentials
import Synchronization

/// The hub's keyfile `approved-devices`.
///
///     [keyfile]
///     format=1
///     pairings=17
///     seen=2026-11-30T08:00:00Z
///     seen-boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456
///
///     [device K7QF-2M9D-X0TW-8RHC]
///     name=Anna's tablet
///     pin=sha256//…
///     status=approved
///     approved=2026-11-21T10:22:03Z
///     expires=2027-11-21T10:22:03Z
///     role=guest
///     kind=browser
///
/// `status` is `pending`, `approved` or `revoked`; `approved`, `expires`, `role` and `kind` may be missing.
/// `role` is as ``Role`` has it; another word is kept, and its device is let in nowhere. `kind` is `browser`
/// for one that paired by a key of its own, without a certificate; nothing depends on it. A device that is
/// pending has `asked`, and `asked-boot` as `BootTime` has it; without them its question never lapses.
/// `pairings` (0 if it is missing) is the number of the last use of a code, as the file `tickets` counts
/// them, whose outcome is in this file: a use of a higher number was cut short, and is completed from
/// `tickets`. A device that was revoked or taken out by hand after its use does not come back. `seen` and
/// `seen-boot` (as `BootTime` has it) are what the clocks said when the hub last looked at approvals that
/// expire: the time is not before that. They are missing as long as nothing expires; without them a clock
/// that was set wrong, and far ahead, is forgotten.
///
/// Accepted: the above with the whole pin; `samples/keyfiles/approved-devices`. Rejected: a second group of
/// the same name, a group whose fingerprint is not its pin's, another status, another kind of group,
/// `format=2`.
public struct ApprovedDevices: Equatable, Sendable {
    package static let fileName = "approved-devices"
    private static let kind = "device"
    private static let pairingsKey = "pairings"
    private static let seenKey = "seen"
    private static let seenBootKey = "seen-boot"

    /// The devices in the file's order.
    public private(set) var devices: [ApprovedDevice] = []
    /// The number of the last use of a code whose outcome is in this file; 0: of none.
    public private(set) var pairings = 0
    /// What the clocks said when the hub last looked at approvals that expire; nil if it never did.
    public private(set) var seen: Moment?
    private var file: KeyFile
    private var positions: [Pin: Int] = [:]

    /// A keyfile without a device.
    public init() {
        file = .empty(comment: "The devices that may use this hub; see 'hubpair devices'.")
    }

    /// Of the large files that were read, the last: several parts of a hub read the same one after each
    /// change, and of 10,000 devices one is another then.
    private static let last = Mutex<ApprovedDevices?>(nil)
    private static let largeByteCount = 65_536

    /// Reads a keyfile; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let isLarge = bytes.count >= ApprovedDevices.largeByteCount
        let known = isLarge ? ApprovedDevices.last.withLock { $0 } : nil
        if let known, known.file.serialized == bytes {
            self = known
            return
        }
        try self.init(parsing: bytes, keeping: known ?? ApprovedDevices(file: KeyFile()))
        if isLarge { ApprovedDevices.last.withLock { [self] in $0 = self } }
    }

    private init(file: KeyFile) { self.file = file }

    /// - Parameter known: as it was read; what is the same in both is not read again.
    private init(parsing bytes: [UInt8], keeping known: ApprovedDevices) throws(KeyFileError) {
        var kept: [Int?] = []
        file = try KeyFile(parsing: bytes, keeping: known.file, &kept)
        try file.checkFormat()
        pairings = try file.number(ApprovedDevices.pairingsKey, in: KeyFile.formatGroup) ?? 0
        seen = try file.moment(
            ApprovedDevices.seenKey, boot: ApprovedDevices.seenBootKey, in: KeyFile.formatGroup)
        let format = known.file.positions[KeyFile.formatGroup] ?? 0
        for (position, group) in file.groupNames.enumerated() where group != KeyFile.formatGroup {
            if let old = kept[position] {
                devices.append(known.devices[old > format ? old - 1 : old])
                continue
            }
            let fingerprint = try file.identifier(of: ApprovedDevices.kind, in: group)
            let word = try file.required("status", in: group)
            guard let status = ApprovedDevice.Status(rawValue: word) else {
                throw .invalidValue("not pending, approved or revoked", key: "status", group: group)
            }
            devices.append(
                ApprovedDevice(
                    name: try file.name("name", in: group),
                    pin: try file.pin(in: group, fingerprint: fingerprint),
                    status: status,
                    approved: try file.time("approved", in: group),
                    expires: try file.time("expires", in: group),
                    role: file.value("role", in: group),
                    asked: try file.moment("asked", boot: "asked-boot", in: group),
                    kind: file.value("kind", in: group)))
        }
        let latest = latestMoment
        for position in devices.indices { devices[position].latest = latest }
        index()
    }

    /// The bytes of the file: what was read, with the changes since.
    public var serialized: [UInt8] { file.serialized }

    /// The device with this pin; takes the same time among 10 devices and among 10,000.
    public func device(_ pin: Pin) -> ApprovedDevice? { positions[pin].map { devices[$0] } }

    /// Whether the device with this pin may come in at the time `now`.
    public func verdict(for pin: Pin, at now: Date) -> DeviceVerdict {
        device(pin)?.verdict(at: now) ?? .unknown
    }

    /// When the last device asked or was approved, or the hub looked at what expires, by the wall clock; nil
    /// if never.
    package var latest: Date? { latestMoment?.wall }

    private var latestMoment: Moment? {
        let asked = devices.lazy.compactMap(\.asked)
        let approved = devices.lazy.compactMap(\.approved).map { Moment(wall: $0) }
        return [asked.max { $0.wall < $1.wall }, approved.max { $0.wall < $1.wall }, seen]
            .compactMap(\.self).max { $0.wall < $1.wall }
    }

    /// The expiries of approvals, those that are over too.
    package var expiries: [Date] { devices.lazy.filter { $0.status == .approved }.compactMap(\.expires) }

    /// Notes what the clocks say: `wall` in whole seconds is known to have been.
    package mutating func see(_ moment: Moment) {
        seen = moment
        file.set(ApprovedDevices.seenKey, to: moment.wall.timestamp, in: KeyFile.formatGroup)
        file.set(ApprovedDevices.seenBootKey, to: moment.boot?.description, in: KeyFile.formatGroup)
        for position in devices.indices { devices[position].latest = moment }
    }

    /// Adds a device, or puts it in place of the one with the same pin.
    public mutating func insert(_ device: ApprovedDevice) {
        let group = ApprovedDevices.group(device.fingerprint.description)
        file.set("name", to: device.name.description, in: group)
        file.set("pin", to: device.pin.text, in: group)
        file.set("status", to: device.status.rawValue, in: group)
        file.set("approved", to: device.approved?.timestamp, in: group)
        file.set("expires", to: device.expires?.timestamp, in: group)
        file.set("role", to: device.role, in: group)
        file.set("asked", to: device.asked?.wall.timestamp, in: group)
        file.set("asked-boot", to: device.asked?.boot?.description, in: group)
        file.set("kind", to: device.kind, in: group)
        if let position = positions[device.pin] {
            devices[position] = device
        } else {
            positions[device.pin] = devices.count
            devices.append(device)
        }
    }

    /// Removes the devices that asked, and that nobody answered in time. Returns their pins.
    public mutating func forgetAsks(at now: Moment) -> [Pin] {
        let forgotten = devices.filter { $0.isForgotten(at: now) }
        guard !forgotten.isEmpty else { return [] }
        file.removeGroups(Set(forgotten.map { ApprovedDevices.group($0.fingerprint.description) }))
        devices.removeAll { $0.isForgotten(at: now) }
        index()
        return forgotten.map(\.pin)
    }

    /// Removes a device without a trace. Only for one that has never been a device of anybody's: else it
    /// stays as a tombstone.
    package mutating func remove(_ pin: Pin) {
        guard let device = device(pin) else { return }
        file.removeGroups([ApprovedDevices.group(device.fingerprint.description)])
        devices.removeAll { $0.pin == pin }
        index()
    }

    /// Enters what became of the uses in `tickets` that are not in this file yet: a once code approves its
    /// device, whatever it was before; a label makes a device that is not known ask.
    ///
    /// - Returns: the pins of the devices that were entered.
    public mutating func complete(_ tickets: Tickets) -> [Pin] {
        var entered: [Pin] = []
        for use in tickets.uses where use.number > pairings {
            pairings = use.number
            file.set(ApprovedDevices.pairingsKey, to: String(pairings), in: KeyFile.formatGroup)
            let known = device(use.device)
            let ticket = tickets.ticket(use.ticket)
            switch ticket?.kind {
            case .once:
                insert(
                    ApprovedDevice(
                        name: use.name, pin: use.device, status: .approved, approved: use.used.wall,
                        expires: ticket?.stay.end(of: use.used, seen: seen),
                        role: Role.word(
                            by: ticket?.role, of: known?.role,
                            hasAccess: known?.verdict(at: use.used) == .approved),
                        kind: use.kind))
            case .label where known == nil || known?.status == .pending:
                insert(
                    ApprovedDevice(
                        name: use.name, pin: use.device, status: .pending, role: known?.role, asked: use.used,
                        kind: use.kind)
                )
            case .label, nil: continue
            }
            entered.append(use.device)
        }
        return entered
    }

    private mutating func index() {
        positions = Dictionary(devices.enumerated().map { ($1.pin, $0) }) { first, _ in first }
    }

    private static func group(_ fingerprint: String) -> String { "\(kind) \(fingerprint)" }
}
