/// A colour that has a word, as the level of a light that has colours: a hue is the part of the way around
/// from red, and white goes from warm to cold.
///
/// The page has the same table (`colours.js`); Tests/Kinds/colours.txt holds both together.
package struct ColourWord: Equatable, Sendable {
    package enum Strip: String, Sendable { case hue, white }

    package let english: String
    package let german: String
    package let strip: Strip
    package let level: Double

    package static let all: [ColourWord] =
        hues.map { ColourWord(english: $0, german: $1, strip: .hue, level: $2 / 360) }
        + whites.map { ColourWord(english: $0, german: $1, strip: .white, level: $2 / 100) }

    private static let hues: [(String, String, Double)] = [
        ("red", "rot", 0), ("vermilion", "zinnober", 15), ("orange", "orange", 30),
        ("amber", "bernstein", 42), ("gold", "gold", 50), ("yellow", "gelb", 60), ("lime", "limette", 80),
        ("light green", "hellgrün", 100), ("green", "grün", 120), ("emerald", "smaragd", 140),
        ("mint", "minze", 155), ("turquoise", "türkis", 172), ("cyan", "cyan", 185),
        ("sky blue", "himmelblau", 200), ("azure", "azurblau", 215), ("blue", "blau", 240),
        ("indigo", "indigo", 255), ("violet", "violett", 272), ("purple", "lila", 288),
        ("magenta", "magenta", 302), ("pink", "rosa", 328), ("crimson", "karmin", 345),
    ]
    private static let whites: [(String, String, Double)] = [
        ("candlelight", "kerzenlicht", 0), ("warm white", "warmweiß", 25),
        ("neutral white", "neutralweiß", 50), ("cool white", "kaltweiß", 75), ("daylight", "tageslicht", 100),
    ]

    private init(english: String, german: String, strip: Strip, level: Double) {
        (self.english, self.german, self.strip, self.level) = (english, german, strip, level)
    }

    /// The colour of this word in English or German, whatever its case.
    package init?(_ text: String) {
        let word = SpokenText.tokens(text).joined(separator: " ")
        let found = ColourWord.all.first { colour in
            [colour.english, colour.german].contains { SpokenText.tokens($0).joined(separator: " ") == word }
        }
        guard let found, !word.isEmpty else { return nil }
        self = found
    }

    /// Which strip an activator of a light is set with; nil for any other.
    package static func strip(of activator: Activator, _ device: ControlledDevice) -> Strip? {
        guard device.kind == .light, activator.kind == .float else { return nil }
        let words = KindWords(activator.name)
        if words.has(whiteNames) { return .white }
        return words.has(hueNames) ? .hue : nil
    }

    private static let whiteNames = [
        "temperature", "temperatur", "white", "weiss", "warmth", "warme", "farbtemperatur", "ct", "kelvin",
    ]
    private static let hueNames = ["color", "colour", "hue", "farbe", "farbton"]
}
