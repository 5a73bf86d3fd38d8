/// Reads the part of SVG that `QRSymbol.svg` writes, and nothing else.
///
///     document  = svg [title] rect path "</svg>"
///     path data = *( "M" number " " number "h" number "v1h-" number "z" )
///
/// Accepted: `M4 4h7v1h-7z`. Rejected: another command, an open rectangle, one outside the view box, an
/// element or an attribute that `svg` does not write.
struct SVGDrawing {
    /// The side of the view box, 1 to 1,000 units.
    let side: Int
    /// Runs of dark units: row, first column, length.
    let runs: [(y: Int, x: Int, length: Int)]

    /// Nil unless `document` has exactly that form.
    init?(_ document: String) {
        var text = TextReader(document)
        guard text.skip("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""), let width = text.number(),
            text.skip("mm\" height=\""), text.number() == width, text.skip("mm\" viewBox=\"0 0 "),
            let side = text.number(), (1...1000).contains(side), text.skip(" "), text.number() == side,
            text.skip("\" shape-rendering=\"crispEdges\">\n")
        else { return nil }
        if text.skip("<title>") {
            guard text.skipText(), text.skip("</title>\n") else { return nil }
        }
        guard text.skip("<rect width=\""), text.number() == side, text.skip("\" height=\""),
            text.number() == side, text.skip("\" fill=\"#fff\"/>\n<path d=\"")
        else { return nil }
        var runs: [(y: Int, x: Int, length: Int)] = []
        while text.skip("M") {
            guard let x = text.number(), text.skip(" "), let y = text.number(), text.skip("h"),
                let length = text.number(), text.skip("v1h-"), text.number() == length, text.skip("z"),
                y < side, x < side, length <= side - x
            else { return nil }
            runs.append((y, x, length))
        }
        guard text.skip("\" fill=\"#000\"/>\n</svg>\n"), text.isAtEnd else { return nil }
        self.side = side
        self.runs = runs
    }

    /// The drawing with `scale` pixels a unit.
    func image(scale: Int) -> LuminanceImage? {
        var rows = [[Bool]](repeating: [Bool](repeating: true, count: side), count: side)
        for run in runs {
            for x in run.x..<run.x + run.length { rows[run.y][x] = false }
        }
        return LuminanceImage.squares(rows, scale: scale)
    }
}

/// Reads a text from its beginning.
private struct TextReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    /// True, and skips it, if `expected` comes next.
    mutating func skip(_ expected: StaticString) -> Bool {
        let matches = expected.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if matches { position += expected.utf8CodeUnitCount }
        return matches
    }

    /// One to six digits.
    mutating func number() -> Int? {
        let digits = bytes[position...].prefix(6).prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        position += digits.count
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Skips character data. False if the text ends before a `<`.
    mutating func skipText() -> Bool {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else { return false }
        position = end
        return true
    }
}
