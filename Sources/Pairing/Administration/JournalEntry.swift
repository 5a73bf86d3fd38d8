package import FoundationEssentials
package import JSON

/// A line of the hub's journal: what became of a device or of a code, by whom, and when.
///
///     {"id": number, "time": time, "event": event, "by": fingerprint / null, "by_name": string / null,
///      "device": fingerprint / null, "name": string / null, "role": string / null,
///      "before": string / null, "expires": time / null, "code": string / null, "kind": string / null,
///      "count": number / null}
///     event = "paired" / "asked" / "approved" / "refused" / "revoked" / "role" / "renamed" / "code_made"
///             / "code_void"
///
/// `id` rises. `by` is the owner's device; null: the command line on the hub, or nobody (a device came with a
/// code). `before` is the name or the role that it had. `code` is the name of a code or a sheet, never its
/// secret. In the file, keys without a value are missing. Unknown keys are ignored, and a line with an
/// unknown event or a fault is left out.
package struct JournalEntry: Equatable, Sendable {
    package enum Event: String, Sendable, CaseIterable {
        /// A device was let in by a code for one device.
        case paired
        /// A device asks with the label's code.
        case asked
        /// An owner approved a device, or changed when its approval ends.
        case approved
        /// An owner refused a device that asked.
        case refused
        case revoked
        /// An owner gave a device another role.
        case role
        case renamed
        case codeMade = "code_made"
        case codeVoid = "code_void"
    }

    /// What happened, without number and time.
    package struct Fact: Equatable, Sendable {
        package let event: Event
        package var device: Fingerprint?
        package var name: PeerName?
        package var role: String?
        package var before: String?
        package var expires: Date?
        package var code: String?
        package var kind: String?
        package var count: Int?

        package init(_ event: Event) { self.event = event }

        /// A fact about a device as it is now.
        package init(_ event: Event, _ device: ApprovedDevice, before: String? = nil, code: String? = nil) {
            self.event = event
            (self.device, name) = (device.fingerprint, device.name)
            // A word that somebody has written by hand may be long.
            role = device.status == .pending ? nil : shortened(device.role ?? Role.member.rawValue)
            (self.before, expires, self.code) = (before.map(shortened), device.expires, code)
        }
    }

    /// The owner's device through which it was done.
    package struct Author: Equatable, Sendable {
        package let device: Fingerprint
        package let name: PeerName

        package init(device: Fingerprint, name: PeerName) { (self.device, self.name) = (device, name) }

        package init(_ device: ApprovedDevice) { self.init(device: device.fingerprint, name: device.name) }
    }

    package let id: Int
    package let time: Date
    package let fact: Fact
    package let author: Author?

    package init(id: Int, time: Date, _ fact: Fact, by author: Author?) {
        (self.id, self.time, self.fact, self.author) = (id, time, fact, author)
    }

    package var json: JSONValue { .object(members) }

    /// The line of the file, with its end.
    package var line: [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object(members.filter { $0.value != .null }).write(to: &bytes)
        return bytes + [UInt8(ascii: "\n")]
    }

    private var members: [String: JSONValue] {
        [
            "id": .count(id), "time": .string(time.timestamp), "event": .string(fact.event.rawValue),
            "by": .text(author?.device.description), "by_name": .text(author?.name.description),
            "device": .text(fact.device?.description), "name": .text(fact.name?.description),
            "role": .text(fact.role), "before": .text(fact.before),
            "expires": .text(fact.expires?.timestamp), "code": .text(fact.code), "kind": .text(fact.kind),
            "count": .count(fact.count),
        ]
    }
}

extension JournalEntry: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        let members = try RecordMembers(reading: &reader)
        id = try members.integer("id").required("id")
        time = try members.time("time").required("time")
        let name = { (text: String) in try? PeerName(known: text) }
        if let by = try members.optional("by", { Fingerprint($0) }) {
            author = Author(device: by, name: try members.required("by_name", name))
        } else {
            author = nil
        }
        var fact = Fact(try members.required("event", Event.init(rawValue:)))
        fact.device = try members.optional("device") { Fingerprint($0) }
        fact.name = try members.optional("name", name)
        (fact.role, fact.before) = (try members.text("role"), try members.text("before"))
        fact.expires = try members.time("expires")
        (fact.code, fact.kind) = (try members.text("code"), try members.text("kind"))
        fact.count = try members.integer("count")
        self.fact = fact
    }
}
