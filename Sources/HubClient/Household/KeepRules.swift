package import Household
import Identity
import JSON

/// The rules of a house: of which states its hub tells people. For owners.
package struct KeepRules: Sendable {
    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    package func all() async throws -> [SharedRule] { try await link.all(Rule.self) }
    /// Keeps a rule, in place of one of the same name.
    package func put(_ rule: SharedRule) async throws { try await link.put(rule) }
    package func remove(_ name: String) async throws { try await link.remove(Rule.self, name) }
}

/// A rule as a hub gives it; see `Rule` for what its texts may be.
package typealias SharedRule = SharedRecord<Rule>

extension SharedRule {
    package var name: String { id }
    package var device: String { text("device") }
    package var activator: String { text("activator") }
    package var condition: String { text("when") }
    package var kind: String { text("kind") }
    package var text: String { text("text") }
    package var scenes: [String]? { self["in"]?.asTexts }
    package var run: String? { self["run"]?.asString }
    /// See `RuleProviso`.
    package var proviso: String? { self["and"]?.asString }
}
