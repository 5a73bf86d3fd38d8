extension EtcdStore {
    /// Wide enough for any number: keys come in the order of the entries.
    private static func name(_ id: Int) -> String {
        let digits = String(id)
        return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
    }

    package func journals(
        after revision: Int64
    ) throws(SiteError) -> (pieces: [JournalOfGates.Piece], revision: Int64) {
        let start = key("journal/")
        var pieces: [JournalOfGates.Piece] = []
        let revision = try read(start, to: EtcdMessage.end(of: start), after: revision) {
            entry throws(SiteError) in
            // As with what gates have seen: what they do not write is nothing.
            guard let name = String(validating: entry.key.dropFirst(start.count), as: UTF8.self),
                let lines = entry.value, lines.count <= JournalOfGates.maximumByteCount,
                pieces.count < SiteGates.maximumCount * JournalOfGates.maximumPieceCount
            else { return }
            let words = name.split(separator: "/", omittingEmptySubsequences: false)
            guard words.count == 2, let last = Int(words[1]), last > 0 else { return }
            pieces.append(JournalOfGates.Piece(gate: String(words[0]), last: last, lines: lines))
        }
        return (pieces, revision)
    }

    package func tell(_ piece: JournalOfGates.Piece, dropping dropped: [Int]) throws(SiteError) {
        func name(_ last: Int) -> [UInt8] { key("journal/\(piece.gate)/\(EtcdStore.name(last))") }
        // Only while there is a site, as with what gates have seen.
        let operations =
            [EtcdMessage.put(name(piece.last), piece.lines)]
            + dropped.prefix(SiteRegister.pieceCount).map { EtcdMessage.delete(name($0)) }
        try transact([EtcdMessage.isThere(key("head"))], operations)
    }
}
