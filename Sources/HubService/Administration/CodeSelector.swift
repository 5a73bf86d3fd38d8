package import Identity
package import Pairing

/// How a person names codes: by the beginning of a code's name or of a sheet's, in any spacing and case.
///
///     selector = 1*13symbol       ; of Crockford's base 32, as `Fingerprint(forgiving:)` reads them
package struct CodeSelector: Sendable {
    /// What a selector names.
    package enum Match: Equatable, Sendable {
        case code(IssuedCode)
        /// All codes of one sheet that the hub remembers.
        case sheet([IssuedCode])
    }

    /// As the person wrote it.
    package let text: String

    package init(_ text: String) { self.text = text }

    /// What is meant among `codes`. A beginning that several codes or sheets share names none of them.
    package func match(in codes: [IssuedCode]) throws(CodeSelectorError) -> Match {
        // 13 characters, and white space and hyphens between them.
        guard text.utf8.count <= 64, let symbols = CrockfordBase32.symbols(typed: text), !symbols.isEmpty
        else {
            throw .unknown(text)
        }
        func isNamed(_ id: TicketID) -> Bool { id.description.utf8.starts(with: symbols) }
        let named = codes.filter { isNamed($0.ticket.id) }
        var sheets: [TicketID] = []
        for case let sheet? in codes.map(\.ticket.place?.sheet) where isNamed(sheet) && sheets.last != sheet {
            // A sheet's codes were made in one step, and stand together.
            sheets.append(sheet)
        }
        switch (named.first, sheets.first) {
        case (let code?, nil) where named.count == 1: return .code(code)
        case (nil, let sheet?) where sheets.count == 1:
            return .sheet(codes.filter { $0.ticket.place?.sheet == sheet })
        case (nil, nil): throw .unknown(text)
        default:
            throw .ambiguous(text, (sheets + named.map(\.ticket.id)).map(\.description))
        }
    }
}

/// Why it is not clear which codes are meant, or why they cannot be taken back.
package enum CodeSelectorError: Equatable, UserError {
    /// No name of a code or a sheet begins so.
    case unknown(String)
    /// The names of several do.
    case ambiguous(String, [String])
    /// A device has used the code.
    case used(IssuedCode)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unknown(let text): "no code is called \"\(text)\""
        case .ambiguous(let text, let names): "\(names.count) codes or sheets begin with \"\(text)\""
        case .used(let code):
            "the code \(code.name) was used"
                + (code.uses.first.map { " by \($0.name) (\($0.device.fingerprint))" } ?? "")
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown: .notFound
        case .ambiguous: .usage
        case .used: .data
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .unknown("all"): "add --all in its place: hubpair codes void --all"
        case .unknown: "'hubpair codes' lists them"
        case .ambiguous(_, let names):
            "give more of its name: \(names.prefix(3).joined(separator: ", "))"
                + (names.count > 3 ? ", …" : "")
        case .used(let code):
            code.uses.first.map { "to keep that device out: hubpair devices revoke \($0.device.fingerprint)" }
        }
    }
}
