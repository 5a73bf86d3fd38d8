/// Numbers as people say them, from zero to a hundred: `40`, `12.5`, `forty`, `forty-two`, `a hundred`.
enum SpokenNumber {
    private static let units = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    private static let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

    /// True if the word can be part of a number.
    static func isPart(_ word: String) -> Bool {
        digits(word) != nil || units.contains(word) || tens.contains(word) || word == "hundred"
    }

    /// The number that the words mean; nil for other words.
    static func value(of words: [String]) -> Double? {
        switch words.count {
        case 1:
            if let value = digits(words[0]) { return value }
            if words[0] == "hundred" { return 100 }
            return units.firstIndex(of: words[0]).map(Double.init)
                ?? tens.firstIndex(of: words[0]).map { Double(($0 + 2) * 10) }
        case 2:
            if words[0] == "one", words[1] == "hundred" { return 100 }
            guard let ten = tens.firstIndex(of: words[0]), let unit = units.firstIndex(of: words[1]),
                (1...9).contains(unit)
            else { return nil }
            return Double((ten + 2) * 10 + unit)
        default: return nil
        }
    }

    private static func digits(_ word: String) -> Double? {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy {
            (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return areDigits && (1...2).contains(parts.count) ? Double(word) : nil
    }
}
