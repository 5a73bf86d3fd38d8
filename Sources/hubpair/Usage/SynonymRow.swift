/// A row of the tables of what people type and what they mean by it.
///
///     table = row *( ( LF / ";" ) row )
///     row   = words " = " meaning / words " : " sentence      ; a sentence takes the rest of its line
///     words = word *( SP word )
struct SynonymRow {
    let words: [String]
    /// What is typed instead, or the sentence that says how it is done.
    let meaning: String
    let isSentence: Bool

    private init(_ row: Substring, _ end: Range<String.Index>, isSentence: Bool) {
        words = row[..<end.lowerBound].split(separator: " ").map(String.init)
        meaning = String(row[end.upperBound...])
        self.isSentence = isSentence
        assert(!words.contains("="), "a sentence is a line of its own: \(row)")
    }

    static func all(in table: String?) -> [SynonymRow] {
        (table ?? "").split(separator: "\n").flatMap { line in
            if let end = line.firstRange(of: " : ") { return [SynonymRow(line, end, isSentence: true)] }
            return line.split(separator: ";").compactMap { row in
                row.firstRange(of: " = ").map { SynonymRow(row, $0, isSentence: false) }
            }
        }
    }
}
