/// How a code is drawn on a terminal.
package struct TerminalStyle: Codable, Equatable, Sendable {
    enum Ink: String, Codable, Equatable, Sendable {
        case colours
        case sixteen
        case reversed
        case blocks
        case ascii
    }

    let ink: Ink
    /// True if light and dark are exchanged.
    let isInverted: Bool

    /// Black on white by explicit colours, reset at the end of each line: readable on dark and on light
    /// terminals. Colours 16 and 231 of the 256 are the same in every theme. Inverted it is white on black,
    /// for terminals that show colours reversed.
    package static let colours = TerminalStyle(ink: .colours, isInverted: false)
    /// The same with the colours 0 and 7 of the first eight, which a theme may choose.
    package static let sixteen = TerminalStyle(ink: .sixteen, isInverted: false)
    /// The terminal's own two colours, exchanged by reverse video: right on a dark terminal, inverted on a
    /// light one.
    package static let reversed = TerminalStyle(ink: .reversed, isInverted: false)
    /// Block characters without escape codes. The light modules are filled, so that the code is right on a
    /// dark terminal. On a light terminal, or on paper, it must be inverted: many readers do not read light
    /// on dark.
    package static let blocks = TerminalStyle(ink: .blocks, isInverted: false)
    /// `##` or two spaces for a module, one line for a row: for serial consoles without Unicode. The light
    /// modules are filled, as with `blocks`.
    package static let ascii = TerminalStyle(ink: .ascii, isInverted: false)

    /// The same with light and dark exchanged.
    package var inverted: TerminalStyle { TerminalStyle(ink: ink, isInverted: !isInverted) }

    /// The number of columns per module.
    package var columnsPerModule: Int { ink == .ascii ? 2 : 1 }
}

extension QRSymbol {
    /// The symbol and its quiet zone as lines, so that text can be put to the right of them. With half blocks
    /// (`▀`, `▄`, `█`, space) a line is two rows of modules, in ASCII one row.
    ///
    /// With n modules a side and a quiet zone of 4, half blocks take n + 8 columns and (n + 9) / 2 lines: 41
    /// × 21 for 33 modules, 45 × 23 for 37. ASCII takes 2n + 16 columns and n + 8 lines: 82 × 41 and 90 × 45.
    package func terminalLines(style: TerminalStyle, quietZone: Int = QRSymbol.quietZone) -> [String] {
        let shown = -quietZone..<modulesPerSide + quietZone
        return stride(from: shown.lowerBound, to: shown.upperBound, by: style.ink == .ascii ? 1 : 2).map {
            y in
            guard let pens = style.pens else {
                return shown.map { x in
                    style.cell(upperIsDark: isDark(x: x, y: y), lowerIsDark: isDark(x: x, y: y + 1))
                }.joined()
            }
            var line = ""
            var isOnDark: Bool?
            for x in shown {
                let cell = TerminalCell((-1...2).map { isDark(x: x, y: y + $0) != style.isInverted })
                if cell.isOnDark != isOnDark { line += cell.isOnDark ? pens.onDark : pens.onLight }
                isOnDark = cell.isOnDark
                line.append(cell.glyph)
            }
            return line + TerminalStyle.reset
        }
    }

    /// Reads the lines back as their terminal shows them, and checks that they hold this symbol's payload.
    package func verify(terminalLines lines: [String], style: TerminalStyle) throws(RenderError) {
        guard let shown = LuminanceImage.terminal(lines, scale: DrawingCheck.pixelsPerModule) else {
            throw .unreadable("terminal")
        }
        try verify(modules: style.isInverted ? shown.inverted : shown, drawnAs: "terminal")
    }
}

/// A cell with its own ground, which fills it with whatever room the terminal leaves between lines. Half
/// blocks alone leave a stripe of the ground there, through every module.
private struct TerminalCell {
    /// The ground; the ink is the other colour.
    let isOnDark: Bool
    let glyph: Character

    /// - Parameter dark: four modules of a column: the last one of the line before, the two of this line, and
    ///   the first of the next.
    init(_ dark: [Bool]) {
        let (upper, lower) = (dark[1], dark[2])
        // Most terminals leave the room below the ink, where the lower module is to go on. Where the upper
        // one is the middle of a longer run it is the ground, so that no room breaks the run, above or below.
        let isUpperGround = upper == lower || dark[0] == upper && dark[3] == upper
        isOnDark = isUpperGround ? upper : lower
        glyph = upper == lower ? " " : isUpperGround ? "▄" : "▀"
    }
}

