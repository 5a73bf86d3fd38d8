package import FoundationEssentials
package import Pairing

/// The file `site-keys`: how the keys of a site's hubs follow each other, as all may know it. The gates share
/// it; the keys themselves are in no such file.
///
///     [keyfile]
///     format=1
///
///     [key D8EW-7XH8-EQM5-V02H]
///     statement=…
///     changed=2026-11-30T08:00:00Z
///
/// A group is named after the new key. `statement` is a ``KeyStatement`` in base64, so whoever can write here
/// can name no key that the hub's own key has not named. Of `term` (in seconds: the key is prepared, and
/// devices have that long once it counts), `changed` (it counts, since then) and `cancelled` there is one. Of
/// 256 keys the oldest goes.
///
/// Accepted: the above. Rejected: a group whose fingerprint is not that of the new key, a statement with a
/// fault, two of the three or none, `term=1`, another kind of group, `format=2`.
package struct SiteKeys: Equatable, Sendable {
    package static let fileName = "site-keys"
    static let maximumCount = 256
    private static let kind = "key"

    package enum Stage: Equatable, Sendable {
        /// The gates get the key, one after the other. No device is told of it.
        case prepared(term: Duration)
        /// It counts since then: every gate goes over to it.
        case changed(Date)
        case cancelled(Date)
    }

    package struct Change: Equatable, Sendable {
        package let statement: KeyStatement
        package let stage: Stage

        var isChanged: Bool { if case .changed = stage { true } else { false } }
    }

    package private(set) var changes: [Change] = []
    private var file: KeyFile

    package init() {
        file = .empty(comment: "How the keys of this site's hubs follow each other; see 'hubpair hub key'.")
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for name in try file.identifiers(of: SiteKeys.kind) {
            let group = "\(SiteKeys.kind) \(name)"
            guard let data = Data(base64Encoded: try file.required("statement", in: group)),
                let statement = try? KeyStatement(verifying: Array(data)),
                statement.new.fingerprint.description == name
            else {
                throw .invalidValue("not a statement that names this key", key: "statement", group: group)
            }
            var stages: [Stage] = []
            if let text = file.value("term", in: group) {
                guard let seconds = Int(text), ChangeKey.terms.contains(.seconds(seconds)) else {
                    throw .invalidValue("not 60 seconds to 400 days", key: "term", group: group)
                }
                stages.append(.prepared(term: .seconds(seconds)))
            }
            if let time = try file.time("changed", in: group) { stages.append(.changed(time)) }
            if let time = try file.time("cancelled", in: group) { stages.append(.cancelled(time)) }
            guard let stage = stages.first, stages.count == 1, changes.count < SiteKeys.maximumCount else {
                throw .invalidValue("not one of term, changed and cancelled", key: "term", group: group)
            }
            changes.append(Change(statement: statement, stage: stage))
        }
    }

    package static func == (one: SiteKeys, other: SiteKeys) -> Bool { one.file == other.file }

    package var serialized: [UInt8] { file.serialized }

    /// Notes how far a key has come.
    package mutating func note(_ statement: KeyStatement, _ stage: Stage) {
        let group = SiteKeys.group(statement)
        var values: (term: String?, changed: String?, cancelled: String?) = (nil, nil, nil)
        switch stage {
        case .prepared(let term): values.term = String(term.components.seconds)
        case .changed(let time): values.changed = time.timestamp
        case .cancelled(let time): values.cancelled = time.timestamp
        }
        let change = Change(statement: statement, stage: stage)
        if let index = changes.firstIndex(where: { $0.statement.new == statement.new }) {
            changes[index] = change
        } else {
            if changes.count == SiteKeys.maximumCount {
                file.removeGroup(SiteKeys.group(changes.removeFirst().statement))
            }
            changes.append(change)
        }
        file.set("statement", to: Data(statement.bytes).base64EncodedString(), in: group)
        file.set("term", to: values.term, in: group)
        file.set("changed", to: values.changed, in: group)
        file.set("cancelled", to: values.cancelled, in: group)
    }

    /// Notes the statements that led a hub to its key, one after the other: they count. What the site has
    /// lost comes back so.
    package mutating func add(_ statements: [KeyStatement], at now: Date) {
        let known = changes.filter(\.isChanged).map(\.statement)
        for statement in statements where !known.contains(statement) { note(statement, .changed(now)) }
    }

    private static func group(_ statement: KeyStatement) -> String { "\(kind) \(statement.new.fingerprint)" }

    /// What is prepared for the hub whose key has the pin `pin`.
    package func prepared(after pin: Pin) -> (statement: KeyStatement, term: Duration)? {
        for change in changes where change.statement.old == pin {
            if case .prepared(let term) = change.stage { return (change.statement, term) }
        }
        return nil
    }

    /// True if the key with the pin `new` was called off, so nobody needs it.
    func isCancelled(_ new: Pin) -> Bool {
        changes.contains { change in
            if case .cancelled = change.stage { change.statement.new == new } else { false }
        }
    }

    /// The statements that lead from the key with the pin `pin` to the one that counts now; none if it does.
    package func path(from pin: Pin) -> [KeyStatement] {
        var path: [KeyStatement] = []
        var now = pin
        while path.count < changes.count,
            let next = changes.filter({ $0.isChanged && $0.statement.old == now }).map(\.statement)
                .max(by: { $0.serial < $1.serial })
        {
            path.append(next)
            now = next.new
        }
        return path
    }

    /// The statement by which the key with the pin `pin` was named, if it counts.
    package func statement(naming pin: Pin) -> KeyStatement? {
        changes.last { $0.isChanged && $0.statement.new == pin }?.statement
    }

    /// The first key that led to the one with the pin `pin`: hubs are the same if theirs is.
    package func root(of pin: Pin) -> Pin {
        var (root, steps) = (pin, 0)
        while steps < changes.count, let statement = statement(naming: root) {
            (root, steps) = (statement.old, steps + 1)
        }
        return root
    }
}

/// What becomes of a hub's key at one of the gates of its site: pure, so that each case can be tried.
package enum SiteKeyPlan: Equatable, Sendable {
    /// The key counts, and nothing is prepared.
    case none
    /// A new one is prepared. Once `missing` is empty every gate can show it, and it may count.
    case prepared(KeyStatement, term: Duration, missing: [String])
    /// Another key counts, to which these lead: the gate must go over, and must not serve with its own.
    case changed([KeyStatement])

    /// - Parameters:
    ///   - pin: of the key that the gate has.
    ///   - listed: the gates of the site. One that has never served, or whose key is not known to be another
    ///     hub's, counts as one of this hub that has not got the key.
    package init(_ pin: Pin, _ keys: SiteKeys, _ gates: SiteGates, listed: [String]) {
        let path = keys.path(from: pin)
        if !path.isEmpty {
            self = .changed(path)
        } else if let (statement, term) = keys.prepared(after: pin) {
            let root = keys.root(of: pin)
            let missing = listed.filter { id in
                guard let gate = gates[id] else { return true }
                guard keys.root(of: gate.hub.pin) == root else { return false }
                return gate.next != statement.new && gate.hub.pin != statement.new
            }
            self = .prepared(statement, term: term, missing: missing)
        } else {
            self = .none
        }
    }

    /// The gates of the site beside `own` that have the key with the pin `pin`, or may have it.
    package static func besides(
        _ own: String, _ pin: Pin, _ keys: SiteKeys, _ gates: SiteGates, listed: [String]
    ) -> [String] {
        let root = keys.root(of: pin)
        return listed.filter { id in
            id != own && gates[id].map { keys.root(of: $0.hub.pin) == root } ?? true
        }
    }
}
