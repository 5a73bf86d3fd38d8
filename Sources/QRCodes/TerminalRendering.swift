/// How a code is drawn on a terminal.
package enum TerminalStyle: Equatable, Sendable {
    /// Black on white by explicit colours (numbers 16 and 231 of the 256, which themes leave alone), reset at
    /// the end of each line: readable on dark and on light terminals.
    case colours
    /// Block characters alone, without escape codes. The light modules are filled, so that the code stands
    /// right on a dark terminal; on a light one it is inverted, and many readers do not know it then.
    case plain
}

extension QRSymbol {
    /// The symbol and its quiet zone in half blocks (`▀`, `▄`, `█`, space): one string a line, two rows of
    /// modules each, so that text can be put to the right of it.
    ///
    /// For n modules a side: n + 8 columns and (n + 9) / 2 lines; 33 modules make 41 × 21, 37 make 45 × 23.
    package func terminalLines(style: TerminalStyle) -> [String] {
        stride(from: 0, to: framedSide, by: 2).map { row in
            var line = style.lineStart
            for column in 0..<framedSide {
                let x = column - QRSymbol.quietZone
                let y = row - QRSymbol.quietZone
                line += style.block(upperIsDark: isDark(x: x, y: y), lowerIsDark: isDark(x: x, y: y + 1))
            }
            return line + style.lineEnd
        }
    }

    /// Reads the lines back as a terminal would show them, and makes sure that they hold this symbol's payload.
    package func verify(terminalLines lines: [String], style: TerminalStyle) throws(RenderError) {
        guard let image = LuminanceImage.terminal(lines, scale: RenderedCode.pixelsPerModule) else {
            throw .unreadable("terminal")
        }
        try verify(image, drawnAs: "terminal")
    }
}

extension TerminalStyle {
    fileprivate var lineStart: String { self == .colours ? "\u{1B}[38;5;16;48;5;231m" : "" }
    fileprivate var lineEnd: String { self == .colours ? "\u{1B}[0m" : "" }

    /// With colours the ink is black, without them it is the light of the terminal.
    fileprivate func block(upperIsDark: Bool, lowerIsDark: Bool) -> String {
        let ink = self == .colours
        return switch (upperIsDark == ink, lowerIsDark == ink) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
    }
}

extension LuminanceImage {
    /// What a dark terminal (light ink on a dark ground) shows for these lines, each half block `scale` pixels
    /// wide and high, or nil for anything but half blocks of equally many columns and the two escape codes
    /// that `terminalLines` writes.
    static func terminal(_ lines: [String], scale: Int) -> LuminanceImage? {
        var rows: [[Bool]] = []
        for line in lines {
            var upper: [Bool] = []
            var lower: [Bool] = []
            var ink = true
            var ground = false
            var rest = Substring(line)
            while let character = rest.unicodeScalars.popFirst() {
                let (isUpperInk, isLowerInk): (Bool, Bool)
                switch character {
                case " ": (isUpperInk, isLowerInk) = (false, false)
                case "▀": (isUpperInk, isLowerInk) = (true, false)
                case "▄": (isUpperInk, isLowerInk) = (false, true)
                case "█": (isUpperInk, isLowerInk) = (true, true)
                case "\u{1B}":
                    if rest.hasPrefix(TerminalStyle.colours.lineStart.dropFirst()) {
                        (ink, ground) = (false, true)
                    } else if rest.hasPrefix(TerminalStyle.colours.lineEnd.dropFirst()) {
                        (ink, ground) = (true, false)
                    } else {
                        return nil
                    }
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
}