extension TerminalStyle {
    fileprivate typealias Pens = (onLight: String, onDark: String)

    fileprivate static let reset = "\u{1B}[0m"
    private static let pens: [Ink: Pens] = [
        .colours: ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[38;5;231;48;5;16m"),
        .sixteen: ("\u{1B}[30;47m", "\u{1B}[37;40m"),
        .reversed: ("\u{1B}[7m", "\u{1B}[27m"),
    ]

    /// What begins to draw on either ground; nil for a style without escape codes.
    fileprivate var pens: Pens? { TerminalStyle.pens[ink] }

    /// True if a line may be written to a terminal: it has nothing but the cells and pens of drawings.
    static func isDrawn(_ line: String) -> Bool {
        var rest = Substring(line)
        while let character = rest.unicodeScalars.popFirst() {
            if character == "\u{1B}" {
                guard colours(at: rest) != nil else { return false }
                rest = rest.drop { $0 != "m" }.dropFirst()
            } else if !" #▀▄█".unicodeScalars.contains(character) {
                return false
            }
        }
        return true
    }

    /// One cell of a drawing without escape codes. Inverted, ink stands for dark modules; otherwise for light
    /// ones, on a dark terminal.
    fileprivate func cell(upperIsDark: Bool, lowerIsDark: Bool) -> String {
        if ink == .ascii { return upperIsDark == isInverted ? "##" : "  " }
        return switch (upperIsDark == isInverted, lowerIsDark == isInverted) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
    }

    /// Whether ink and ground are light after the escape code that `rest` continues, without its escape
    /// character. Nil for any code but those of `terminalLines`.
    fileprivate static func colours(at rest: Substring) -> (ink: Bool, ground: Bool)? {
        for pens in pens.values {
            if rest.hasPrefix(pens.onLight.dropFirst()) { return (false, true) }
            if rest.hasPrefix(pens.onDark.dropFirst()) { return (true, false) }
        }
        return rest.hasPrefix(reset.dropFirst()) ? (true, false) : nil
    }
}

extension LuminanceImage {
    /// What a dark terminal (light ink on a dark ground) shows for these lines, `scale` pixels per module.
    /// Nil unless all lines are equally long and hold only one kind of cells and the escape codes of
    /// `terminalLines`.
    static func terminal(_ lines: [String], scale: Int) -> LuminanceImage? {
        if lines.contains(where: { $0.contains("#") }) { return ascii(lines, scale: scale) }
        var rows: [[Bool]] = []
        for line in lines {
            var upper: [Bool] = []
            var lower: [Bool] = []
            var (ink, ground) = (true, false)
            var rest = Substring(line)
            while let character = rest.unicodeScalars.popFirst() {
                let (isUpperInk, isLowerInk): (Bool, Bool)
                switch character {
                case " ": (isUpperInk, isLowerInk) = (false, false)
                case "▀": (isUpperInk, isLowerInk) = (true, false)
                case "▄": (isUpperInk, isLowerInk) = (false, true)
                case "█": (isUpperInk, isLowerInk) = (true, true)
                case "\u{1B}":
                    guard let colours = TerminalStyle.colours(at: rest) else { return nil }
                    (ink, ground) = colours
                    rest = rest.drop { $0 != "m" }.dropFirst()
                    continue
                default: return nil
                }
                upper.append(isUpperInk ? ink : ground)
                lower.append(isLowerInk ? ink : ground)
            }
            rows += [upper, lower]
        }
        return squares(rows, scale: scale)
    }

    private static func ascii(_ lines: [String], scale: Int) -> LuminanceImage? {
        var rows: [[Bool]] = []
        for line in lines {
            var row: [Bool] = []
            var rest = Substring(line).utf8
            while let first = rest.popFirst() {
                let hash = UInt8(ascii: "#")
                guard first == hash || first == UInt8(ascii: " "), rest.popFirst() == first else {
                    return nil
                }
                row.append(first == hash)
            }
            rows.append(row)
        }
        return squares(rows, scale: scale)
    }
}
