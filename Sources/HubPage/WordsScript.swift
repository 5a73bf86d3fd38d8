import JSON
import Languages

/// The page's texts as a module: the words of each language by the English ones, by the language's code.
enum WordsScript {
    static func bytes(of languages: [Language]) -> [UInt8] {
        var bytes = Array("export default {\n".utf8)
        for language in languages {
            JSONValue.write(language.code, to: &bytes)
            bytes += ":{\n".utf8
            for (english, words) in language.lines(.page) {
                JSONValue.write(english, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                JSONValue.write(words, to: &bytes)
                bytes += ",\n".utf8
            }
            bytes += "},\n".utf8
        }
        return bytes + "};\n".utf8
    }

    /// What a script has where it asks which languages there are: `{"de":"Deutsch"}` becomes of it.
    static let place = "\"/hubpair/page/languages\""

    static func names(of languages: [Language]) -> String {
        JSONValue.object(
            Dictionary(uniqueKeysWithValues: languages.map { ($0.code, .string($0.name)) })
        ).text
    }
}
