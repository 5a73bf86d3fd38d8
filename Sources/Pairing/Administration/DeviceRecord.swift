package import FoundationEssentials
package import JSON

/// A paired device as the hub's owner sees it: a line of `devices --json`, and an entry of
/// `GET /hubpair/v1/devices`.
///
///     {"device": fingerprint, "name": string, "status": "approved" / "pending" / "revoked" / "expired",
///      "role": string / null, "approved": time / null, "asked": time / null, "expires": time / null,
///      "resembles": [fingerprint], "last_seen": time / null, "last_address": string / null,
///      "kind": "browser" / null}
///
/// Times are RFC 3339 in UTC. `role` is the word in the keyfile, known or not, and null for a device that
/// asks. Unknown keys are ignored.
///
/// Rejected: another status, a name that `PeerName(known:)` refuses, a fingerprint in lower case.
package struct DeviceRecord: Equatable, Sendable {
    package let device: Fingerprint
    package let name: PeerName
    package let status: DeviceDescription.Status
    /// The word for the role that it has or had; nil for a device that asks.
    package let role: String?
    package let approved: Date?
    package let asked: Date?
    package let expires: Date?
    /// The approved devices whose names look the same.
    package let resembles: [Fingerprint]
    package let lastSeen: Date?
    /// From where it was last let in: an IP address.
    package let lastAddress: String?
    /// `browser` for one without a certificate; nil for others.
    package let kind: String?
    /// How long ago it asked, in seconds, by the hub's clocks; nil if nobody noted when.
    package var askedAge: Double?

    package init(
        _ device: ApprovedDevice, resembling others: [ApprovedDevice], seen: LastSeen.Entry?,
        at now: Moment
    ) {
        self.device = device.fingerprint
        name = device.name
        status =
            switch device.verdict(at: now) {
            case .expired: .expired
            default:
                switch device.status {
                case .approved: .approved
                case .pending: .pending
                case .revoked: .revoked
                }
            }
        // A device that asks gets its role with the approval.
        role = device.role ?? (device.status == .pending ? nil : Role.member.rawValue)
        approved = device.approved
        asked = device.asked?.wall
        expires = device.expires
        resembles = others.map(\.fingerprint)
        lastSeen = seen?.time
        lastAddress = seen?.address.description
        kind = device.kind
        askedAge = device.asked.map { now.seconds(since: $0) }
    }

    /// What it may do; nil for a device that asks, and for a word that is no role.
    package var knownRole: Role? { role.flatMap(Role.init(rawValue:)) }

    package var json: JSONValue {
        .object([
            "device": .string(device.description), "name": .string(name.description),
            "status": .string(status.rawValue), "approved": .text(approved?.timestamp),
            "asked": .text(asked?.timestamp), "expires": .text(expires?.timestamp),
            "resembles": .array(resembles.map { .string($0.description) }), "role": .text(role),
            "last_seen": .text(lastSeen?.timestamp), "last_address": .text(lastAddress),
            "kind": .text(kind),
        ])
    }
}

extension DeviceRecord: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        let members = try RecordMembers(reading: &reader)
        device = try members.required("device") { Fingerprint($0) }
        name = try members.required("name") { try? PeerName(known: $0) }
        status = try members.required("status", DeviceDescription.Status.init(rawValue:))
        role = try members.text("role")
        approved = try members.time("approved")
        asked = try members.time("asked")
        expires = try members.time("expires")
        resembles = try members.texts("resembles") { Fingerprint($0) }
        lastSeen = try members.time("last_seen")
        lastAddress = try members.text("last_address")
        kind = try members.text("kind")
        askedAge = nil
    }
}
