/// A sentence in words.
package struct SpokenSentence: Sendable {
    let words: [SpokenWord]
    /// True if it ends with a question mark.
    let isQuestion: Bool
    let language: SpokenLanguage

    /// The words of `text`. None is marked as a name.
    package init(_ text: String, _ language: SpokenLanguage = .english) throws(SpokenError) {
        self.language = language
        guard text.utf8.count <= SpokenLanguage.maximumByteCount else { throw .tooLong }
        // The replacement character stands for bytes that were not text: their meaning is lost.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw .noSetting(text) }
        words = SpokenText.tokens(text).map { SpokenWord($0, language.roles(of: $0)) }
        guard !words.allSatisfy({ $0.isOne(of: .separator) }) else { throw .empty }
        isQuestion = text.last { !$0.isWhitespace && !"\"'’”)".contains($0) } == "?"
    }

    /// Its words, as they are compared with names.
    var text: String { words.map(\.text).joined(separator: " ") }

    /// The same sentence in the words of the grammar. What is part of a name stays as it
    /// is, and nothing is left out that holds one.
    ///
    /// - Parameter names: the words of all names that may be said.
    func rewritten(sparing names: [[String]]) -> SpokenSentence {
        let joined = names.map { " \($0.joined(separator: " ")) " }
        var written: [SpokenWord] = []
        var rest = words[...]
        while let first = rest.first {
            let rewrite = language.rewrites[first.text]?.first { each in
                let part = " \(each.from.joined(separator: " ")) "
                return rest.count >= each.from.count && zip(rest, each.from).allSatisfy { $0.text == $1 }
                    && !joined.contains { $0.contains(part) || each.to.isEmpty && part.contains($0) }
            }
            if let rewrite {
                written += rewrite.to.map { SpokenWord($0, language.roles(of: $0)) }
                rest = rest.dropFirst(rewrite.from.count)
            } else {
                written.append(first)
                rest = rest.dropFirst()
            }
        }
        return SpokenSentence(words: written, like: self)
    }

    /// "In the kitchen and the hall" is "in the kitchen and in the hall", where both are places in full.
    ///
    /// - Parameter places: the words of each.
    func repeatingPlaces(_ places: [[String]]) -> SpokenSentence {
        var written = words
        for index in words.indices.reversed() where words[index].isOne(of: [.and, .separator]) {
            guard let place = SpokenSentence.place(before: index, in: words, places),
                let end = SpokenSentence.end(after: index, in: words, places)
            else { continue }
            let isComma = words[index].isOne(of: .separator)
            let mayFollow: SpokenRoles = isComma ? .ends : [.ends, .particle, .to, .at, .filler, .final]
            guard end == words.endIndex || words[end].isOne(of: mayFollow) else { continue }
            written.insert(words[place], at: index + 1)
        }
        return SpokenSentence(words: written, like: self)
    }

    /// Where "in" stands, if places in full and nothing else stand between it and `index`.
    private static func place(before index: Int, in words: [SpokenWord], _ places: [[String]]) -> Int? {
        for place in places where index > place.count {
            guard words[..<index].suffix(place.count).map(\.text) == place else { continue }
            var start = index - place.count - 1
            while start > 0, words[start].isOne(of: .article), !words[start].isOne(of: .place) { start -= 1 }
            if words[start].isOne(of: .place) { return start }
            if words[start].isOne(of: [.and, .separator]) {
                return self.place(before: start, in: words, places)
            }
        }
        return nil
    }

    /// Where the place ends that follows `index`, without an "in" of its own.
    private static func end(after index: Int, in words: [SpokenWord], _ places: [[String]]) -> Int? {
        let rest = words[(index + 1)...].withoutArticles
        let ends = places.filter { rest.count >= $0.count && rest.prefix($0.count).map(\.text) == $0 }
        return ends.map(\.count).max().map { rest.startIndex + $0 }
    }

    /// Other words that were said in the same way.
    init(words: [SpokenWord], like other: SpokenSentence) {
        self.words = words
        (isQuestion, language) = (other.isQuestion, other.language)
    }

    /// The same sentence with the names marked that it holds in full and that have words of the grammar in
    /// them; nil if there is none. "Turn the bed and breakfast lamp off" may mean one lamp or two things.
    func marking(_ names: [[String]]) -> SpokenSentence? {
        let candidates = names.filter { !language.grammar.isDisjoint(with: $0) }
            .sorted { $0.count > $1.count }
        guard !candidates.isEmpty else { return nil }
        var marked: [SpokenWord] = []
        var rest = words[...]
        while let first = rest.first {
            let name = candidates.first { name in
                rest.count >= name.count && zip(rest, name).allSatisfy { $0.text == $1 }
            }
            if let name {
                marked += name.map { SpokenWord(name: $0) }
                rest = rest.dropFirst(name.count)
            } else {
                marked.append(first)
                rest = rest.dropFirst()
            }
        }
        return marked == words ? nil : SpokenSentence(words: marked, like: self)
    }
}
