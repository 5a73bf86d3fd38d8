/// How a person names a hub or a device on the command line: its name, to the byte, or its fingerprint in
/// any of the ways that `Fingerprint(forgiving:)` reads.
///
/// What reads as a fingerprint is never taken for a name: a device chooses its own name, and one that calls
/// itself by another's fingerprint would be approved in its place.
package struct PeerSelector: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// What may be meant.
    package struct Peer: Sendable {
        package let name: PeerName
        /// A hub that has no lasting key has none.
        package let fingerprint: Fingerprint?
        /// What tells several of one name apart, beside the fingerprint.
        package let status: String?

        package init(_ name: PeerName, _ fingerprint: Fingerprint?, status: String? = nil) {
            self.name = name
            self.fingerprint = fingerprint
            self.status = status
        }

        fileprivate var title: String {
            (fingerprint?.description ?? "one has none") + (status.map { " (\($0))" } ?? "")
        }
    }

    /// True if it is this name, to the byte, and not a fingerprint.
    package func isName(_ name: PeerName) -> Bool {
        Fingerprint(forgiving: text) == nil && name.description.utf8.elementsEqual(text.utf8)
    }

    /// The position of the one peer that is meant.
    ///
    /// - Parameters:
    ///   - kind: "device" or "hub", for the message.
    ///   - list: the command that lists them, for the hint.
    package func index(
        in peers: [Peer], kind: String, list: String
    ) throws(PeerSelectorError) -> Int {
        let fingerprint = Fingerprint(forgiving: text)
        let matches = peers.indices.filter { index in
            fingerprint.map { $0 == peers[index].fingerprint } ?? isName(peers[index].name)
        }
        guard let index = matches.first else {
            // Never for a fingerprint: it is there to be compared, and a suggestion would do that in the
            // user's place.
            let near =
                fingerprint == nil
                ? Orthography.suggestions(for: text, among: Set(peers.map(\.name.description)).sorted()) : []
            throw .unknown(text, kind: kind, list: list, near: near)
        }
        guard matches.count == 1 else {
            throw .ambiguous(text, kind: kind, matches.map { peers[$0].title })
        }
        return index
    }
}

/// Why it is not clear which hub or device is meant.
package enum PeerSelectorError: Equatable, UserError {
    /// None bears this name or fingerprint; names that look like it.
    case unknown(String, kind: String, list: String, near: [String])
    /// Several bear this name; their fingerprints in words, as far as they have one.
    case ambiguous(String, kind: String, [String])
    /// Another one bears the name already.
    case nameTaken(name: String, by: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unknown(let text, let kind, _, _): "no \(kind) is called \"\(text)\""
        case .ambiguous(let text, let kind, let titles):
            "\(titles.count) \(kind)s are called \"\(text)\""
        case .nameTaken(let name, let fingerprint): "\(fingerprint) is called \"\(name)\" already"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown: .notFound
        case .ambiguous, .nameTaken: .usage
        }
    }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .unknown(_, _, let list, let near):
            near.isEmpty
                ? "'\(list)' lists the names and fingerprints"
                : "did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"
        case .ambiguous(_, _, let titles): "name it by its fingerprint: \(titles.joined(separator: ", "))"
        case .nameTaken: "choose another name"
        }
    }
}
