import ArgumentParser
import Glibc
import Identity
import JSON

/// The entry point. Every error becomes one line, one hint and an exit code here.
@main
enum Main {
    static func main() async {
        Startup.waitForChildren()
        Startup.quietDispatch()
        Startup.forbidDumps()
        Startup.fillClosedStandardDescriptors()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try Startup.refuseTextThatIsNotUTF8()
            if let secret = SecretInArguments(in: arguments) { throw secret }
            switch arguments {
            case ["--version"]: return try Console.output(Version.text)
            case ["--version", "--json"], ["--json", "--version"]: return try writeVersion()
            default: break
            }
            if try PlainLines.run(arguments) { return }
            if let line = PlainLines.list(arguments) { return try await line.run() }
            if let line = PlainLines.home(arguments) { return try await line.run() }
            var command = try Invocation.command(from: arguments)
            switch command {
            case var prepared as any PreparedCommand:
                if try !prepared.prepare() { try await prepared.run() }
            case var asynchronous as any AsyncParsableCommand: try await asynchronous.run()
            default: try command.run()
            }
        } catch {
            exit(finish(with: error))
        }
    }

    /// For scripts: this version, and that of the lines of JSON.
    private static func writeVersion() throws {
        try JSONLine.write(
            .object([
                "version": .string(Version.text), "json": .integer(JSONLine.formatVersion),
            ]))
    }

    private static func finish(with error: any Error) -> Int32 {
        if let silent = error as? ExitStatus { return silent.rawValue }
        if let output = error as? OutputError, output.isReaderGone { return ExitStatus(of: error).rawValue }
        // Ours need nothing of ArgumentParser, which writes the help of all commands to find the exit code.
        if error is any UserError {
            Console.report(error)
            return ExitStatus(of: error).rawValue
        }
        let status = Hubpair.exitCode(for: error)
        if status == .success || error is CleanExit {  // help and version
            do {
                try Console.output(HelpText.text(for: error))
                return 0
            } catch {
                return finish(with: error)
            }
        }
        if status == .validationFailure {
            // In ArgumentParser's messages the first sentence is the error, the rest says how to mend it.
            let message = Hubpair.message(for: error).split(separator: "\n").joined(separator: " ")
            let sentences = message.split(separator: ". ", maxSplits: 1).map(String.init)
            let hint = sentences.dropFirst().first.map(inLine)?.replacing("please provide", with: "give")
            Console.report(inLine(sentences.first ?? message), hint: hint ?? usageHint(error), exit: .usage)
            return ExitStatus.usage.rawValue
        }
        Console.report(error)
        return ExitStatus(of: error).rawValue
    }

    private static func usageHint(_ error: any Error) -> String {
        let usage = Hubpair.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage: ") }
        let command = usage?.dropFirst("Usage: ".count).split(separator: " ")
            .prefix { !$0.hasPrefix("[") && !$0.hasPrefix("<") && !$0.hasPrefix("-") }.joined(separator: " ")
        guard let command, command != "hubpair" else { return "see '\(commandInArguments) --help'" }
        return "see '\(command) --help'"
    }

    /// The command in the arguments: ArgumentParser no longer knows it once the command runs.
    private static var commandInArguments: String {
        var type: any ParsableCommand.Type = Hubpair.self
        var words = [Hubpair._commandName]
        for argument in CommandLine.arguments.dropFirst() {
            guard let next = type.configuration.subcommands.first(where: { $0._commandName == argument })
            else { break }
            type = next
            words.append(argument)
        }
        return words.joined(separator: " ")
    }

    /// A sentence in the style of our own errors: lower case, no full stop.
    private static func inLine(_ sentence: String) -> String {
        let text = sentence.prefix(1).lowercased() + sentence.dropFirst()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
