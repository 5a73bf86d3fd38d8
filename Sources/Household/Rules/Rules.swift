package import Identity
import JSON
package import Pairing

/// The hub's file `rules`: of which states the house tells its people.
///
///     [keyfile]
///     format=1
///
///     [rule Front door]
///     device=6b4d5c
///     activator=6b4d5d
///     when=off
///     kind=alarm
///     text=Somebody has opened the front door
///     in=["Away","Night"]
///     run=All lights on
///
/// `when` is a ``RuleCondition``. `kind` is `alarm` or `notification`. `text` has 1 to 500 bytes in one line.
/// `in`, a JSON array of names of scenes, and `run`, the name of a scene that only an alarm may have, may be
/// missing. A rule's name is a `PeerName(known:)` without brackets; no two have the same, whatever its case.
/// `made` and `changed`, each an ``AuthorMark``, may be missing.
/// The scenes and the appliance need not exist: a rule is kept until somebody removes it.
///
/// Accepted: the above. Rejected: no `text`, `when=open`, `kind=alert`, `in=Away`, `run` of a notification,
/// another kind of group, `format=2`.
package struct Rules: HouseholdFile, Equatable {
    package static let fileName = "rules"
    package static let words = "the rules"
    private static let kind = "rule"
    /// Each change of a state is held against all of them.
    package static let maximumCount = 1000

    /// The rules in the file's order.
    package private(set) var rules: [Rule] = []
    package var file: KeyFile

    package init() { file = .empty(comment: "Of which states this house tells; its owners change them.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        var names: Set<String> = []
        for text in try file.identifiers(of: Rules.kind) {
            let group = "\(Rules.kind) \(text)"
            guard let name = try? PeerName(known: text) else { throw .unknownGroup(group) }
            guard rules.count < Rules.maximumCount else {
                throw .invalidValue("more than \(Rules.maximumCount) rules", key: "when", group: group)
            }
            guard names.insert(HouseholdNames.folded(name)).inserted else {
                throw .invalidValue("another rule has this name", key: "when", group: group)
            }
            rules.append(try Rules.rule(name, in: file, group: group))
        }
        try checkAuthors()
    }

    private static func rule(
        _ name: PeerName, in file: KeyFile, group: String
    ) throws(KeyFileError) -> Rule {
        guard let condition = RuleCondition(try file.required("when", in: group)) else {
            throw .invalidValue("neither on, off, above X nor below X", key: "when", group: group)
        }
        guard let kind = Rule.Kind(rawValue: try file.required("kind", in: group)) else {
            throw .invalidValue("neither alarm nor notification", key: "kind", group: group)
        }
        let rule = Rule(
            name: name, device: try file.required("device", in: group),
            activator: try file.required("activator", in: group), condition: condition, kind: kind,
            text: try file.required("text", in: group), scenes: try file.names("in", in: group),
            run: file.value("run", in: group) == nil ? nil : try file.name("run", in: group))
        if let (key, reason) = rule.fault { throw .invalidValue(reason, key: key, group: group) }
        return rule
    }

    package var serialized: [UInt8] { file.serialized }

    /// The rule of this name, to the byte.
    package func rule(_ name: PeerName) -> Rule? { rules.first { $0.name == name } }

    /// Adds a rule, or changes the one of its name.
    package mutating func put(_ rule: Rule) throws(HouseholdError) {
        _ = try HouseholdNames.newGroup(rule.name.description, of: .rule)
        if let reason = HouseholdNames.fault(ofDevice: rule.device, activator: rule.activator) {
            throw .badBody(reason)
        }
        if let (key, reason) = rule.fault { throw .badBody("\(key): \(reason)") }
        let others = rules.filter { $0.name != rule.name }
        for other in others where HouseholdNames.areSame(other.name, rule.name) {
            throw .nameInUse(.rule, other.name.description)
        }
        guard others.count < Rules.maximumCount else { throw .tooMany(.rule, limit: Rules.maximumCount) }
        if let index = rules.firstIndex(where: { $0.name == rule.name }) {
            rules[index] = rule
        } else {
            rules.append(rule)
        }
        let group = "\(Rules.kind) \(rule.name)"
        file.set("device", to: rule.device, in: group)
        file.set("activator", to: rule.activator, in: group)
        file.set("when", to: rule.condition.description, in: group)
        file.set("kind", to: rule.kind.rawValue, in: group)
        file.set("text", to: rule.text, in: group)
        file.set(names: rule.scenes, for: "in", in: group)
        file.set("run", to: rule.run?.description, in: group)
    }

    /// Removes the rule of this name.
    package mutating func remove(_ name: PeerName) throws(HouseholdError) {
        guard let index = rules.firstIndex(where: { $0.name == name }) else {
            throw .unknown(.rule, name.description)
        }
        rules.remove(at: index)
        file.removeGroup("\(Rules.kind) \(name)")
    }
}
