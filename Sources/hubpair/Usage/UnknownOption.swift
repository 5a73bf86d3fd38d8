import ArgumentParser
import Identity
import Pairing

/// An option that the command does not have. It is reported before anything that is missing: what is missing
/// may be what the option was meant to be.
enum UnknownOption {
    /// Hyphens and dashes of Unicode, and the minus sign: they come from web pages and word processors.
    private static let dashes: Set<Character> = [
        "\u{2010}", "\u{2011}", "–", "—", "\u{2012}", "\u{2015}", "−",
    ]
    /// Quotation marks that no shell takes away.
    private static let quotes: Set<Character> = ["“", "”", "„", "‘", "’", "«", "»"]

    /// What belongs to the hub and not to one run of it, each with a value.
    private static let hubSettings = [
        "--port": "9000", "--upstream": "https://127.0.0.1:8443", "--name": "Kitchen",
    ]

    private static func hubSetting(_ name: String) -> (name: String, sample: String)? {
        let name = name == "-p" ? "--port" : name
        return hubSettings[name].map { (name, $0) }
    }

    /// Nil if the command that the arguments name has all their options.
    static func mistake(in arguments: [String]) -> UsageMistake? {
        let isHelp = arguments.first == "help"
        let path = CommandPath(isHelp ? Array(arguments.dropFirst()) : arguments)
        let form = isHelp ? CommandForm(Hubpair.self) : path.form
        guard let name = CommandWords(path.rest, form: form).unknownOption else { return nil }
        return mistake(name, hint: isHelp ? path.seeHelp : hint(for: name, path, form))
    }

    /// The first word that is an option's long name behind one dash; nil if there is none. ArgumentParser
    /// would read it as several flags: `-each` has the h of help, and `-output` is `-o` with a file called
    /// utput.
    static func mistake(behindOneDash path: CommandPath) -> UsageMistake? {
        let words = path.rest.prefix { $0 != "--" }
        guard words.contains(where: isOneDash) else { return nil }
        let form = path.form
        // A value may look so.
        let found = zip([""] + words, words).first { before, word in
            isOneDash(word) && form["-" + word.prefix { $0 != "=" }] != nil
                && form[before]?.takesValue != true
        }
        return found.map { mistake($0.1, hint: hint(for: $0.1, path, form)) }
    }

    private static func isOneDash(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.count > 3
    }

    private static func mistake(_ name: String, hint: String) -> UsageMistake {
        UsageMistake("unknown option '\(name)'", hint: hint)
    }

    private static func hint(for name: String, _ path: CommandPath, _ form: CommandForm) -> String {
        // `home set Lamp --on`
        if ["--on", "--off"].contains(name), let line = alone(name, path, form) {
            return "it stands alone: \(line)"
        }
        if let hint = OptionSynonyms.hint(for: name, of: path.words, form) { return hint }
        if path.words == ["serve"], let (name, sample) = hubSetting(name) {
            return "it is the hub's own: 'hubpair setup --change \(name) \(sample)'; "
                + "then start 'hubpair serve' again"
        }
        if path.words.first == "messages", Int(name) != nil {
            return "'hubpair messages' lists them with their numbers"
        }
        if let digit = name.dropFirst().first, ("0"..."9").contains(digit), form.mostValues > 0 {
            return "a word that begins with '-' stands behind '--'"
                + (CommandPath.isCall(path.words + ["--", name])
                    ? ": \(path.text) -- \(shellWord(name))" : "")
        }
        if let meant = meant(by: name, in: form) { return question(meant) }
        // `hubpair --list`, `codes --delete ABCD`
        let command = String(name.drop { $0 == "-" })
        if name.hasPrefix("--"), path.rest.first == name, !path.command.configuration.subcommands.isEmpty {
            let rest = Array(path.rest.dropFirst())
            if CommandPath.subcommand(command, of: path.command) != nil {
                return SuggestedLine.question(SuggestedLine(path.words + [command], rest))
            }
            if let hint = CommandSynonyms.hint(for: command, below: path.words, before: rest) { return hint }
        }
        // `home set Lamp on --for 10m`
        if path.words == ["home", "set"], CommandPath.isCall(["home", "timer"] + path.rest) {
            return SuggestedLine.question(SuggestedLine(["home", "timer"], path.rest))
        }
        if let line = alone(name, path, form) { return "it stands alone: \(line)" }
        // Two letters of a short option say nothing.
        let near =
            name.hasPrefix("--")
            ? Orthography.slips(
                of: String(name.dropFirst(2)), among: form.options.map { String($0.name.dropFirst(2)) }) : []
        if !near.isEmpty { return "did you mean " + near.map { "'--\($0)'" }.joined(separator: " or ") + "?" }
        return (path.words.isEmpty ? "options stand behind the command; " : "") + path.seeHelp
    }

