/// The numbers of a language as people say them, from zero to a hundred: `40`, `12.5`, `forty-two`,
/// `zweiundvierzig`.
struct SpokenNumbers: Sendable {
    /// How a ten and a unit are joined.
    enum Joining: Sendable {
        /// In two words, the ten first: "forty two".
        case tensFirst
        /// In one word, the unit first, with this word between: "zweiundvierzig". The unit 1 has this form
        /// in it.
        case unitsFirst(String, one: String)
    }

    private let words: [String: Double]
    private let tens: [String: Double]
    private let units: [String: Double]
    private let hundred: Set<String>
    private let isInTwoWords: Bool
    /// Besides the point, which is understood in every language.
    private let decimalMark: Character

    /// - Parameters:
    ///   - units: from 0 to 19, separated by spaces.
    ///   - tens: from 20 to 90.
    ///   - others: other forms, like "zwo".
    ///   - decimalMark: what stands before tenths, besides the point.
    init(
        units: String, tens: String, hundred: String, joining: Joining, others: [String: Double] = [:],
        decimalMark: Character = "."
    ) {
        self.decimalMark = decimalMark
        let units = units.split(separator: " ").map(String.init)
        let tens = tens.split(separator: " ").map(String.init)
        let unitValues = units.enumerated().map { ($1, Double($0)) }
        let tenValues = tens.enumerated().map { ($1, Double(($0 + 2) * 10)) }
        var words = others
        words.merge(unitValues + tenValues) { $1 }
        isInTwoWords = if case .tensFirst = joining { true } else { false }
        if case .unitsFirst(let joiner, let one) = joining {
            for (ten, value) in tenValues {
                for (unit, more) in unitValues where (1...9).contains(more) {
                    words[(more == 1 ? one : unit) + joiner + ten] = value + more
                }
            }
        }
        self.hundred = Set(hundred.split(separator: " ").map(String.init))
        for word in self.hundred { words[word] = 100 }
        self.words = words
        self.tens = Dictionary(tenValues) { first, _ in first }
        self.units = Dictionary(unitValues.filter { (1...9).contains($0.1) }) { first, _ in first }
    }

    /// The number that one or two words mean; nil for other words.
    func value(of said: [String]) -> Double? {
        switch said.count {
        case 1: return digits(said[0]) ?? words[said[0]]
        case 2 where isInTwoWords:
            if units[said[0]] == 1, hundred.contains(said[1]) { return 100 }
            guard let ten = tens[said[0]], let unit = units[said[1]] else { return nil }
            return ten + unit
        default: return nil
        }
    }

    func isHundred(_ word: String) -> Bool { hundred.contains(word) }

    private func digits(_ word: String) -> Double? {
        let parts = word.split(omittingEmptySubsequences: false) { $0 == "." || $0 == decimalMark }
        let areDigits = parts.allSatisfy {
            (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return areDigits && (1...2).contains(parts.count) ? Double(parts.joined(separator: ".")) : nil
    }
}
