import ArgumentParser
import Identity
import JSON
import Testing

@testable import hubpair

/// Words in place of others: what is meant by them, and what is said.
@Suite struct SuggestionTests {
    /// The error for a line of words between spaces; `'a b'` is one word.
    static func error(_ line: String) -> (any UserError)? {
        do {
            _ = try Invocation.command(from: ShellLine.words(line))
            return nil
        } catch {
            return error as? any UserError
        }
    }

    @Test(arguments: [
        ("lst", "did you mean 'hubpair list'?"), ("lst --json", "did you mean 'hubpair list --json'?"),
        ("HUBS use Attic", "did you mean 'hubpair hubs use Attic'?"),
        ("homes scene run evening", "did you mean 'hubpair home scene run evening'?"),
        ("code list --all", "did you mean 'hubpair codes list --all'?"),
        ("hub_backup x.age", "did you mean 'hubpair hub backup x.age'?"),
        ("hubsforget Attic", "did you mean 'hubpair hubs forget Attic'?"),
        ("devices laptop revoke", "did you mean 'hubpair devices revoke laptop'?"),
        ("hubpair doctor --all", "did you mean 'hubpair doctor --all'?"),
        ("sudo print --plain", "sudo comes first: sudo hubpair print --plain"),
        ("home sett Lamp on", "did you mean 'hubpair home set Lamp on'?"),
        ("codes list -all", "did you mean '--all'?"), ("print -output x.png", "did you mean '--output'?"),
        ("list –json", "did you mean '--json'?"), ("list /watch", "did you mean '--watch'?"),
        ("print –o x.png", "did you mean '-o'?"),
        ("home off all", "did you mean '--all'?"),
        ("print --paper:a4", "did you mean '--paper=a4'?"),
        ("setup --port = 8000", "did you mean '--port=8000'?"),
        ("list –foo", "options begin with '-' as it is on the keyboard; see 'hubpair list --help'"),
        ("setup 192.168.1.20", "see 'hubpair setup --help'"),
        ("setup /upstream x", "did you mean '--upstream'?"),
        (
            "pair My hub",
            "'pair' takes the picture of the code; the hub goes behind --hub: hubpair pair --hub 'My hub'"
        ),
        ("pair photo.jpg please", "did you mean 'hubpair pair photo.jpg'?"),
        ("help scan --raw", "see 'hubpair scan --help'"),
        ("help lst", "did you mean 'hubpair list'?"),
        ("hubs ad Attic 192.0.2.1", "did you mean 'hubpair hubs add Attic 192.0.2.1'?"),
        ("devices aprove X", "did you mean 'hubpair devices approve X'?"),
        ("devices aprove", "did you mean 'hubpair devices approve DEVICE'?"),
        ("home scene sav", "did you mean 'hubpair home scene save NAME'?"),
        ("unpair", "here: 'hubpair hubs forget HUB'; on the hub: 'hubpair devices revoke DEVICE'"),
        ("set Lamp on", "did you mean 'hubpair home set Lamp on'?"),
        ("set Lamp", "did you mean 'hubpair home set Lamp on'?"),
        ("say lamp off", "did you mean 'hubpair home say lamp off'?"),
        ("scene run evening", "did you mean 'hubpair home scene run evening'?"),
        ("scene", "did you mean 'hubpair home scene list'?"), ("watch", "did you mean 'hubpair home watch'?"),
        ("off Lamp", "did you mean 'hubpair home set Lamp off'?"),
        ("turn the lamp off", "did you mean 'hubpair home say turn the lamp off'?"),
        ("approve X", "did you mean 'hubpair devices approve X'?"),
        ("revoke X", "did you mean 'hubpair devices revoke X'?"),
        ("find", "did you mean 'hubpair list'?"), ("discover", "did you mean 'hubpair list'?"),
        ("ls", "did you mean 'hubpair list'?"), ("qr", "did you mean 'hubpair print'?"),
        ("code", "did you mean 'hubpair print'?"), ("init", "did you mean 'hubpair setup'?"),
        ("status", "did you mean 'hubpair doctor'?"), ("start", "did you mean 'hubpair serve'?"),
        ("version", "did you mean 'hubpair --version'?"),
        ("get /devices/", "did you mean 'hubpair call GET /devices/'?"),
        ("hubs remove Attic", "did you mean 'hubpair hubs forget Attic'?"),
        ("hubs delete Attic", "did you mean 'hubpair hubs forget Attic'?"),
        ("hubs info", "did you mean 'hubpair hubs show'?"), ("hubs ls", "did you mean 'hubpair hubs list'?"),
        ("devices delete X", "did you mean 'hubpair devices revoke X'?"),
        ("devices deny X", "did you mean 'hubpair devices revoke X'?"),
        ("devices invite", "'hubpair print' makes a code that lets one in"),
        ("home scene delete evening", "did you mean 'hubpair home scene remove evening'?"),
        ("home on Lamp", "a room: hubpair home on --room Lamp; one appliance: hubpair home set Lamp on"),
        (
            "home on Kitchen light",
            "a room: hubpair home on --room 'Kitchen light'; one appliance: "
                + "hubpair home set 'Kitchen light' on"
        ),
        ("home toggle Lamp", "there is no toggle: 'hubpair home set APPLIANCE on', or off"),
        ("home status", "did you mean 'hubpair home'?"),
        ("home Lamp on", "did you mean 'hubpair home set Lamp on'?"),
        ("home off Lamp", "a room: hubpair home off --room Lamp; one appliance: hubpair home set Lamp off"),
        ("home set Lamp", "hubpair home set Lamp on"), ("home set", "hubpair home set APPLIANCE on"),
        (
            "home set Bathroom ceiling light on",
            "put a name with spaces in quotes: hubpair home set 'Bathroom ceiling light' on"
        ),
        ("hubs use Kitchen hub", "put a name with spaces in quotes: hubpair hubs use 'Kitchen hub'"),
        ("list Kitchen", "did you mean 'hubpair list --name Kitchen'?"),
        ("setup Kitchen", "did you mean 'hubpair setup --name Kitchen'?"),
        ("setup Kitchen hub", "did you mean: hubpair setup --name 'Kitchen hub'"),
        ("print code.png", "did you mean 'hubpair print --output code.png'?"),
        ("call 'Kitchen hub' GET /devices/", "hubpair call --hub 'Kitchen hub' GET /devices/"),
        ("list --foo", "see 'hubpair list --help'"), ("print --ttl 5m", "did you mean '--expires'?"),
        ("print --copies 3", "did you mean '--sheet'?"), ("print --formt png", "did you mean '--format'?"),
        ("print --png", "did you mean '--format png'?"),
        ("pair --code X", "'hubpair pair' asks for it"), ("home off --force", "did you mean '--yes'?"),
        ("pair --foo", "see 'hubpair pair --help'"),
        ("devices revoke --all", "see 'hubpair devices revoke --help'"),
        ("home set --hbu x", "did you mean '--hub'?"), ("hubs reset --force", "did you mean '--yes'?"),
        ("hubs use -1", "a word that begins with '-' stands behind '--': hubpair hubs use -- -1"),
        ("--foo list", "options stand behind the command; see 'hubpair --help'"),
    ])
    func hint(line: String, hint: String) throws {
        let error = try #require(SuggestionTests.error(line), "\(line)")
        #expect(error.hint == hint)
        #expect(ExitStatus(of: error) == .usage)
    }

