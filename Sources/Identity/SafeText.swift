/// Makes text from others safe for a terminal, a log or a line of JSON.
///
/// Names and answers come from the network and from files. A terminal would run escape sequences in them, a
/// line end would forge a line of a log, and characters that nobody sees would make two names look like one.
package enum SafeText {
    /// `text` on one line: everything that could drive a terminal, break a line, turn the text around or hide
    /// in it is written as `\u{1B}`.
    ///
    /// What makes an emoji one (U+FE0F, and U+200D between two) and the joiners of Arabic and Indic scripts
    /// stay: without them those names could not be read.
    package static func escaped(_ text: String) -> String {
        // Nearly every text is plain.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }),
            text.unicodeScalars.contains(where: { $0.isControlling || $0.isInvisible })
        else { return text }
        let scalars = Array(text.unicodeScalars)
        var safe = ""
        for (index, scalar) in scalars.enumerated() {
            if scalar.isControlling || scalar.isInvisible && !isSpelling(at: index, in: scalars) {
                safe += escape(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// `text` of several lines, such as the body of an answer: like ``escaped(_:)``, but line ends, tabs and
    /// what is invisible stay, and carriage returns go.
    package static func escapedLines(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\t" || !scalar.isControlling {
                safe.unicodeScalars.append(scalar)
            } else if scalar != "\r" {
                safe += escape(scalar)
            }
        }
        return safe
    }

    /// `\u200b`, and beyond the first plane the two halves of UTF-16 (RFC 8259 § 7), for what could drive a
    /// terminal or hide; nil for a character that may stand as it is. JSON itself requires escapes for C0
    /// controls only, but a line of it may end up on a terminal.
    package static func jsonEscape(of scalar: Unicode.Scalar) -> String? {
        guard scalar.isControlling || scalar.isInvisible else { return nil }
        return UTF16.encode(scalar)?.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined()
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
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

extension Unicode.Scalar {
    /// True between the letters of scripts that join and stack (Arabic to Sinhala): there U+200C and U+200D
    /// are spelling, and show.
    fileprivate var takesJoiners: Bool { (0x0600...0x0DFF).contains(value) && !isInvisible }

    fileprivate var isEmojiBeyondASCII: Bool { value > 0x7F && properties.isEmoji }
}

/// `text` in quotation marks, at most 80 characters of it: names from a server have any length. It is not
/// escaped: the console and the log do that.
package func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

/// At most the first 80 characters. Scalars are counted, since one character may be made of a million.
package func shortened(_ text: String) -> String {
    if text.utf8.count <= 80 { return text }
    let head = text.unicodeScalars.prefix(81)
    return head.count <= 80 ? text : String(String.UnicodeScalarView(head.prefix(80))) + "…"
}
