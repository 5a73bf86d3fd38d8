public import FoundationEssentials

/// One device in the hub's keyfile.
public struct ApprovedDevice: Equatable, Sendable {
    /// What the keyfile says of a device.
    public enum Status: String, Equatable, Sendable, CaseIterable {
        /// It asked with a label's code, and the owner has not answered.
        case pending
        /// It may come in.
        case approved
        /// It may no longer come in; kept, so that it cannot ask as if it were new.
        case revoked
    }

    /// The device's name, from the device itself or from the owner.
    public var name: PeerName
    /// The pin of the device's key.
    public let pin: Pin
    /// What the keyfile says.
    public var status: Status
    /// When it was last approved.
    public var approved: Date?
    /// From when on an approval no longer counts; nil: never.
    public var expires: Date?
    /// What the owner noted as its role; this version only keeps it.
    public let role: String?

    /// The first 10 bytes of the pin.
    public var fingerprint: Fingerprint { pin.fingerprint }

    /// A device of these parts.
    public init(
        name: PeerName, pin: Pin, status: Status, approved: Date? = nil, expires: Date? = nil,
        role: String? = nil
    ) {
        self.name = name
        self.pin = pin
        self.status = status
        self.approved = approved
        self.expires = expires
        self.role = role
    }

    /// What the device may do at the time `now`.
    public func verdict(at now: Date) -> DeviceVerdict {
        switch status {
        case .pending: .pending
        case .revoked: .revoked
        case .approved:
            if let expires, now >= expires { .expired(since: expires) } else { .approved }
        }
    }
}

/// Whether a device may come in, and if not, why.
public enum DeviceVerdict: Equatable, Sendable {
    /// It may.
    case approved
    /// The owner has not answered yet.
    case pending
    /// The owner has taken the approval back.
    case revoked
    /// The approval was for a time that is over.
    case expired(since: Date)
    /// The keyfile does not know the device.
    case unknown
}

/// The hub's keyfile `approved-devices`.
///
///     [keyfile]
///     format=1
///
///     [device K7QF-2M9D-X0TW-8RHC]
///     name=Anna's tablet
///     pin=sha256//…
///     status=approved
///     approved=2026-11-21T10:22:03Z
///     expires=2027-11-21T10:22:03Z
///     role=guest
///
/// `status` is `pending`, `approved` or `revoked`; `approved`, `expires` and `role` may be missing.
///
/// Accepted: the above with the whole pin; `samples/keyfiles/approved-devices`. Rejected: a second group of the same name, a group whose
/// fingerprint is not its pin's, another status, another kind of group, `format=2`.
public struct ApprovedDevices: Equatable, Sendable {
    package static let fileName = "approved-devices"
    private static let kind = "device"

    /// The devices in the file's order.
    public private(set) var devices: [ApprovedDevice] = []
    private var file: KeyFile

    /// A keyfile without a device.
    public init() {
        file = .empty(comment: "The devices that may use this hub; see 'hubpair devices'.")
    }

    /// Reads a keyfile; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for fingerprint in try file.identifiers(of: ApprovedDevices.kind) {
            let group = ApprovedDevices.group(fingerprint)
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
                    role: file.value("role", in: group)))
        }
    }

    /// The bytes of the file: what was read, but for what has been changed.
    public var serialized: [UInt8] { file.serialized }

    /// Whether the device with this pin may come in at the time `now`.
    public func verdict(for pin: Pin, at now: Date) -> DeviceVerdict {
        devices.first { $0.pin == pin }?.verdict(at: now) ?? .unknown
    }

    /// Adds a device, or puts it in the place of the one with the same pin.
    public mutating func insert(_ device: ApprovedDevice) {
        let group = ApprovedDevices.group(device.fingerprint.description)
        file.set("name", to: device.name.description, in: group)
        file.set("pin", to: device.pin.text, in: group)
        file.set("status", to: device.status.rawValue, in: group)
        file.set("approved", to: device.approved?.timestamp, in: group)
        file.set("expires", to: device.expires?.timestamp, in: group)
        file.set("role", to: device.role, in: group)
        if let index = devices.firstIndex(where: { $0.pin == device.pin }) {
            devices[index] = device
        } else {
            devices.append(device)
        }
    }

    private static func group(_ fingerprint: String) -> String { "\(kind) \(fingerprint)" }
}
