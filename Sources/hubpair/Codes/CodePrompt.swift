import FoundationEssentials
import Glibc
import HubClient
import Identity
import Pairing
import QRCodes

/// Asks for a code at the terminal.
///
/// The answer is shown while it is typed, since 20 characters are hard to type blind, and then erased: the
/// code is a secret until it has been used. A program that records the terminal still has it.
struct CodePrompt {
    private static let attempts = 3
    private static let prompt = "> "

    /// Asks until the answer is a code, at most three times.
    ///
    func ask() throws -> ScannedCode {
        Console.note("type the code that the hub shows, or name a picture of it:")
        for attempt in 1...CodePrompt.attempts {
            Question.prompt(CodePrompt.prompt)
            guard let line = readLine() else {
                Question.endLine()
                throw ScannedCodeError.empty
            }
            do {
                let code = try read(line)
                CodePrompt.erase(CodePrompt.prompt + line)
                return code
            } catch {
                CodePrompt.erase(CodePrompt.prompt + line)
                guard attempt < CodePrompt.attempts else { throw error }
                Console.report(error)
            }
        }
        throw ScannedCodeError.empty
    }

    /// Asks once for another secret, and takes the answer off the screen again; nil without a terminal, or
    /// without an answer.
    static func askSecret(_ question: String) -> String? {
        guard Question.canBeAnswered else { return nil }
        Question.prompt(question)
        guard let line = readLine() else {
            Question.endLine()
            return nil
        }
        erase(question + line)
        return line
    }

    /// The code in the file of that name, if there is one; else the code that the line itself is.
    private func read(_ line: String) throws -> ScannedCode {
        let text = line.trimmed
        guard !text.isEmpty else { throw ScannedCodeError.empty }
        if FileManager.default.fileExists(atPath: text) {
            return try ScannedCode.read(text)
        }
        do {
            return try ScannedCode(text: text)
        } catch ScannedCodeError.noCode
            where (text.contains("/") || text.contains(".")) && !BroughtCode.mayBeSecret(text)
        {
            throw NoPicture(text)
        }
    }

    /// Erases a line from the screen, in all the rows that it took. With `--json` too: this is nothing for a
    /// program to read, since it is only written where standard error is itself a terminal.
    private static func erase(_ line: String) {
        guard isatty(STDERR_FILENO) == 1, Console.knowsEscapes else { return }
        let width = max(1, Console.size.columns)
        let rows = line.utf8.count / width + 1
        // If the terminal is gone, there is nothing to erase.
        try? OpenOutput.standardError.write(Array("\u{1B}[\(rows)A\r\u{1B}[J".utf8))
    }
}
