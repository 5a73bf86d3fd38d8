package import Identity
package import JSON

/// What the house should tell: when an appliance's state crosses a line, a message with this text.
///
///     {"name": "Front door", "device": "6b4d5c", "activator": "6b4d5d", "when": "off", "kind": "alarm",
///      "text": "Somebody has opened the front door", "in": ["Away"], "run": "All lights on",
///      "and": "6b4d5c/6b4d5e on"}
///
/// `in`, `run` and `and` are missing, or null, if it has none. In a file: ``Rules``.
package struct Rule: Equatable, Sendable {
    /// What kind of message it makes.
    package enum Kind: String, CaseIterable, Sendable {
        /// Stays open until somebody acknowledges it.
        case alarm
        /// A message that nobody has to acknowledge.
        case notification
    }

    /// The most bytes of the text. It goes to every device and through every hook.
    package static let maximumTextByteCount = 500
    /// The most scenes in which it is armed: as many as a house can have.
    static let maximumSceneCount = 1000

    package let name: PeerName
    /// The appliance's id.
    package let device: String
    /// The activator's id.
    package let activator: String
    package let condition: RuleCondition
    package let kind: Kind
    /// What people read, in one line.
    package let text: String
    /// The scenes in which it is armed; nil: see ``Arming``.
    package let scenes: [PeerName]?
    /// The scene that it runs; nil: none.
    package let run: PeerName?
    /// What must hold besides; nil: nothing.
    package let proviso: RuleProviso?

    package init(
        name: PeerName, device: String, activator: String, condition: RuleCondition, kind: Kind, text: String,
        scenes: [PeerName]? = nil, run: PeerName? = nil, proviso: RuleProviso? = nil
    ) {
        (self.name, self.device, self.activator) = (name, device, activator)
        (self.condition, self.kind, self.text) = (condition, kind, text)
        (self.scenes, self.run, self.proviso) = (scenes, run, proviso)
    }

    package var fault: (key: String, reason: String)? {
        let idReason = "an id has 1 to \(HouseholdNames.maximumIDByteCount) bytes"
        if !HouseholdNames.isID(device) { return ("device", idReason) }
        if !HouseholdNames.isID(activator) { return ("activator", idReason) }
        let isShort = (1...Rule.maximumTextByteCount).contains(text.utf8.count)
        if !isShort || text.unicodeScalars.contains(where: \.isControlling) {
            return (
                "text", "not one line of 1 to \(Rule.maximumTextByteCount) bytes without control characters"
            )
        }
        if let scenes, scenes.count > Rule.maximumSceneCount {
            return ("in", "more than \(Rule.maximumSceneCount) scenes")
        }
        return nil
    }
}

extension Rule: Kept {
    package static let kind = HouseholdError.Kind.rule
    package static let mainKey = "when"
    package static var list: WritableKeyPath<Rules, KeptList<Rule>> { \.list }
    package static let fields = [
        Field("device"), Field("activator"), Field("when"), Field("kind"), Field("text"),
        Field("in", .list(of: "names"), .optional), Field("run", .text, .optional),
        Field("and", .text, .optional),
    ]

    package var id: String { name.description }
    package var title: String? { id }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        var proviso: RuleProviso?
        if values.optionalText("and") != nil {
            proviso = try values.parsed("and", else: "not DEVICE/ACTIVATOR and a condition") {
                RuleProviso($0)
            }
        }
        self.init(
            name: try values.name(id, of: .rule), device: values.text("device"),
            activator: values.text("activator"),
            condition: try values.parsed("when", else: "neither on, off, above X nor below X") {
                RuleCondition($0)
            },
            kind: try values.parsed("kind", else: "neither alarm nor notification") { Kind(rawValue: $0) },
            text: values.text("text"), scenes: try values.names("in", of: .scene),
            run: try values.optionalName("run", of: .scene), proviso: proviso)
    }

    package var values: [String: JSONValue] {
        var values: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator),
            "when": .string(condition.description), "kind": .string(kind.rawValue), "text": .string(text),
        ]
        values["in"] = scenes.map { .texts($0) }
        values["run"] = run.map { .string($0.description) }
        values["and"] = proviso.map { .string($0.description) }
        return values
    }

    package func checkNew() throws(HouseholdError) {
        _ = try HouseholdNames.newGroup(id, of: .rule)
        if let reason = HouseholdNames.fault(ofDevice: device, activator: activator) {
            throw .badBody(reason)
        }
    }
}
