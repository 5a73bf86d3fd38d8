/// Whether two names look the same to a reader: a skeleton in the manner of UTS #39 § 4.
///
/// Two names with one skeleton are marked where they are shown, never refused: the skeleton is wide, and
/// takes `Anna's phone` and `annas  PHONE` for one. It leaves out case, marks, white space, punctuation and
/// what is invisible; reads letters with marks, of the Greek and Cyrillic alphabets, fullwidth, circled and
/// mathematical ones as the Latin letter that they look like; the digits of every script by their value; 0
/// and O, 1, l, I and | as one; rn as m, vv as w, cl as d. Neither the standard library nor
/// FoundationEssentials has a decomposition (NFKD) to offer, so a letter with a mark is told by its Unicode
/// name, which never changes (Unicode stability policies, Name Stability).
///
/// It does not know pairs within other scripts (see `Homoglyphs`), and no likeness of words. A person
/// compares the fingerprint; this only says when to look twice.
package enum LookAlike {
    /// What names that look the same have in common; never shown to anybody.
    ///
    /// Compare with `==` of `String`, which takes canonically equivalent texts for the same.
    package static func skeleton(_ text: String) -> String {
        var skeleton = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            for letter in look(of: scalar).unicodeScalars {
                let one = reading(of: letter)
                // Two letters that are read as one.
                let two: Unicode.Scalar? =
                    switch (skeleton.last, one) {
                    case ("r", "n"): "m"
                    case ("v", "v"): "w"
                    case ("c", "l"): "d"
                    default: nil
                    }
                if two != nil { skeleton.removeLast() }
                skeleton.append(two ?? one)
            }
        }
        // A name of nothing but punctuation is compared as it is.
        return skeleton.isEmpty ? text.lowercased() : String(skeleton)
    }

    /// What stands for all letters and digits that are mistaken for each other.
    private static func reading(of letter: Unicode.Scalar) -> Unicode.Scalar {
        switch letter {
        case "0": "o"
        case "1", "i", "|": "l"
        default: letter
        }
    }

    /// What a reader takes a character for: lower-case letters and digits, or nothing.
    private static func look(of scalar: Unicode.Scalar) -> String {
        let properties = scalar.properties
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "0"..."9", "|": return String(scalar)
            case "A"..."Z": return properties.lowercaseMapping
            // Signs whose meaning tells names apart.
            case "+", "<", "=", ">", "$": return String(scalar)
            default: return ""
            }
        }
        if let look = Homoglyphs.byScalar[scalar] { return look }
        if scalar.isInvisible || properties.isWhitespace { return "" }
        switch properties.numericType {
        case .decimal, .digit: return properties.numericValue.map { String(Int($0)) } ?? ""
        default: break
        }
        switch properties.generalCategory {
        // In the scripts of India and South-East Asia, and in Japanese, a mark is part of the letter.
        case .nonspacingMark, .enclosingMark:
            let value = scalar.value
            let isLetter = (0x0900...0x1CFF).contains(value) || (0x3099...0x309A).contains(value)
            return isLetter ? String(scalar) : ""
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            return ""
        // Accents that stand by themselves; a skin tone is a symbol of this kind, too.
        case .modifierSymbol where !properties.isEmoji: return ""
        default: break
        }
        if let letter = latinLetter(scalar) { return letter }
        switch scalar.value {
        // Apostrophes, strokes and colons that count as letters, the lengthening stroke of Arabic, minus
        // signs.
        case 0x02B0...0x02FF, 0x0640, 0xA78B...0xA78C, 0x2212, 0x2796: return ""
        default: return properties.lowercaseMapping
        }
    }

    /// The Latin letters that a character's name tells: `LATIN SMALL LETTER E WITH CIRCUMFLEX AND ACUTE`,
    /// `MATHEMATICAL BOLD SMALL A`, `CIRCLED LATIN CAPITAL LETTER A`, `LATIN SMALL LIGATURE FI`; or what its
    /// letter without the mark looks like.
    private static func latinLetter(_ scalar: Unicode.Scalar) -> String? {
        // Mathematical alphabets: five of Greek in one order each, 58 characters from U+1D6A8.
        if (0x1D6A8...0x1D7C9).contains(scalar.value) {
            let place = (scalar.value - 0x1D6A8) % 58
            let letter = place < 26 ? 0x0391 + place : 0x03B1 + place - 26
            return Unicode.Scalar(letter).map { Homoglyphs.byScalar[$0] ?? $0.properties.lowercaseMapping }
        }
        guard let name = scalar.properties.name else { return nil }
        let words = name.split(separator: " ")
        let plain = words.prefix { $0 != "WITH" }
        if plain.count < words.count, let look = Homoglyphs.byName[plain.joined(separator: " ")] {
            return look
        }
        guard let last = plain.last, last.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
        let isLigature = plain.dropLast().last == "LIGATURE"
        let isStyled = !styles.isDisjoint(with: plain)
        guard isStyled, last.utf8.count <= 2 || isLigature else { return nil }
        return last.lowercased()
    }

    /// Words of the names of letters that are Latin; `SCRIPT CAPITAL L` and `DOUBLE-STRUCK CAPITAL C` do not
    /// say it.
    private static let styles: Set<Substring> = [
        "LATIN", "MATHEMATICAL", "SCRIPT", "BLACK-LETTER", "DOUBLE-STRUCK", "MODIFIER", "REGIONAL",
    ]
}
