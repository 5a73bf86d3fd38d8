import JSON

/// What a hub says to a device about itself: `GET /hubpair/v1/device`, with the device's certificate.
///
///     {"status": "approved" / "pending" / "revoked" / "expired", "device": fingerprint, "name": string}
///
/// JSON as `PairMessage` reads it; unknown keys are ignored. A device that the hub does not know gets a
/// `PairRefusal`.
///
/// Accepted: `{"status":"pending","device":"K7QF-2M9D-X0TW-8RHC","name":"Anna's tablet"}`. Rejected: another
/// status, a fingerprint in lower case, a name that `PeerName(known:)` refuses.
public struct DeviceDescription: Equatable, Sendable {
    /// What the hub's keyfile says of the device now.
    public enum Status: String, Equatable, Sendable, CaseIterable {
        /// It may come in.
        case approved
        /// The owner has not answered yet.
        case pending
        /// The owner has taken the approval back.
        case revoked
        /// The approval was for a time that is over.
        case expired
    }

    /// What the hub's keyfile says of the device now.
    public let status: Status
    /// The fingerprint of the device's key.
    public let device: Fingerprint
    /// What the hub calls the device.
    public let name: PeerName

    /// A description of these parts.
    public init(status: Status, device: Fingerprint, name: PeerName) {
        self.status = status
        self.device = device
        self.name = name
    }

    /// What there is to say of `device` at a time when the keyfile's verdict on it is `verdict`; nil for a
    /// device that the keyfile does not know.
    public init?(_ device: ApprovedDevice, verdict: DeviceVerdict) {
        let status: Status
        switch verdict {
        case .approved: status = .approved
        case .pending: status = .pending
        case .revoked: status = .revoked
        case .expired: status = .expired
        case .unknown: return nil
        }
        self.init(status: status, device: device.fingerprint, name: device.name)
    }

    /// Reads a body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        let (word, id) = (try message.text("status"), try message.text("device"))
        let text = try message.text("name")
        guard let status = Status(rawValue: word) else {
            throw .malformed("status is none that is known")
        }
        guard let device = Fingerprint(id) else { throw .malformed("device is no fingerprint") }
        self.status = status
        self.device = device
        do {
            name = try PeerName(known: text)
        } catch {
            throw .name(error)
        }
    }

    /// The body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        PairMessage([
            "status": .string(status.rawValue), "device": .string(device.description),
            "name": .string(name.description),
        ]).serialized
    }
}
