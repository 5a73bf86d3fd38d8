import Identity
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
///     and=6b4d5c/6b4d5e on
///
/// `when` is a ``RuleCondition``. `kind` is `alarm` or `notification`. `text` has 1 to 500 bytes in one line.
/// `in`, a JSON array of names of scenes, `run`, the name of a scene, and `and`, a ``RuleProviso``, may be
/// missing. A rule's name is a `PeerName(known:)` without brackets; no two have the same, whatever its case.
/// `made` and `changed`, each an ``AuthorMark``, may be missing.
/// The scenes and the appliance need not exist: a rule is kept until somebody removes it.
///
/// Accepted: the above. Rejected: no `text`, `when=open`, `kind=alert`, `in=Away`, another kind of group,
/// `format=2`.
package struct Rules: HouseholdFile, Equatable {
    package static let fileName = "rules"
    package static let words = "the rules"

    package var file: KeyFile
    package var list = KeptList<Rule>()
    /// The rules in the file's order.
    package var rules: [Rule] { list.all }

    package init() { file = .empty(comment: "Of which states this house tells; its owners change them.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try Rules.parse(bytes, groupsOf: .rule)
        list = try KeptList(in: file)
        try checkAuthors()
    }
}
