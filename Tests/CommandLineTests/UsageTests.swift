import ArgumentParser
import Pairing
import Testing

@testable import hubpair

/// Errors for words that no command and no option takes.
@Suite struct UsageTests {
    @Test(arguments: [
        ("lst", "there is no command 'lst'"), ("help lst", "there is no command 'lst'"),
        ("hubs ad Attic 192.0.2.1", "there is no command 'hubs ad'"),
        ("home scene sav", "there is no command 'home scene sav'"),
    ])
    func unknownCommand(line: String, description: String) throws {
        let unknown = try #require(UnknownCommand.mistake(in: line.split(separator: " ").map(String.init)))
        #expect(unknown.description == description)
        #expect(ExitStatus(of: unknown) == .usage)
    }

    @Test(arguments: [
        "", "list", "list nonsense", "hubs", "hubs --json", "hubs --config ad", "hubs add lst", "help",
        "help hubs",
        "--help", "home set lamp on", "--nonsense lst",
    ])
    func knownCommands(line: String) {
        #expect(UnknownCommand.mistake(in: line.split(separator: " ").map(String.init)) == nil)
    }

    /// A value out of range is refused with its range and an example.
    @Test(arguments: [
        ("print --expires 0s", "90s"), ("print --expires -5m", "90s"), ("serve --max-body 0", "1024g"),
        ("serve --max-body 1025g", "1024g"), ("serve --max-connections 0", "from 1 to 100000"),
        ("serve --max-connections 512/0", "from 1 to 100000"), ("serve --listen hub", "192.168.1.20"),
        ("setup --port 0", "from 1 to 65535"), ("setup --port 70000", "from 1 to 65535"),
        ("list --timeout soon", "at most 1d, like 5s"), ("list --timeout -1", "at most 1d, like 5s"),
        ("home watch --interval 0", "from 0.1s to 1h"), ("home set a on --timeout 601", "at most 10m"),
        ("list --timeout nan", "at most 1d, like 5s"), ("scan - --timeout 0", "at most 1d, like 60s"),
        ("print --expires 10", "Did you mean 10m?"), ("home --all-hubs --timeout 11m", "at most 10m"),
        ("scan x.png --max-pixels 0", "from 1 to 1000000000"),
        ("print --size 0x0 -o x.pdf", "from 10 to 500"),
        ("print --sheet 0x0 -o x.pdf", "from 1 to 99"), ("print --address hub", "192.168.1.5:8000"),
        ("print --format gif", "'svg'"), ("serve --log-level all", "'debug'"),
        ("print --plain -o x.png", "--plain out"), ("print --ascii -o x.SVG", "--ascii out"),
    ])
    func badValue(line: String, hint: String) throws {
        let error = try #require(throws: (any Error).self) {
            try Hubpair.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        let message = Hubpair.message(for: error)
        let sentences = message.split(separator: ". ", maxSplits: 1)
        #expect(sentences.count == 2, "no hint: \(message)")
        #expect(sentences.last?.contains(hint) == true, "\(message)")
    }

    @Test(arguments: ["print --plain -o x.txt", "print --plain -o x", "print --ascii -o -", "print --plain"])
    func goodValue(line: String) throws {
        _ = try Hubpair.parseAsRoot(line.split(separator: " ").map(String.init))
    }
}
