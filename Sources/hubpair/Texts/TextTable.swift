import Languages

/// The texts of one language, by the English ones.
///
/// For `the room {0} is removed` there is `der Raum {0} ist entfernt`. A place holds what a text quotes, at
/// least one character; `{0!}` in the second one puts it there in this language too.
struct TextTable: Sendable {
    /// Places within places, and sentences behind one another: no text of ours has more.
    private static let maximumDepth = 5
    /// With fewer bytes of its own than this a template says nothing without its places: `{0} is {1!}` fits
    /// half of all sentences.
    private static let minimumWeight = 8

    private struct Template {
        /// What stands before, between and behind the places: one more than there are places.
        let literals: [[UInt8]]
        let weight: Int
        let translation: [Part]
    }

    private enum Part {
        case text(String)
        case place(Int, isTranslated: Bool)
    }

    private var sentences: [String: String] = [:]
    /// Those with places; the one with most letters of its own first, so that the closest counts.
    private var templates: [Template] = []

    init(_ lines: Language.Lines) {
        for (english, translation) in lines {
            let parts = TextTable.parts(english)
            if parts.contains(where: { if case .place = $0 { true } else { false } }) {
                let literals = TextTable.literals(parts)
                templates.append(
                    Template(
                        literals: literals, weight: literals.reduce(0) { $0 + $1.count },
                        translation: TextTable.parts(translation)))
            } else {
                sentences[english] = translation
            }
        }
        templates.sort { $0.weight > $1.weight }
    }

    /// The text in this language; as it is if the table has no line for it.
    func words(_ text: String) -> String { translated(text, depth: 0) ?? text }

    /// All texts without places.
    var texts: [String] { Array(sentences.keys) }

    /// The translation of a text without places.
    func exactly(_ text: String) -> String? { sentences[text] }

    private func translated(_ text: String, depth: Int) -> String? {
        guard depth < TextTable.maximumDepth else { return nil }
        if let sentence = sentences[text] { return sentence }
        let bytes = Array(text.utf8)
        for template in templates {
            // `{0} was {1}` is about one thing, and does not reach over two sentences.
            if template.weight < TextTable.minimumWeight, text.contains("; ") { continue }
            guard let ranges = TextTable.places(in: bytes, of: template.literals) else { continue }
            let places = ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
            if let words = filled(template, with: places, depth: depth) { return words }
        }
        return translatedBehindMark(text, depth: depth)
    }

    private func filled(_ template: Template, with places: [String], depth: Int) -> String? {
        var result = ""
        for part in template.translation {
            switch part {
            case .text(let text): result += text
            case .place(let index, let isTranslated):
                guard places.indices.contains(index) else { return nil }
                let place = places[index]
                let words = isTranslated ? translated(place, depth: depth + 1) : nil
                if isTranslated, words == nil, template.weight < TextTable.minimumWeight {
                    guard place.first?.isNumber == true || place.hasPrefix("-") else { return nil }
                }
                result += words ?? place
            }
        }
        return result
    }

    /// `Kitchen hub: no answer` is a subject and a sentence; `this; that` are two sentences.
    private func translatedBehindMark(_ text: String, depth: Int) -> String? {
        for mark in ["; ", ": "] {
            guard let range = text.firstRange(of: mark) else { continue }
            let (first, second) = (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
            let parts = (translated(first, depth: depth + 1), translated(second, depth: depth + 1))
            if parts.0 != nil || parts.1 != nil { return (parts.0 ?? first) + mark + (parts.1 ?? second) }
        }
        return nil
    }

    /// Where the places of a template are in a text; nil if it is not of this form.
    private static func places(in text: [UInt8], of literals: [[UInt8]]) -> [Range<Int>]? {
        let (first, last) = (literals[0], literals[literals.count - 1])
        guard text.count >= first.count + last.count + literals.count - 1, text.starts(with: first),
            text.suffix(last.count).elementsEqual(last)
        else { return nil }
        let end = text.count - last.count
        var places: [Range<Int>] = []
        var start = first.count
        for literal in literals.dropFirst().dropLast() {
            guard let found = index(of: literal, in: text, from: start + 1, to: end) else { return nil }
            places.append(start..<found)
            start = found + literal.count
        }
        guard start < end else { return nil }
        return places + [start..<end]
    }

    private static func index(of literal: [UInt8], in text: [UInt8], from start: Int, to end: Int) -> Int? {
        guard end - literal.count >= start else { return nil }
        return (start...(end - literal.count)).first { text[$0...].starts(with: literal) }
    }

    private static func literals(_ parts: [Part]) -> [[UInt8]] {
        parts.reduce(into: [[]]) { literals, part in
            switch part {
            case .text(let text): literals[literals.count - 1] += Array(text.utf8)
            case .place: literals.append([])
            }
        }
    }

    /// The text between places `{0}` and `{1!}`, and the places.
    private static func parts(_ text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let isTranslated = rest[..<close].hasSuffix("!")
            let number = rest[rest.index(after: open)..<close].dropLast(isTranslated ? 1 : 0)
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(
                Int(number).map { .place($0, isTranslated: isTranslated) }
                    ?? .text(String(rest[open...close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }
}
