import ArgumentParser
import Glibc
import HubService
import Identity
import JSON

/// The entry point. Every error becomes one line, one hint and an exit code here.
@main
enum Main {
    static func main() async {
        GateLock.close()
        Startup.waitForChildren()
        Startup.quietDispatch()
        Startup.forbidDumps()
        Startup.fillClosedStandardDescriptors()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if !JSONLine.onlyReadsArguments { JSONLine.copyForTests(.run, .integer(Int64(getpid()))) }
        do {
            try Startup.refuseTextThatIsNotUTF8()
            if let secret = SecretInArguments(in: arguments) { throw secret }
            switch arguments {
            case ["--version"]: return try Console.output(Version.text)
            case ["--version", "--json"], ["--json", "--version"]: return try writeVersion()
            default: break
            }
            var command = try Invocation.command(from: arguments)
            if JSONLine.onlyReadsArguments { return }
            switch command {
            case var asynchronous as any AsyncParsableCommand: try await asynchronous.run()
            default: try command.run()
            }
        } catch {
            let code = finish(with: error)
            JSONLine.copyForTests(.failed, .array([.integer(Int64(getpid())), .integer(Int64(code))]))
            exit(code)
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
            // Where many values are possible, each has a line.
            let message = Hubpair.message(for: error)
                .replacing("one of the following:\n  - ", with: "one of ").replacing("\n  - ", with: ", ")
                .split(separator: "\n").joined(separator: " ")
            let sentences = message.split(separator: ". ", maxSplits: 1).map(String.init)
            let hint = sentences.dropFirst().first.map(inLine)?.replacing("please provide", with: "give")
            let path = CommandPath(Array(CommandLine.arguments.dropFirst()))
            let lacks = ["issing expected", "missing: ", "give one of: "].contains { message.contains($0) }
            let example = lacks ? SuggestedLine(completing: path) : nil
            Console.report(
                inLine(sentences.first ?? message),
                hint: hint ?? example?.description ?? value(missingIn: message, path) ?? path.seeHelp,
                exit: .usage)
            return ExitStatus.usage.rawValue
        }
        Console.report(error)
        return ExitStatus(of: error).rawValue
    }

    /// What an option takes, as an example that can be typed; others are a word in capitals.
    private static let samples = [
        "cidr": "192.168.1.0/24", "time": "10m", "size": "1M", "port": "8000",
        "url": "https://127.0.0.1:8443", "count": "10", "number": "10",
    ]

    /// `hubpair open --port 8000`, where only `hubpair open --port` was typed; nil if that is no whole line.
    private static func value(missingIn message: String, _ path: CommandPath) -> String? {
        let words = message.split(whereSeparator: { " '[]".contains($0) })
        guard message.hasPrefix("Missing value for"), let value = words.last,
            path.rest.last?.hasPrefix("-") == true
        else { return nil }
        var examples = ["code.png", "FILE"]
        if value.hasPrefix("<"), value.hasSuffix(">") {
            let name = String(value.dropFirst().dropLast())
            examples = [samples[name] ?? name.uppercased()]
        }
        let lines = examples.lazy.map { path.rest + [$0] }
        return lines.first { CommandPath.isCall(path.words + $0) }.map { "\(SuggestedLine(path.words, $0))" }
    }

    /// A sentence in the style of our own errors: lower case, no full stop.
    private static func inLine(_ sentence: String) -> String {
        let text = sentence.prefix(1).lowercased() + sentence.dropFirst()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
