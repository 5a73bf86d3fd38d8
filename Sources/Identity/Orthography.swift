/// How names are compared when a person types or says them.
package enum Orthography {
    /// The words of a name: lower case, without punctuation or white space. `Kitchen-Light №2` is `kitchen`,
    /// `light`, `№2`.
    package static func words(_ text: some StringProtocol) -> [String] {
        text.lowercased().split { character in
            !(character.isLetter || character.isNumber || character == "№")
        }.map(String.init)
    }

    /// The least number of letters to insert, delete, exchange or swap with their neighbour that makes one of
    /// the other (optimal string alignment); nil if more than `limit`.
    ///
    /// Names have any length: what is longer than 64 letters is only compared for equality.
    package static func distance(_ one: String, _ other: String, limit: Int) -> Int? {
        let a = Array(one), b = Array(other)
        if a == b { return 0 }
        guard a.count <= 64, b.count <= 64, abs(a.count - b.count) <= limit else { return nil }
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var least = min(
                    rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    least = min(least, rows[i - 2][j - 2] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        let distance = rows[a.count][b.count]
        return distance <= limit ? distance : nil
    }

    /// Those of `words`, such as commands, that somebody may have mistyped as `text`: at most three, the
    /// nearest first. Up to four letters one slip counts, beyond that two; or it is the word's beginning.
    package static func slips(of text: String, among words: [String]) -> [String] {
        let wanted = text.lowercased()
        let limit = wanted.count > 4 ? 2 : 1
        let near = words.compactMap { word -> (name: String, distance: Int)? in
            if let distance = distance(wanted, word.lowercased(), limit: limit) { return (word, distance) }
            return wanted.count > 1 && word.lowercased().hasPrefix(wanted) ? (word, limit) : nil
        }
        return nearest(near)
    }

    /// Those of `names` that somebody may have meant by `text`: at most three, the nearest first. A slip in
    /// the first words of a name counts as well: `Kichen` for `Kitchen hub`.
    package static func suggestions(for text: String, among names: [String]) -> [String] {
        let wanted = words(text).joined(separator: " ")
        let limit = max(1, min(3, wanted.count / 3))
        let near = names.compactMap { name -> (name: String, distance: Int)? in
            let candidate = words(name).joined(separator: " ")
            if !wanted.isEmpty, candidate.contains(wanted) { return (name, limit) }
            if let distance = distance(wanted, candidate, limit: limit) { return (name, distance) }
            guard !wanted.isEmpty else { return nil }
            let beginning = words(name).prefix(words(text).count).joined(separator: " ")
            return distance(wanted, beginning, limit: min(limit, 2)).map { (name, $0 + limit) }
        }
        return nearest(near)
    }

    /// The three with the least distances, in their order where those are the same.
    private static func nearest(_ near: [(name: String, distance: Int)]) -> [String] {
        near.enumerated().sorted {
            ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset)
        }
        .prefix(3).map(\.element.name)
    }
}
