// Whether a text may hold a code's secret. What is echoed, logged or taken as an argument is asked first: a
// code with a slip in it is a secret too, since one that tries the few slips has the code.

extension BroughtCode {
    /// A code's five groups as words of their own, with a slip or two.
    private static let groupCounts = 2...6

    /// True if the text is a code, part of one that has its secret, or most likely one with slips, in
    /// whatever disguise ``init(_:)`` sees through.
    package static func mayBeSecret(_ text: String) -> Bool {
        let text = PlainText(text.prefix(maximumByteCount))
        if let (body, _) = text.afterPrefix {
            // A name may well be "hubpair: kitchen"; a code has a long word behind the colon.
            let word = body.text.utf8.prefix(8)
            if word.count == 8, word.allSatisfy(PlainText.isLetterOrDigit) { return true }
        }
        if let (_, body) = text.aroundHash, let symbols = body.trimmed.word, symbols.utf8.count >= 12,
            symbols.utf8.count(where: { (0x30...0x39).contains($0) }) >= 2
        {
            return true
        }
        if text.isLongCode { return true }
        return [text, text.afterColon].contains { text in
            TypedCode.isSuspected(in: text.trimmed.text)
                || (text.trimmed.word.map(TypedCode.isSuspected) ?? false) && text.isInGroups
        } || isAmong(text.text.split(separator: " ").map(String.init))
    }

    /// True if one of the words is a typed code, or several that follow each other are its groups.
    private static func isAmong(_ words: [String]) -> Bool {
        isSpread(over: words) || words.contains { TypedCode.isSuspected(in: PlainText($0).trimmed.text) }
    }

    /// True if words that follow each other are the groups of one typed code.
    package static func isSpread(over words: [String]) -> Bool {
        let words = words.map { PlainText($0).trimmed.text }
        return words.indices.contains { start in
            let groups = words[start...].prefix(groupCounts.upperBound).prefix { word in
                (3...16).contains(word.utf8.count)
                    && word.utf8.allSatisfy {
                        PlainText.isLetterOrDigit($0) || $0 == UInt8(ascii: "-")
                    }
            }
            guard groups.count >= groupCounts.lowerBound else { return false }
            return (groupCounts.lowerBound...groups.count).contains { count in
                TypedCode.isSuspected(in: groups.prefix(count).joined(separator: " "))
            }
        }
    }
}

extension PlainText {
    /// True if it is a single word, or words of about four characters, whatever stands between them.
    fileprivate var isInGroups: Bool {
        let groups = text.split { !($0.isLetter || $0.isNumber) }
        return groups.count == 1 || groups.count { $0.count == 4 } >= 3 || groups.allSatisfy { $0.count == 1 }
    }
}