    /// A likeness to what cannot be undone is no suggestion; a slip of one letter is.
    @Test(arguments: [
        ("hubs rest", nil), ("hubs rese", nil),
        ("home remane Lamp X", "did you mean 'hubpair home rename Lamp X'?"),
        ("devices revok X", "did you mean 'hubpair devices revoke X'?"),
        ("hubs forgt", "did you mean 'hubpair hubs forget HUB'?"),
        ("xyzzy", nil), ("unpairing", nil), ("hubs f", nil),
    ])
    func whatCannotBeUndone(line: String, hint: String?) throws {
        let error = try #require(SuggestionTests.error(line), "\(line)")
        if let hint {
            #expect(error.hint == hint)
        } else {
            #expect(error.hint?.contains("did you mean") == false, "\(error.hint ?? "")")
        }
    }

    /// Options before the command, and between its words.
    @Test(arguments: [
        ("--state D devices", "devices --state D"), ("--json list", "list --json"),
        ("--hub X home", "home --hub X"), ("--config D hubs use X", "hubs use --config D X"),
        ("devices --state D revoke X", "devices revoke --state D X"),
        ("--state=D --json devices list", "devices list --state=D --json"),
        ("--hub home home set Lamp on", "home set --hub home Lamp on"),
        ("-o code.png print", "print -o code.png"), ("--name list setup", "setup --name list"),
        ("--timeout -1 list", "list --timeout -1"), ("home --json set Lamp on", "home set --json Lamp on"),
    ])
    func optionsInFront(line: String, moved: String) {
        #expect(Invocation.moved(ShellLine.words(line)) == ShellLine.words(moved))
    }

