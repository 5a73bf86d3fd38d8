import ArgumentParser
import Glibc
import Pairing

/// Where the process begins and ends: every error becomes one line, one hint and an exit code here.
@main
enum Main {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try refuseSecrets(in: arguments)
            var command = try Hubpair.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            exit(finish(with: error))
        }
    }

    /// Arguments can be read by every user of the machine, and stay in the shell's history. A code with a
    /// slip in it is a secret too, so the shape decides and not the checksum.
    private static func refuseSecrets(in arguments: [String]) throws {
        for argument in arguments {
            let value = argument.split(separator: "=").last ?? ""
            let groups = value.split(separator: "-", omittingEmptySubsequences: false)
            let isTypedCode = groups.count == 5 && groups.allSatisfy { $0.utf8.count == 4 }
            if argument.uppercased().contains(PairingCode.prefix) || isTypedCode
                || (try? TypedCode(typed: value)) != nil
            {
                throw SecretInArguments()
            }
        }
    }

    private static func finish(with error: any Error) -> Int32 {
        let status = Hubpair.exitCode(for: error)
        if status == .success || error is CleanExit {  // help and version
            do {
                try Console.output(Hubpair.fullMessage(for: error))
                return 0
            } catch {
                return finish(with: error)
            }
        }
        if let silent = error as? ExitStatus { return silent.rawValue }
        if status == .validationFailure {
            // ArgumentParser's words; its usage text would bury them.
            let message = Hubpair.message(for: error).split(separator: "\n").joined(separator: "; ")
            Console.report(lowerCased(message), hint: usageHint(error))
            return ExitStatus.usage.rawValue
        }
        Console.report(error)
        return ExitStatus(of: error).rawValue
    }

    private static func usageHint(_ error: any Error) -> String {
        let usage = Hubpair.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage: ") }
        let command = usage?.dropFirst("Usage: ".count).split(separator: " ")
            .prefix { !$0.hasPrefix("[") && !$0.hasPrefix("<") && !$0.hasPrefix("-") }.joined(separator: " ")
        return "see '\(command ?? "hubpair") --help'"
    }

    private static func lowerCased(_ message: String) -> String {
        let text = message.prefix(1).lowercased() + message.dropFirst()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

/// The root of the command line.
struct Hubpair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hubpair",
        abstract: "Find the home hubs on the local network, and let a device in with a QR code.",
        discussion: """
            On the hub: setup, print, devices. On a device: list, scan, hubs.

            Exit codes: 0 done, 1 nothing found, 64 usage, 65 bad data, 66 no such input, 69 nobody answers, \
            73 cannot write, 75 try again, 77 not permitted or not approved, 78 bad configuration.
            """,
        version: "0.1.0",
        subcommands: [
            SetupCommand.self, PrintCommand.self, DevicesCommand.self, ListCommand.self, ScanCommand.self,
            HubsCommand.self,
        ]
    )
}
