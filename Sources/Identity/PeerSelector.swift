/// How a person names a hub or a device on the command line: its name, or its fingerprint in any of the ways
/// that `Fingerprint(forgiving:)` reads.
///
/// What reads as a fingerprint is never taken for a name: a device chooses its own name, and one that calls
/// itself by another's fingerprint would be approved in its place.
package struct PeerSelector: Sendable {
    /// As the person wrote it.
    package let text: String

    package init(_ text: String) { self.text = text }

    /// How a name is compared.
    package enum Matching: Sendable {
        /// To the byte: what follows cannot be undone, or lets a stranger in who has chosen his name.
        case exact
        /// In any case, or its beginning, if it fits only one. A better match goes before a worse one.
        case forgiving
    }

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

    /// How well the name fits, 0 the best; nil if it does not.
    ///
    /// Names are compared without regard to case only here, never where two sides have to agree on one.
    package static func rank(_ text: String, of name: String) -> Int? {
        if name.utf8.elementsEqual(text.utf8) { return 0 }
        let (wanted, lowered) = (text.lowercased(), name.lowercased())
        return wanted == lowered ? 1 : !wanted.isEmpty && lowered.hasPrefix(wanted) ? 2 : nil
    }

    /// The position of the one peer that is meant.
    ///
    /// - Parameters:
    ///   - matching: how names are compared.
    ///   - kind: "device" or "hub", for the message.
    ///   - list: the command that lists them, for the hint.
    package func index(
        in peers: [Peer], kind: String, list: String, matching: Matching = .exact
    ) throws(PeerSelectorError) -> Int {
        let fingerprint = Fingerprint(forgiving: text)
        let matches = matches(in: peers, fingerprint, matching)
        guard let index = matches.first else {
            // Never for a fingerprint: it is there to be compared, and a suggestion would do that in the
            // user's place.
            let near =
                fingerprint == nil
                ? Orthography.suggestions(for: text, among: Set(peers.map(\.name.description)).sorted()) : []
            if near.count == 1 {
                let named = peers.filter { $0.name.description == near[0] }
                if named.count > 1 {
                    throw .unknownOfSeveral(text, kind: kind, near: near[0], named.map(\.title))
                }
            }
            throw .unknown(text, kind: kind, list: list, near: near)
        }
        guard matches.count == 1 else {
            guard matches.allSatisfy({ isName(peers[$0].name) }) else {
                throw .fitsSeveral(
                    text, kind: kind, matches.map { "\"\(peers[$0].name)\" (\(peers[$0].title))" })
            }
            throw .ambiguous(text, kind: kind, matches.map { peers[$0].title })
        }
        return index
    }

    /// The positions of the peers that fit best.
    private func matches(in peers: [Peer], _ fingerprint: Fingerprint?, _ matching: Matching) -> [Int] {
        if let fingerprint { return peers.indices.filter { peers[$0].fingerprint == fingerprint } }
        let ranks = peers.indices.compactMap { index in
            PeerSelector.rank(text, of: peers[index].name.description).map { (index: index, rank: $0) }
        }
        let best = matching == .exact ? 0 : ranks.map(\.rank).min()
        return ranks.filter { $0.rank == best }.map(\.index)
    }
}

/// Why it is not clear which hub or device is meant.
package enum PeerSelectorError: Equatable, UserError {
    /// None bears this name or fingerprint; names that look like it.
    case unknown(String, kind: String, list: String, near: [String])
    /// None bears this name, and several bear the one that looks like it; their fingerprints in words.
    case unknownOfSeveral(String, kind: String, near: String, [String])
    /// Several names are it in another case, or begin with it; with their fingerprints in words.
    case fitsSeveral(String, kind: String, [String])
    /// Several bear this name; their fingerprints in words, as far as they have one.
    case ambiguous(String, kind: String, [String])
    /// Another one bears the name already.
    case nameTaken(name: String, by: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unknown(let text, let kind, _, _), .unknownOfSeveral(let text, let kind, _, _):
            "no \(kind) is called \"\(text)\""
        case .ambiguous(let text, let kind, let titles):
            "\(titles.count) \(kind)s are called \"\(text)\""
        case .fitsSeveral(let text, let kind, let titles): "\"\(text)\" fits \(titles.count) \(kind)s"
        case .nameTaken(let name, let fingerprint): "\(fingerprint) is called \"\(name)\" already"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown, .unknownOfSeveral: .notFound
        case .ambiguous, .fitsSeveral, .nameTaken: .usage
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .unknown(_, _, let list, let near):
            near.isEmpty
                ? "'\(list)' lists the names and fingerprints"
                : "did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"
        case .unknownOfSeveral(_, let kind, let near, let titles):
            "\(titles.count) \(kind)s are called \"\(near)\": \(titles.joined(separator: ", "))"
        case .fitsSeveral(_, _, let titles):
            "name it in full, or by its fingerprint: \(titles.joined(separator: ", "))"
        case .ambiguous(_, _, let titles): "name it by its fingerprint: \(titles.joined(separator: ", "))"
        case .nameTaken: "choose another name"
        }
    }
}
