import FoundationEssentials
import Glibc
import Identity
import JSON

/// Standard output for results, standard error for everything else.
enum Console {
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// True if standard output knows escape sequences: a terminal that is not `TERM=dumb`.
    static var outputKnowsEscapes: Bool { outputIsTerminal && knowsEscapes }

    /// True if a terminal, if there is one, knows escape sequences.
    static var knowsEscapes: Bool { Startup.environment["TERM"] != "dumb" }

    /// True if standard output may have colours: `NO_COLOR` forbids them (no-color.org), `CLICOLOR_FORCE`
    /// asks for them in a pipe too (bixense.com/clicolors), else a terminal that knows them has them. A VT100
    /// and its kind, as which serial consoles log in, may take `38;5` for blinking.
    static var outputHasColours: Bool {
        guard (Startup.environment["NO_COLOR"] ?? "").isEmpty else { return false }
        let term = Startup.environment["TERM"] ?? ""
        let isColourless = term.hasPrefix("vt") && term.dropFirst(2).first?.isNumber == true
        return outputKnowsEscapes && !isColourless
            || !["", "0"].contains(Startup.environment["CLICOLOR_FORCE"] ?? "")
    }

    /// True for terminals that know the first 8 or 16 colours alone, as far as their names say it.
    static var hasFewColours: Bool {
        let term = Startup.environment["TERM"] ?? ""
        return ["ansi", "pcansi", "cygwin", "linux", "rxvt"].contains(term)
            || ["-color", "-8color", "-16color", "-88color"].contains { term.hasSuffix($0) }
    }

    /// Whether the terminal's ground is light, where it says so: rxvt's `COLORFGBG`, which Konsole and others
    /// set too, ends with the ground's number among the 16 colours.
    static var groundIsLight: Bool? {
        let ground = Startup.environment["COLORFGBG"]?.split(separator: ";").last.flatMap { Int($0) }
        guard let ground, (0...15).contains(ground) else { return nil }
        return ground == 7 || ground > 8
    }

    /// The size of the terminal in characters; 80×24 without a terminal, or if it does not say.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes `text` and a line end to standard output, as it is.
    static func output(_ text: String) throws(OutputError) {
        try output(bytes: Array((text + "\n").utf8))
    }

    /// Writes lines for a person and a line end to standard output, in the reader's language.
    static func output(words: String) throws(OutputError) { try output(Texts.words(words)) }

    /// Writes `bytes` to standard output, as they are.
    static func output(bytes: [UInt8]) throws(OutputError) {
        try OpenOutput.standardOutput.write(bytes)
    }

    /// Writes a line to standard error, escaped, in the reader's language. It begins with `warning: ` or
    /// `hint: ` if it is one. With `--json` that word is the key: `{"warning":"…"}`, `{"hint":"…"}`, else
    /// `{"note":"…"}`.
    static func note(_ text: String) {
        if text.hasPrefix("hint: ") { JSONLine.copyForTests(.hint, .string(String(text.dropFirst(6)))) }
        let kind = ["warning", "hint"].first { text.hasPrefix("\($0): ") }
        let words = kind.map { String(text.dropFirst($0.count + 2)) } ?? text
        guard JSONLine.isAskedFor else { return writeLine(words, kind: kind) }
        JSONLine.writeMessage([kind ?? "note": .string(words)])
    }

    /// One line for an error, and one for how to mend it. With `--json` they are one object: `{"error":"…",
    /// "exit":64,"hint":null}`.
    ///
    /// - Parameter exit: the exit code of this error.
    static func report(_ text: String, hint: String?, exit: ExitStatus) {
        if let hint { JSONLine.copyForTests(.hint, .string(hint)) }
        guard !JSONLine.isAskedFor else {
            return JSONLine.writeMessage([
                "error": .string(text), "hint": .text(hint), "exit": .integer(Int64(exit.rawValue)),
            ])
        }
        writeLine(text, kind: "error")
        if let hint { writeLine(hint, kind: "hint") }
    }

    /// The same for an error value; `subject` is what it is about, mostly a file.
    static func report(_ error: any Error, subject: String? = nil) {
        let text = message(of: error)
        report(
            subject.map { "\($0): \(text)" } ?? text, hint: (error as? any UserError)?.hint,
            exit: ExitStatus(of: error))
    }

    private static func writeLine(_ text: String, kind: String?) {
        let words = Texts.words(text)
        let line = SafeText.escaped(kind.map { "\(Texts.exactly($0)): \(words)" } ?? words)
        // An error cannot be reported where standard error is gone.
        try? OpenOutput.standardError.write(Array((line + "\n").utf8))
    }
}

/// Text from the network on its way to a terminal, in pieces. Everything that could drive the terminal is
/// written as `\u{1B}`, except line ends and tabs; a line end is added where the text has none.
struct TerminalText {
    /// The first bytes of a character whose rest is still to come, at most 3.
    private var unfinished: [UInt8] = []
    private var last = UInt8(ascii: "\n")

    init() {}

    /// The bytes for the terminal, for the next piece.
    mutating func escaped(_ piece: [UInt8]) -> [UInt8] {
        let bytes = unfinished + piece
        let count = bytes.count - TerminalText.unfinishedCount(bytes)
        unfinished = Array(bytes[count...])
        return safe(bytes[..<count])
    }

    /// The bytes for the terminal, at the end of the text.
    mutating func end() -> [UInt8] {
        let rest = safe(unfinished[...])
        return last == UInt8(ascii: "\n") ? rest : rest + [UInt8(ascii: "\n")]
    }

    private mutating func safe(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = SafeText.escapedLines(String(decoding: bytes, as: UTF8.self))
        last = text.utf8.last ?? last
        return Array(text.utf8)
    }

    /// How many bytes at the end begin a character (RFC 3629 § 3) that needs more.
    private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
        for (offset, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > offset + 1 ? offset + 1 : 0
        }
        return 0
    }
}
