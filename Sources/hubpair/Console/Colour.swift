/// A colour of the terminal's palette for one word. It stresses what the word says, and never says it alone.
enum Colour: Int {
    // SGR parameters (ECMA-48 § 8.3.117).
    case red = 31
    case green = 32
    case yellow = 33

    /// Ends every colour.
    static let end = "\u{1B}[0m"

    /// `text` in this colour where standard output may have colours, else as it is. Escape what others wrote
    /// before: nothing is escaped here.
    func painted(_ text: String, if hasColours: Bool = Console.outputHasColours) -> String {
        hasColours ? "\u{1B}[\(rawValue)m\(text)\(Colour.end)" : text
    }
}