    /// `devices role tablet --role guest`, `home set Lamp --on`: what the command takes without a name; nil
    /// if it takes no such thing.
    private static func alone(_ name: String, _ path: CommandPath, _ form: CommandForm) -> SuggestedLine? {
        guard name.hasPrefix("--"), form.mostValues > 0,
            let index = path.rest.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") })
        else { return nil }
        let bare = String(name.dropFirst(2))
        var rest = path.rest
        var value = rest.remove(at: index)
        if Role(rawValue: bare) != nil || ["on", "off"].contains(bare) {
            value = bare
        } else if value != name {
            value = String(value.dropFirst(name.count + 1))
        } else if index < rest.count, !rest[index].hasPrefix("-") {
            value = rest.remove(at: index)
        } else {
            return nil
        }
        if ["brightness", "level", "dim"].contains(bare), Int(digits: value) != nil { value += "%" }
        let values = CommandWords(rest, form: form).values
        let named = form.arguments.firstIndex(of: bare) ?? (subjects.contains(bare) ? 0 : nil)
        guard let place = named ?? (objects.contains(bare) || value == bare ? values.count : nil) else {
            return nil
        }
        let end = place < values.count ? rest.firstIndex(of: values[place]) ?? rest.count : rest.count
        rest.insert(value, at: end)
        let line = SuggestedLine(path.words, rest)
        return line.arguments == path.words + rest ? line : nil
    }

    /// What is to be done, which stands last.
    private static let objects: Set<String> = [
        "value", "setting", "state", "to", "older-than", "brightness", "level", "dim", "text", "sentence",
        "new-name", "time", "at", "url", "upstream", "path", "code", "image", "file",
    ]

    /// What an order is about, which stands first.
    private static let subjects: Set<String> = [
        "device", "appliance", "entity", "entity-id", "id", "target", "lamp", "hub", "scene", "rule", "room",
        "name",
    ]

    /// The option that is meant by one in another spelling, with its value if that is in the same word: with
    /// one dash (`-json`), with another (`–json`), as other systems have it (`/json`), without (`json`), with
    /// a colon (`--paper:a4`). Nil if the command has none of that name.
    ///
    /// - Parameter plain: true if a word without a dash may be one too.
    static func meant(by word: String, in form: CommandForm, plain: Bool = false) -> String? {
        let unquoted = String(word.filter { !quotes.contains($0) })
        let bare = unquoted.drop { $0 == "-" || dashes.contains($0) }
        let text = bare.count == unquoted.count && unquoted.hasPrefix("/") ? bare.dropFirst() : bare
        guard plain || text.count < unquoted.count else { return nil }
        let name = text.prefix { $0 != "=" && $0 != ":" }
        let value = text.dropFirst(name.count + 1)
        guard let option = form["--" + name.lowercased()] else {
            // `–o`
            return name.count == 1 && text.count < unquoted.count && form["-\(name)"] != nil
                ? "-\(name)" : nil
        }
        let meant =
            option.takesValue && (1...80).contains(value.utf8.count)
            ? "\(option.name)=\(shellWord(String(value), plain: ":%@,+"))" : option.name
        return meant == word ? nil : meant
    }

    /// `did you mean '--json'?`, without quotation marks around quotation marks.
    static func question(_ meant: String) -> String {
        meant.contains("'") ? "did you mean: \(meant)" : "did you mean '\(meant)'?"
    }

    /// True for a word that begins with a dash other than `-`: it came from a web page, and is no name.
    static func hasForeignDash(_ word: String) -> Bool { word.first.map(dashes.contains) ?? false }
}
