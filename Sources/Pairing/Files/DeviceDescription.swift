import JSON

/// What a hub tells a device about itself: the reply to `GET /hubpair/v1/device` with the device's
/// certificate.
///
///     {"status": "approved" / "pending" / "revoked" / "expired", "device": fingerprint, "name": string,
///      "role": "owner" / "member" / "guest", "may": [string], "version": string}
///
/// `role` is only there for a device that has access, and may be missing: hubs before 0.2 know of none. `may`
/// has words for the hub's page, and `version`, of the hub's program, is for it, too.
/// JSON with the limits of I-JSON (RFC 7493): at most 4,096 bytes, no duplicate keys; unknown keys are
/// ignored. A device that the hub does not know gets a ``PairRefusal``.
///
/// Accepted: `{"status":"pending","device":"K7QF-2M9D-X0TW-8RHC","name":"Anna's tablet"}`. Rejected: another
/// status, a fingerprint in lower case, a name that `PeerName(known:)` refuses.
public struct DeviceDescription: Equatable, Sendable {
    /// The device's status in the hub's keyfile.
    public enum Status: String, Equatable, Sendable, CaseIterable {
        /// The device has access.
        case approved
        /// The owner has not decided yet.
        case pending
        /// The owner has revoked the approval.
        case revoked
        /// The approval was limited in time and has expired.
        case expired
    }

    /// The device's status in the hub's keyfile.
    public let status: Status
    /// The fingerprint of the device's key.
    public let device: Fingerprint
    /// The device's name in the hub's keyfile.
    public let name: PeerName
    /// What the device may do; nil if the hub does not say, or says a word of a newer version.
    public let role: Role?

    /// Creates a description from its parts.
    public init(status: Status, device: Fingerprint, name: PeerName, role: Role? = nil) {
        self.status = status
        self.device = device
        self.name = name
        self.role = role
    }

    /// The description of `device` for the keyfile's verdict on it; nil if the verdict is `unknown` or
    /// `unknownRole`.
    public init?(_ device: ApprovedDevice, verdict: DeviceVerdict) {
        let status: Status
        switch verdict {
        case .approved: status = .approved
        case .pending: status = .pending
        case .revoked: status = .revoked
        case .expired: status = .expired
        case .unknown, .unknownRole: return nil
        }
        self.init(
            status: status, device: device.fingerprint, name: device.name,
            role: status == .approved ? device.knownRole : nil)
    }

    /// Parses an HTTP body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        let (word, id) = (try message.text("status"), try message.text("device"))
        let text = try message.text("name")
        guard let status = Status(rawValue: word) else {
            throw .malformed("status has an unknown value")
        }
        guard let device = Fingerprint(id) else { throw .malformed("device is not a fingerprint") }
        self.status = status
        self.device = device
        role = try message.optionalText("role").flatMap(Role.init(rawValue:))
        do {
            name = try PeerName(known: text)
        } catch {
            throw .name(error)
        }
    }

    /// The HTTP body: one JSON object in UTF-8.
    public var serialized: [UInt8] { serialized(may: []) }

    /// The same, with the words of what the device may do, and for one that has access the version of the
    /// hub's program.
    package func serialized(may words: [String], version: String = "") -> [UInt8] {
        var fields: [String: JSONValue] = [
            "status": .string(status.rawValue), "device": .string(device.description),
            "name": .string(name.description),
        ]
        if let role { fields["role"] = .string(role.rawValue) }
        if !words.isEmpty { fields["may"] = .array(words.sorted().map(JSONValue.string)) }
        if status == .approved, !version.isEmpty { fields["version"] = .string(version) }
        return PairMessage(fields).serialized
    }
}
