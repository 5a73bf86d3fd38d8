import ArgumentParser
import Languages
import Testing

@testable import hubpair

/// The help of every command.
@Suite struct HelpTests {
    private static func all(_ type: any ParsableCommand.Type, _ words: [String] = []) -> [[String]] {
        [words] + type.configuration.subcommands.flatMap { all($0, words + [$0._commandName]) }
    }

    static let commands = all(Hubpair.self)

    static func help(_ command: [String], columns: Int) throws -> String {
        let error = try #require(throws: (any Error).self) {
            var help = try Hubpair.parseAsRoot(command + ["--help"])
            try help.run()
        }
        return HelpText.arranged(Hubpair.fullMessage(for: error, columns: columns), to: columns)
    }

    @Test(arguments: [40, 80, 100])
    func noLineIsTooWide(columns: Int) throws {
        #expect(HelpTests.commands.count > 30)
        for command in HelpTests.commands {
            let lines = try HelpTests.help(command, columns: columns).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("USAGE: hubpair") }, "\(command)")
            // Narrower than its examples no help can be.
            if columns >= 80 { #expect(lines.filter { $0.count > columns } == [], "\(command)") }
        }
    }

    /// Two to four, at the end, each of them a call of this very command or one below it.
    @Test func everyCommandHasExamplesThatParse() throws {
        for command in HelpTests.commands {
            let text = try HelpTests.help(command, columns: 80)
            let examples = HelpText.examples(in: text)
            #expect((2...4).contains(examples.count), "\(command): \(examples)")
            #expect(text.split(separator: "\n").last?.contains(examples.last ?? "?") == true, "\(command)")
            for example in examples {
                // What comes before a pipe and what stands behind "<" are others' words.
                let last = example.split(separator: "|").last ?? ""
                let call = ShellLine.words(String(last.split(separator: "<").first ?? "")).drop {
                    $0 != "hubpair"
                }
                let arguments = Array(call.dropFirst())
                #expect(
                    command.isEmpty || CommandPath(arguments).words.starts(with: command)
                        || isDefault(arguments, command), "\(example)")
                do {
                    _ = try Hubpair.parseAsRoot(arguments)
                } catch {
                    #expect(arguments == ["pair"], "\(example): \(Hubpair.message(for: error))")
                }
            }
        }
    }

    /// `hubpair hubs` is an example of `hubs list`, and `hubpair hub` of `hub show`.
    private func isDefault(_ arguments: [String], _ command: [String]) -> Bool {
        ["list", "show", "status"].contains(command.last)
            && CommandPath(arguments).words == command.dropLast()
    }

    /// One form for every default, in the lines of options and arguments.
    @Test func defaultsAreSaidInOneWay() throws {
        for command in HelpTests.commands {
            let text = try HelpTests.help(command, columns: 100)
            let parts = text.split(separator: "\n\n").filter {
                $0.hasPrefix("OPTIONS:") || $0.hasPrefix("ARGUMENTS:")
            }
            for part in parts {
                let line = part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let said = line.ranges(of: "default").count
                #expect(line.ranges(of: "(default: ").count == said, "\(command): \(line)")
                for other in ["; else", "unless told", "otherwise", " Else "] {
                    #expect(!line.contains(other), "\(command): \(other)")
                }
            }
        }
    }

    /// A device is what a hub lets in; what runs hubpair is a computer, what a hub controls an appliance.
    @Test func deviceMeansOneThing() throws {
        for command in HelpTests.commands {
            let text = try HelpTests.help(command, columns: 100).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(!text.contains("this device") && !text.contains("This device"), "\(command)")
            if command.first == "home" {
                let others = text.replacing("'Device 0'", with: "").lowercased()
                #expect(!others.contains("device"), "\(command)")
            }
        }
    }

    @Test func commandsAreInGroups() throws {
        let lines = try HelpTests.help([], columns: 80).split(separator: "\n")
        for heading in ["ON THE HUB:", "ON THIS COMPUTER:", "AT HOME:", "TROUBLE:", "EXAMPLES:"] {
            #expect(lines.contains { $0 == heading }, "\(heading)")
        }
        #expect(!lines.contains { $0.contains("SUBCOMMANDS") })
    }

    /// What is no help stays as it is.
    @Test func otherTextIsNotTouched() {
        let script = "#compdef x\nEXAMPLES:\n  a\n\nUSAGE: b\nA SUBCOMMANDS:\n"
        #expect(HelpText.arranged(script, to: 40) == script)
    }

    /// The table of each language has every text of every help, and no other.
    @Test(arguments: Language.all) func everyTextIsTranslated(language: Language) throws {
        let table = TextTable(language.lines(.help))
        var used: Set = ["values", "default", "(default)", HelpText.reporting]
        for command in HelpTests.commands {
            let text = try HelpTests.help(command, columns: TranslatedHelp.columns)
            let help = TranslatedHelp(text, table)
            used.formUnion(help.texts)
            let lines = help.text(width: 80).split(separator: "\n")
            #expect(lines.filter { $0.count > 80 } == [], "\(command)")
            #expect(lines.contains { $0.contains(": hubpair") }, "\(command)")
        }
        #expect(used.filter { table.exactly($0) == nil }.sorted() == [])
        #expect(table.texts.filter { !used.contains($0) }.sorted() == [])
    }

    @Test(arguments: [
        ("USAGE: a [--b <c> ...] [--d] <e>", 40, "USAGE: a [--b <c> ...] [--d] <e>"),
        ("USAGE: a [--b <c> ...] [--d] <e>", 28, "USAGE: a [--b <c> ...] [--d]\n    <e>"),
        ("USAGE: a [--b <c> ...] [--d] <e>", 20, "USAGE: a\n    [--b <c> ...]\n    [--d] <e>"),
        ("USAGE: a [--b <c> ...] [--d] <e>", 2, "USAGE:\n    a\n    [--b <c> ...]\n    [--d]\n    <e>"),
    ])
    func usageIsBrokenBetweenArguments(line: String, width: Int, text: String) {
        #expect(HelpText.wrapped(line, to: width) == text)
    }
}
