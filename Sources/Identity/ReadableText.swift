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
    /// Unassigned characters are not among them, except the ignorable ones: they show as a box, and a hub
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
}
