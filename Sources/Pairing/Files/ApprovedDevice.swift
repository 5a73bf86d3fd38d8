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
    /// The word that the keyfile has for its role; see ``knownRole``. Nil: it has none.
    public var role: String?
    /// When it asked with a label's code; nil if it did not, or if nobody noted when.
    public var asked: Moment?
    /// The word for its kind: ``browserKind``, or nil for a program with a certificate.
    public var kind: String?
    /// The latest moment that the keyfile knows of, which the wall clock may be behind; nil if of none.
    public internal(set) var latest: Moment?

    /// The kind of a browser that has a key of its own and no certificate.
    public static let browserKind = "browser"

    /// How long the question of a device lives that asked with a label's code: 10 minutes, in seconds.
    public static let askLifetime: Double = 600

    /// The same device, with the same said of it; what the keyfile knows of the time does not belong to it.
    public static func == (one: ApprovedDevice, other: ApprovedDevice) -> Bool {
        one.pin == other.pin && one.name == other.name && one.status == other.status
            && one.approved == other.approved && one.expires == other.expires && one.role == other.role
            && one.asked == other.asked && one.kind == other.kind
    }

    /// What it may do; nil for a word that is no role, and with which no device is let in.
    public var knownRole: Role? { Role(word: role) }

    /// The first 10 bytes of the pin.
    public var fingerprint: Fingerprint { pin.fingerprint }

    /// A device of these parts.
    public init(
        name: PeerName, pin: Pin, status: Status, approved: Date? = nil, expires: Date? = nil,
        role: String? = nil, asked: Moment? = nil, kind: String? = nil
    ) {
        self.name = name
        self.pin = pin
        self.status = status
        self.approved = approved
        self.expires = expires
        self.role = role
        self.asked = asked
        self.kind = kind
    }

    /// True if the device asked, and nobody answered in time: as if it had never asked.
    public func isForgotten(at now: Moment) -> Bool {
        status == .pending && asked.map { !now.isWithin(ApprovedDevice.askLifetime, of: $0) } ?? false
    }

    /// What the device may do at the time `now` by the wall clock.
    public func verdict(at now: Date) -> DeviceVerdict { verdict(at: Moment(wall: now)) }

    /// What the device may do now.
    ///
    /// An approval that has run out does not live again when the wall clock is set back: the time is not
    /// before the latest that is known, and goes on from there by the boot clock. If that was in another
    /// boot, and the wall clock says an earlier time, the clock is behind, by nobody knows how much. Every
    /// approval with an expiry then counts as expired, until the clock is right: it may have been over
    /// already. A clock that is behind, and still later than all that is known, cannot be seen.
    ///
    /// - Parameters:
    ///   - now: the moment now, by both clocks.
    ///   - known: a moment that is known beside the keyfile's.
    public func verdict(at now: Moment, latest known: Moment? = nil) -> DeviceVerdict {
        switch status {
        case .pending: return .pending
        case .revoked: return .revoked
        case .approved:
            if let expires, now.secondsLeft(until: expires, notBefore: [latest, known]) <= 0 {
                return .expired(since: expires)
            }
            return knownRole == nil ? .unknownRole : .approved
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
    /// It is approved with a role that this version does not know, and is let in nowhere.
    case unknownRole
    /// The keyfile does not know the device.
    case unknown
}
