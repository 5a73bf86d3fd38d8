/// Sentences that say it in another way than the grammar: as a sentence that it knows. Looked at only when
/// the grammar does not understand a sentence itself, so no sentence changes its meaning by it. None opens or
/// unlocks: that takes a name in full.
///
/// `*` stands for one or more words, the same in both forms, in their order.
enum SpokenIdiom {
    private static let english = [
        ("heat * to * degrees", "set * to * degrees"), ("heat * to *", "set * to * degrees"),
        ("it's too cold in *", "make it warmer in *"), ("it is too cold in *", "make it warmer in *"),
        ("it's too warm in *", "make it cooler in *"), ("it is too warm in *", "make it cooler in *"),
        ("it's too hot in *", "make it cooler in *"), ("it is too hot in *", "make it cooler in *"),
        ("close the garage", "close the garage door"),
        ("shut the garage", "close the garage door"), ("flip * on", "turn * on"),
        ("flip * off", "turn * off"), ("full brightness on *", "set * to 100 percent"),
    ]
    private static let german = [
        ("heiz * auf * grad", "stell * auf * grad"), ("heize * auf * grad", "stell * auf * grad"),
        ("mir ist kalt im *", "im * warmer"), ("mir ist zu kalt im *", "im * warmer"),
        ("es ist zu kalt im *", "im * warmer"), ("es ist zu warm im *", "im * kalter"),
        ("mir ist zu warm im *", "im * kalter"), ("ich hatte es im * gern warmer", "im * warmer"),
        ("ich hatte es im * gerne warmer", "im * warmer"),
        ("mach die garage zu", "mach das garagentor zu"), ("* , nur * nicht", "* ausser *"),
    ]

    /// Nil for a sentence of no such form.
    static func plain(_ text: String, _ language: SpokenLanguage) -> String? {
        var words = SpokenText.tokens(text)
        while let last = words.last, [".", "?", "!", "please", "bitte"].contains(last) { words.removeLast() }
        for (form, plain) in language.code == "de" ? german : english {
            let form = form.split(separator: " ").map(String.init)
            guard var found = captures(of: form[...], in: words[...]) else { continue }
            return plain.split(separator: " ").map { word in
                word == "*" ? found.removeFirst().joined(separator: " ") : String(word)
            }.joined(separator: " ")
        }
        return nil
    }

    /// What stands for each `*`; nil if the words are not of the form. Sentences are short, and a form has
    /// two at most.
    private static func captures(
        of form: ArraySlice<String>, in words: ArraySlice<String>
    ) -> [[String]]? {
        guard let first = form.first else { return words.isEmpty ? [] : nil }
        guard first == "*" else {
            return words.first == first ? captures(of: form.dropFirst(), in: words.dropFirst()) : nil
        }
        for count in 1...max(1, words.count) where count <= words.count {
            if let rest = captures(of: form.dropFirst(), in: words.dropFirst(count)) {
                return [Array(words.prefix(count))] + rest
            }
        }
        return nil
    }
}