    @Test(arguments: [
        "--foo list", "--state devices", "list --json", "--state D", "-- devices", "--hub X list",
        "Lamp --json list",
        "--state D E devices",
    ])
    func notInFront(line: String) {
        #expect(Invocation.moved(ShellLine.words(line)) == nil)
    }

    @Test(arguments: [
        "--state D devices", "--hub X home", "--json list", "devices --state D revoke X", "print -ocode.png",
        "print --sheet 3X8 -o a.pdf", "print --sheet 3×8 -o a.pdf", "list -w", "home set Lamp on",
    ])
    func accepted(line: String) throws {
        _ = try Invocation.command(from: ShellLine.words(line))
    }

    /// Every word of the tables stands for something, and is no command or option itself: else it is never
    /// looked up.
    @Test func everySynonymIsNeeded() throws {
        var parents: [([String], any ParsableCommand.Type)] = [([], Hubpair.self)]
        var count = 0
        while let (words, type) = parents.popLast() {
            let commands = type.configuration.subcommands
            for word in CommandSynonyms.words(below: words) {
                #expect(!commands.contains { $0._commandName == word }, "\(words) \(word)")
                let hint = try #require(CommandSynonyms.hint(for: word, below: words, before: []))
                for line in SuggestedLines.lines(in: hint) {
                    #expect(
                        CommandPath.isCall(line) || SuggestedLines.isForTerminal(line), "\(word): \(line)")
                }
                count += 1
            }
            // CommandForm relies on it.
            #expect(commands.isEmpty || Mirror(reflecting: type.init()).children.isEmpty, "\(words)")
            let form = CommandForm(type)
            if commands.isEmpty { #expect(try Described(type, words) == Described(form), "\(words)") }
            for name in OptionSynonyms.names(for: words) where commands.isEmpty {
                // One that the command has is not looked up; a general row may name it all the same.
                guard form[name] == nil else { continue }
                if let hint = OptionSynonyms.hint(for: name, of: words, form),
                    hint.hasPrefix("did you mean '--"),
                    let meant = hint.split(separator: "'").dropFirst().first?.split(separator: " ").first
                {
                    #expect(form[String(meant)] != nil, "\(words) \(name): \(hint)")
                }
            }
            parents += commands.map { (words + [$0._commandName], $0) }
        }
        #expect(count > 100)
    }
}

/// A command's options and arguments, as ArgumentParser describes them and as `CommandForm` does.
private struct Described: Equatable {
    var options: Set<String> = []
    var valued: Set<String> = []
    var mostValues = 0

    init(_ form: CommandForm) {
        options = Set(form.options.map(\.name))
        valued = Set(form.options.filter(\.takesValue).map(\.name))
        mostValues = form.mostValues
    }

    init(_ type: any ParsableCommand.Type, _ words: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            _ = try type.parseAsRoot(["--experimental-dump-help"])
        }
        let text = Array(type.fullMessage(for: error).utf8)
        let command = try #require(JSONValue(parsing: text)?.asObject?["command"]?.asObject)
        guard case .array(let arguments)? = command["arguments"] else { return }
        for argument in arguments.compactMap(\.asObject) {
            if argument["kind"]?.asString == "positional" {
                let isList = argument["isRepeating"] == .boolean(true)
                mostValues = isList || mostValues == .max ? .max : mostValues + 1
                continue
            }
            let name = try #require(argument["preferredName"]?.asObject?["name"]?.asString)
            options.insert("--" + name)
            if argument["kind"]?.asString == "option" { valued.insert("--" + name) }
        }
        options.formUnion(["--help", "--version"])
    }
}

/// Words of a shell's line: quotation marks, and what stands behind a backslash outside them.
enum ShellLine {
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\\" {
                isEscaped = true
            } else if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}

/// The command lines in a hint, without `hubpair`.
enum SuggestedLines {
    static func lines(in hint: String) -> [[String]] {
        // Lines that stand for themselves end with the hint; they may hold quotation marks.
        if let start = ["did you mean: hubpair ", "in quotes: hubpair ", ": hubpair "].compactMap({
            hint.firstRange(of: $0)
        })
        .first {
            return String(hint[start.upperBound...]).split(separator: ", or: hubpair ").map {
                ShellLine.words(String($0))
            }
        }
        if hint.hasPrefix("hubpair ") { return [Array(ShellLine.words(hint).dropFirst())] }
        let parts = hint.split(separator: "'", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
            .filter { $0.hasPrefix("hubpair") }.map { Array(ShellLine.words($0).dropFirst()) }
    }

    /// `pair` without a picture asks, and refuses where nobody can answer.
    static func isForTerminal(_ line: [String]) -> Bool { line.first == "pair" || line.first == "--version" }
}
