package import JSON

/// Something that acts without the device that saved or made it.
///
///     {"kind": "scene" / "rule" / "code", "name": string, "what": string}
///
/// `what` is for people: when it runs, what it says, whom it lets in.
package struct LeftThing: Equatable, Sendable {
    /// A newer hub may have other kinds.
    package let kind: String
    package let name: String
    package let what: String

    package init(kind: String, name: String, what: String) {
        (self.kind, self.name, self.what) = (kind, name, what)
    }

    /// Nil for what is none.
    package init?(_ json: JSONValue) {
        guard let members = json.asObject, let kind = members["kind"]?.asString,
            let name = members["name"]?.asString, let what = members["what"]?.asString
        else { return nil }
        self.init(kind: kind, name: name, what: what)
    }

    package var json: JSONValue {
        .object(["kind": .string(kind), "name": .string(name), "what": .string(what)])
    }
}

/// A device that was revoked, and what it leaves behind.
package struct Revocation: Sendable {
    package let device: DeviceRecord
    package let changed: Bool
    /// What stays; nil if the hub does not say, since it is older, or cannot read a file.
    package let left: [LeftThing]?
    /// What was taken away.
    package let taken: [LeftThing]
    /// The device has revoked itself, and can do no more.
    package let isOwn: Bool

    package init(
        device: DeviceRecord, changed: Bool, left: [LeftThing]?, taken: [LeftThing] = [], isOwn: Bool = false
    ) {
        (self.device, self.changed, self.left) = (device, changed, left)
        (self.taken, self.isOwn) = (taken, isOwn)
    }
}
