package import FoundationEssentials
package import JSON

/// A line of the hub's journal: what was done, by whom, through which door, and when.
///
///     {"id": number, "time": time, "event": event, "by": fingerprint / null, "by_name": string / null,
///      "by_role": string / null, "via": door / null,
///      "device": fingerprint / null, "name": string / null, "role": string / null,
///      "before": string / null, "expires": time / null, "code": string / null, "kind": string / null,
///      "count": number / null, "what": string / null, "appliance": string / null,
///      "activator": string / null, "state": true / false / number / null,
///      "gate": string / null, "gate_entry": string / null}
///     event  = access / house / orders
///     access = "paired" / "asked" / "approved" / "refused" / "revoked" / "role" / "renamed" / "code_made"
///              / "code_void"
///     house  = "made" / "changed" / "removed" / "armed" / "disarmed"
///     orders = "order" / "request" / "scene_run"
///     door   = "gate" / "page" / "hub" / "timer" / "alarm"
///
/// `id` rises over all events. `by` is the device that did it; null: the command line on the hub, the hub
/// itself, or nobody (a device came with a code). `by_role` is its role then. `before` is the name or the
/// role that a device had. `code` is the name of a code or a sheet, never its secret. `what` is the name of a
/// scene, a rule or a room, whose `kind` says which, or of an appliance and its activator, whose ids are the
/// other two; of a request it is its method and path; of what was armed the scene that arms it. `count` is
/// how many orders of the same kind are told of in one line. Of a web service (`kind` is `service`) `role` is
/// the least that may use it, or `state` says whether the device may, whatever its role. `gate` is the
/// host of the gate that has told this one, and `gate_entry` its name in the site and the number that the
/// entry has there; null: it happened here. In the file, keys without a value are missing.
/// Unknown keys are ignored, and a line with an unknown event or a fault is left out.
package struct JournalEntry: Equatable, Sendable {
    /// ``Fact/kind`` of a web service behind the hub.
    package static let serviceKind = "service"

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
        /// Something that the household keeps, or a web service, was put down for the first time, changed, or
        /// removed.
        case made, changed, removed
        /// Somebody armed or disarmed rules without running a scene.
        case armed, disarmed
        /// An appliance was switched.
        case order
        /// Another request to the server behind the hub that may change something.
        case request
        case sceneRun = "scene_run"

        package var matter: Matter {
            switch self {
            case .paired, .asked, .approved, .refused, .revoked, .role, .renamed, .codeMade, .codeVoid:
                .access
            case .made, .changed, .removed, .armed, .disarmed: .house
            case .order, .request, .sceneRun: .orders
            }
        }
    }

    /// What an entry is about. Each matter has files and bounds of its own: whoever holds a slider, or writes
    /// rooms in a loop, must not push out who was let in.
    package enum Matter: String, Sendable, CaseIterable {
        /// Devices and codes.
        case access
        /// Rooms, scenes, rules, units, web services; what is armed.
        case house
        /// Appliances that were switched, scenes that ran.
        case orders
    }

    /// The way on which something was done.
    package enum Door: String, Sendable, CaseIterable {
        /// A program of a paired device.
        case gate
        /// A browser, on the hub's page. It says so itself, as browsers do.
        case page
        /// The command line on the hub.
        case hub
        /// The time of a scene.
        case timer
        /// An alarm.
        case alarm

        package var words: String {
            switch self {
            case .gate: "a program"
            case .page: "the page"
            case .hub: "the command line on the hub"
            case .timer: "its time"
            case .alarm: "an alarm"
            }
        }
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
        package var what: String?
        package var appliance: String?
        package var activator: String?
        /// True, false or a number.
        package var state: JSONValue?

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

    /// The device that did it, as it was then.
    package struct Author: Equatable, Sendable {
        package let device: Fingerprint
        package let name: PeerName
        /// The word for its role; nil in entries of version 0.1.
        package let role: String?
        package let door: Door?

        package init(device: Fingerprint, name: PeerName, role: String? = nil, door: Door? = nil) {
            (self.device, self.name, self.role, self.door) = (device, name, role, door)
        }

        package init(_ device: ApprovedDevice, through door: Door? = nil) {
            self.init(
                device: device.fingerprint, name: device.name,
                role: shortened(device.role ?? Role.member.rawValue), door: door)
        }
    }

    /// Where an entry comes from that another gate of a site has told.
    package struct Origin: Equatable, Sendable {
        /// The gate as its site names it, 1 to 64 bytes without a slash.
        package let gate: String
        /// The number that it has there.
        package let entry: Int
        /// The gate's host, for people.
        package let host: String

        package init?(gate: String, entry: Int, host: String) {
            guard (1...64).contains(gate.utf8.count), !gate.contains("/") else { return nil }
            (self.gate, self.entry, self.host) = (gate, entry, host)
        }

        /// `9QW3ZJ1K/17`
        fileprivate var text: String { "\(gate)/\(entry)" }

        fileprivate init?(_ text: String, host: String) {
            let words = text.split(separator: "/", omittingEmptySubsequences: false)
            guard words.count == 2, let entry = Int(words[1]) else { return nil }
            self.init(gate: String(words[0]), entry: entry, host: host)
        }
    }

    package let id: Int
    package let time: Date
    package let fact: Fact
    package let author: Author?
    /// Nil if nobody noted it.
    package let door: Door?
    /// Nil: it happened here.
    package let origin: Origin?

    package init(
        id: Int, time: Date, _ fact: Fact, by author: Author?, through door: Door? = nil,
        from origin: Origin? = nil
    ) {
        (self.id, self.time, self.fact, self.author) = (id, time, fact, author)
        self.origin = origin
        self.door = author?.door ?? door
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
            "by_role": .text(author?.role), "via": .text(door?.rawValue),
            "device": .text(fact.device?.description), "name": .text(fact.name?.description),
            "role": .text(fact.role), "before": .text(fact.before),
            "expires": .text(fact.expires?.timestamp), "code": .text(fact.code), "kind": .text(fact.kind),
            "count": .count(fact.count), "what": .text(fact.what), "appliance": .text(fact.appliance),
            "activator": .text(fact.activator), "state": fact.state ?? .null,
            "gate": .text(origin?.host), "gate_entry": .text(origin?.text),
        ]
    }
}

extension JournalEntry: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        let members = try RecordMembers(reading: &reader)
        id = try members.integer("id").required("id")
        time = try members.time("time").required("time")
        let name = { (text: String) in try? PeerName(known: text) }
        // A door of a newer version is none that can be told.
        door = try members.text("via").flatMap(Door.init(rawValue:))
        if let by = try members.optional("by", { Fingerprint($0) }) {
            author = Author(
                device: by, name: try members.required("by_name", name), role: try members.text("by_role"),
                door: door)
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
        fact.what = try members.text("what")
        (fact.appliance, fact.activator) = (try members.text("appliance"), try members.text("activator"))
        switch members["state"] {
        case let state?: fact.state = state.isState ? state : nil
        case nil: break
        }
        self.fact = fact
        let host = try members.text("gate") ?? ""
        origin = try members.text("gate_entry").flatMap { Origin($0, host: host) }
    }
}

extension JSONValue {
    /// True if it can be the state of an activator that the journal tells of.
    fileprivate var isState: Bool {
        switch self {
        case .boolean, .integer, .number: true
        case .null, .string, .array, .object: false
        }
    }
}
