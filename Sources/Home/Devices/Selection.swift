package import Identity

/// A text that names an appliance or an activator on the command line: its id, its name, an unambiguous
/// beginning of its name, or its name as Home Assistant's ids have it. The first of these that fits anything
/// decides, and it must fit exactly one.
package struct Selection: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The one appliance that is meant.
    package func device(in devices: [ControlledDevice]) throws(SelectionError) -> ControlledDevice {
        do {
            return devices[try index(devices.map { ($0.id, $0.name) }, kind: "appliance")]
        } catch {
            // "Night light" is not what `lights` was to be, nor "Hall light" `all`.
            let isEvery = Selection.everything.contains(text.lowercased())
            guard case .unknown = error, isEvery || isType(among: devices) else { throw error }
            throw .several(text)
        }
    }

    private static let everything: Set<String> = ["all", "everything", "alle", "alles"]

    /// True for `lights`: a word for a type of appliance, in any number and case.
    package func isType(among devices: [ControlledDevice]) -> Bool {
        let words = SpokenName(text).stems
        return !words.isEmpty && devices.contains { SpokenName($0.type).stems == words }
    }

    /// The one activator that is meant.
    package func activator(of device: ControlledDevice) throws(SelectionError) -> Activator {
        device.activators[try index(device.activators.map { ($0.id, $0.name) }, kind: "activator")]
    }

    /// The one text among `offers` that is meant, such as a manufacturer's name.
    ///
    /// - Parameter kind: what the offers are, in the singular, for messages.
    package func offer(among offers: [String], kind: String) throws(SelectionError) -> String {
        let wanted = text.lowercased()
        let steps: [(String) -> Bool] = [
            { $0.utf8.elementsEqual(text.utf8) }, { $0.lowercased() == wanted },
            { !wanted.isEmpty && $0.lowercased().hasPrefix(wanted) },
        ]
        for step in steps {
            let matches = offers.filter(step)
            if matches.count == 1 { return matches[0] }
            if matches.count > 1 {
                throw .ambiguous(text, kind: kind, matches.map { Match(id: $0, name: $0) })
            }
        }
        let near = Orthography.suggestions(for: text, among: offers)
        throw .unknown(text, kind: kind, near: near, all: near.isEmpty ? Array(offers.prefix(8)) : [])
    }

    /// `desk lamp` of `light.desk_lamp`, as Home Assistant's people name it; nil for what is no such id.
    private static func name(ofEntity text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isLetter || $0 == "_" }) else {
            return nil
        }
        return String(parts[1]).replacing("_", with: " ")
    }

    private func index(_ items: [(id: String, name: String)], kind: String) throws(SelectionError) -> Int {
        let wanted = text.lowercased()
        let steps: [((id: String, name: String)) -> Bool] = [
            { $0.id.utf8.elementsEqual(text.utf8) },
            { $0.name.utf8.elementsEqual(text.utf8) },
            { $0.name.lowercased() == wanted },
            { !wanted.isEmpty && $0.name.lowercased().hasPrefix(wanted) },
            { $0.name.lowercased() == Selection.name(ofEntity: wanted) },
        ]
        for step in steps {
            let matches = items.indices.filter { step(items[$0]) }
            if matches.count == 1 { return matches[0] }
            if matches.count > 1 {
                throw .ambiguous(text, kind: kind, matches.map { items[$0] }.map(Match.init))
            }
        }
        let near = Orthography.suggestions(for: text, among: items.map(\.name))
        throw .unknown(text, kind: kind, near: near, all: near.isEmpty ? items.prefix(8).map(\.name) : [])
    }
}

/// One of several that a text fits.
package struct Match: Equatable, Sendable {
    package let id: String
    package let name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// Why it is not clear which appliance or activator is meant.
package enum SelectionError: Equatable, UserError {
    /// Nothing has this name; `near` are similar names, `all` the first of those that there are.
    case unknown(String, kind: String, near: [String], all: [String])
    /// Several names are equal to it or begin with it.
    case ambiguous(String, kind: String, [Match])
    /// It means more than one appliance: all, or those of a type.
    case several(String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unknown(let text, let kind, _, _): "no \(kind) is called \(quoted(text))"
        case .several(let text): "no appliance is called \(quoted(text)), and one is meant here"
        case .ambiguous(let text, let kind, let matches):
            "\(quoted(text)) fits \(matches.count) \(SelectionError.plural(kind))"
        }
    }

    /// `appliances`, `kinds of appliance`.
    private static func plural(_ kind: String) -> String {
        let words = kind.split(separator: " ", maxSplits: 1)
        return "\(words.first ?? "")s" + words.dropFirst().map { " \($0)" }.joined()
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown, .several: .notFound
        case .ambiguous: .usage
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .unknown(_, _, let near, _) where !near.isEmpty:
            "did you mean " + near.map(quoted).joined(separator: " or ") + "?"
        case .several: "'hubpair home --by type' shows their names"
        case .unknown(_, let kind, _, let all):
            all.isEmpty
                ? "there is no \(kind)" : "there is " + all.map(quoted).joined(separator: ", ")
        case .ambiguous(_, _, let matches) where matches.allSatisfy { $0.id == $0.name }:
            "name it in full: " + matches.prefix(8).map { quoted($0.name) }.joined(separator: ", ")
        case .ambiguous(_, _, let matches):
            "name it in full or by its id: "
                + matches.prefix(8).map { "\(quoted($0.name)) (\(shortened($0.id)))" }.joined(separator: ", ")
        }
    }
}

extension Match {
    init(_ item: (id: String, name: String)) { self.init(id: item.id, name: item.name) }
}
