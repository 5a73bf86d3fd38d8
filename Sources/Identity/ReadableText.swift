// What of a text a reader does not see, or sees otherwise than it is.

extension Unicode.Scalar {
    /// Control characters (Cc), line and paragraph separators (Zl, Zp), and Bidi_Control: what could
    /// break a line, drive a terminal or turn the text around.
    package var isControlling: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }

    /// Nothing to see: format characters (Cf), Default_Ignorable_Code_Point (variation selectors, joiners,
    /// fillers, tags), noncharacters, and characters whose glyph is blank although they are no white space.
    ///
    /// Unassigned characters are not among them, but for the ignorable ones: they show as a box, and a hub
    /// must not refuse the emoji of a newer Unicode. Nor is white space: it is seen, and `LookAlike` leaves
    /// it out.
    package var isInvisible: Bool {
        guard value > 0x7E else { return false }
        switch value {
        // A Braille cell without dots, the place of an object that is not there, a note without its head, two
        // blanks of hieroglyphs, the filler of Khitan.
        case 0x2800, 0xFFFC, 0x1D159, 0x13441, 0x13442, 0x16FE4: return true
        default:
            return properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
                || properties.isNoncharacterCodePoint
        }
    }

    /// A mark that takes no room of its own (Mn, Me).
    package var isNonspacingMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// `\u200b`, and beyond the first plane the two halves of UTF-16 (RFC 8259 § 7).
    package var escapedForJSON: String {
        UTF16.encode(self).map { unit in
            unit.map {
                let digits = String($0, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }.joined()
        } ?? ""
    }

    /// True between the letters of scripts that join and stack (Arabic to Sinhala): there U+200C and U+200D
    /// are spelling, and show.
    fileprivate var takesJoiners: Bool { (0x0600...0x0DFF).contains(value) && !isInvisible }

    fileprivate var isEmojiBeyondASCII: Bool { value > 0x7F && properties.isEmoji }
}

extension String {
    /// The text with everything that could drive a terminal, break a line, turn the text around or hide in it
    /// written as `\u{1B}`. Names come from the network and from files; escape sequences in them would be
    /// run, and what nobody sees would make two names look like one.
    ///
    /// What makes an emoji one (U+FE0F, and U+200D between two) and the joiners of Arabic and Indic scripts
    /// stay: without them those names could not be read.
    package var escapedForDisplay: String {
        // Nearly every text is plain.
        guard utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }),
            unicodeScalars.contains(where: { $0.isControlling || $0.isInvisible })
        else { return self }
        let scalars = Array(unicodeScalars)
        var safe = ""
        for (index, scalar) in scalars.enumerated() {
            let isHidden =
                scalar.isControlling || scalar.isInvisible && !String.isSpelling(at: index, in: scalars)
            if isHidden {
                safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private static func isSpelling(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        let before = scalars[index - 1]
        switch scalars[index] {
        case "\u{FE0F}": return before.isEmojiBeyondASCII
        case "\u{200C}", "\u{200D}":
            guard index + 1 < scalars.count else { return false }
            let after = scalars[index + 1]
            if before.takesJoiners, after.takesJoiners { return true }
            return scalars[index] == "\u{200D}" && after.isEmojiBeyondASCII
                && (before == "\u{FE0F}" || before.isEmojiBeyondASCII)
        default: return false
        }
    }
}
