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
    /// When it asked with a label's code; nil if it did not, or if nobody noted when.
    public var asked: Moment?

    /// How long the question of a device lives that asked with a label's code: 10 minutes, in seconds.
    public static let askLifetime: Double = 600

    /// The first 10 bytes of the pin.
    public var fingerprint: Fingerprint { pin.fingerprint }

    /// A device of these parts.
    public init(
        name: PeerName, pin: Pin, status: Status, approved: Date? = nil, expires: Date? = nil,
        role: String? = nil, asked: Moment? = nil
    ) {
        self.name = name
        self.pin = pin
        self.status = status
        self.approved = approved
        self.expires = expires
        self.role = role
        self.asked = asked
    }

    /// True if the device asked, and nobody answered in time: as if it had never asked.
    public func isForgotten(at now: Moment) -> Bool {
        status == .pending && asked.map { !now.isWithin(ApprovedDevice.askLifetime, of: $0) } ?? false
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
