import ArgumentParser
import Glibc
import Identity
import Pairing

/// The entry point. Every error becomes one line, one hint and an exit code here.
@main
enum Main {
    static func main() async {
        Startup.forbidDumps()
        Startup.fillClosedStandardDescriptors()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try Startup.refuseTextThatIsNotUTF8()
            try refuseSecrets(in: arguments)
            if let unknown = UnknownCommand(in: arguments) { throw unknown }
            if let error = NegativeSetting.error(in: arguments) { throw error }
            var command = try Hubpair.parseAsRoot(arguments)
            switch command {
            case var prepared as any PreparedCommand:
                try prepared.prepare()
                try await prepared.run()
            case var asynchronous as any AsyncParsableCommand: try await asynchronous.run()
            default: try command.run()
            }
        } catch {
            exit(finish(with: error))
        }
    }

    /// Refuses codes as arguments: every user of the machine can read arguments, and they stay in the shell's
    /// history. A code with a typing error is a secret too, so its shape decides, not its checksum.
    private static func refuseSecrets(in arguments: [String]) throws {
        for argument in arguments {
            let bytes = Array(argument.utf8)
            let value = String(decoding: bytes.split(separator: UInt8(ascii: "=")).last ?? [], as: UTF8.self)
            let looksTyped = CrockfordBase32.symbols(typed: value)?.count == TypedCode.characterCount
            // A name may well be "hubpair: kitchen"; a code has a long word behind the colon.
            let word = PairingCode.end(ofPrefixIn: bytes).map { bytes[$0...].prefix(8) }
            let looksScanned = word?.count == 8 && word?.allSatisfy(isLetterOrDigit) == true
            if looksTyped || looksScanned { throw SecretInArguments() }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    private static func finish(with error: any Error) -> Int32 {
        let status = Hubpair.exitCode(for: error)
        if status == .success || error is CleanExit {  // help and version
            do {
                try Console.output(HelpText.text(for: error))
                return 0
            } catch {
                return finish(with: error)
            }
        }
        if let silent = error as? ExitStatus { return silent.rawValue }
        if let output = error as? OutputError, output.isReaderGone { return ExitStatus(of: error).rawValue }
        if status == .validationFailure {
            // In ArgumentParser's messages the first sentence is the error, the rest says how to mend it.
            let message = Hubpair.message(for: error).split(separator: "\n").joined(separator: " ")
            let sentences = message.split(separator: ". ", maxSplits: 1).map(String.init)
            let hint = sentences.dropFirst().first.map(inLine)?.replacing("please provide", with: "give")
            Console.report(inLine(sentences.first ?? message), hint: hint ?? usageHint(error))
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
