import Glibc
import HubClient
import QRCodes

/// Asks for a code at the terminal.
///
/// The answer is shown while it is typed, since 20 characters are hard to type blind, and then erased: the
/// code is a secret until it has been used. A program that records the terminal still has it.
enum CodePrompt {
    private static let attempts = 3
    private static let prompt = "> "

    /// Asks until the answer is a code, at most three times.
    static func ask() throws -> ScannedCode {
        Console.note("type the code that the hub shows, or name a picture of it:")
        for attempt in 1...attempts {
            writeRaw(prompt)
            guard let line = readLine() else {
                writeRaw("\n")
                throw ScannedCodeError.empty
            }
            do {
                let code = try read(line)
                erase(line)
                return code
            } catch {
                erase(line)
                guard attempt < attempts else { throw error }
                Console.report(error)
            }
        }
        throw ScannedCodeError.empty
    }

    /// The code in the file of that name, if there is one; else the code that the line itself is.
    private static func read(_ line: String) throws -> ScannedCode {
        let text = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !text.isEmpty else { throw ScannedCodeError.empty }
        var status = stat()
        if stat(text, &status) == 0 { return try ScannedCode.read(text) }
        do {
            return try ScannedCode(text: text)
        } catch ScannedCodeError.noCode where text.contains("/") || text.contains(".") {
            throw InputFileError.missing
        }
    }

    /// Erases the line from the screen, in all the rows that it took.
    private static func erase(_ line: String) {
        guard isatty(STDERR_FILENO) == 1, Console.knowsEscapes else { return }
        let width = max(1, Console.size.columns)
        let rows = (prompt.utf8.count + line.utf8.count) / width + 1
        writeRaw("\u{1B}[\(rows)A\r\u{1B}[J")
    }

    private static func writeRaw(_ text: String) {
        // If the terminal is gone, reading the answer fails.
        try? Console.write(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
    }
}
