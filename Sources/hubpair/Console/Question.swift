import Glibc
import Identity

/// Questions at the terminal. The answer stands on the same line.
enum Question {
    private static let attempts = 3

    static var canBeAnswered: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks for a yes. Anything but `y` and `yes`, in any case, is a no.
    ///
    /// - Parameter left: what is said after a no.
    /// - Throws: `ExitStatus.nothingFound` after a no: what was asked for was not done.
    static func confirm(_ question: String, orElse left: String) throws {
        guard isYes(question) else {
            Console.note(left)
            throw ExitStatus.nothingFound
        }
    }

    /// Asks for a yes, where a no is as good an answer.
    static func isYes(_ question: String) -> Bool {
        prompt("\(Texts.words(question)) \(Texts.exactly("[y/N]")) ")
        let yes = ["y", "yes"] + Texts.exactly("y yes").split(separator: " ").map(String.init)
        return yes.contains(line()?.lowercased() ?? "")
    }

    /// Asks until `read` takes the answer, at most three times.
    static func ask<Answer>(_ question: String, _ read: (String) throws -> Answer) throws -> Answer {
        for attempt in 1...attempts {
            prompt(Texts.words(question) + " ")
            guard let line = line() else {
                Console.report("there was no answer; nothing was changed", hint: nil, exit: .usage)
                throw ExitStatus.usage
            }
            do {
                return try read(line)
            } catch {
                guard attempt < attempts else { throw error }
                // A bare status comes after its explanation.
                if !(error is ExitStatus) { Console.report(error) }
            }
        }
        throw ExitStatus.usage
    }

    /// Asks for one of several: by its number in the question, or as `named` reads the answer.
    ///
    /// - Parameters:
    ///   - kind: what they are, in one word, for messages.
    ///   - titles: what each is shown as.
    static func choose<Choice>(
        _ question: String, among choices: [Choice], kind: String, titles: [String],
        named: (String) throws -> Choice
    ) throws -> Choice {
        let offers = titles.enumerated().map { "\($0 + 1) \($1)" }
        return try ask("\(Texts.words(question)) \(offers.joined(separator: "  ")) >") { answer in
            guard let number = Int(answer) else { return try named(answer) }
            guard choices.indices.contains(number - 1) else {
                throw UsageMistake(
                    "there is no \(kind) \(number) in the list",
                    hint: "give a number from 1 to \(choices.count), or a name")
            }
            return choices[number - 1]
        }
    }

    /// Writes `text` to standard error, escaped, without a line end; with `--json` as a note, in a line of
    /// its own. A sign such as "> " alone is no note.
    static func prompt(_ text: String) {
        guard !JSONLine.isAskedFor else {
            let words = text.drop { !$0.isLetter }
            return words.isEmpty ? () : Console.note(String(text.reversed().drop { $0 == " " }.reversed()))
        }
        // If the terminal is gone, reading the answer fails.
        try? OpenOutput.standardError.write(Array(SafeText.escaped(text).utf8))
    }

    /// Ends the line of a question that nobody has answered.
    static func endLine() {
        guard !JSONLine.isAskedFor else { return }
        try? OpenOutput.standardError.write([UInt8(ascii: "\n")])
    }

    /// The answer without the white space around it; nil at the end of the input, with a line end for what
    /// follows.
    private static func line() -> String? {
        guard let line = readLine() else {
            endLine()
            return nil
        }
        return line.trimmed
    }
}

extension StringProtocol {
    /// Without the white space around it.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
