import Home
import HubClient
import Identity
import Pairing

/// A word more than the command takes, or one that it lacks.
struct StrayArgument: Equatable, UserError {
    let description: String
    let hint: String?
    var kind: UserErrorKind { .usage }

    /// Nil if the command that the arguments name takes as many words.
    init?(in arguments: [String]) {
        let path = CommandPath(arguments)
        let form = path.form
        let values = CommandWords(path.rest, form: form).values
        if path.words == ["home", "set"], !form.hasStandIn(path.rest),
            values.count < form.valueCount.lowerBound
        {
            description =
                values.isEmpty
                ? "missing: the appliance, and what to set it to" : "missing: what to set it to"
            hint = CommandPath.line(["home", "set"], values + ["on"]).description
            return
        }
        guard values.count > form.valueCount.upperBound else { return nil }
        let stray = values[form.valueCount.upperBound]
        if values.contains("") {
            description = "an argument is empty"
            hint = "see '\(path.text) --help'"
            return
        }
        if let meant = StrayArgument.equalsSign(in: path.rest, form) {
            description = "unexpected argument '='"
            hint = OptionSpelling.question(meant)
            return
        }
        if let (word, meant) = StrayArgument.option(in: values, path, form) {
            description = "unexpected argument '\(word)'"
            hint =
                meant.map(OptionSpelling.question)
                ?? "options begin with '-' as it is on the keyboard; see '\(path.text) --help'"
            return
        }
        switch path.words {
        case ["list"]:
            description = "'hubpair list' takes no name"
            hint = "'hubpair list' alone shows all hubs"
        case ["home", "off"], ["home", "on"]:
            let word = path.words[1]
            description = "'home \(word)' takes --room, --type or --all, and no name"
            let line = CommandPath.line(["home", "set"], [values.joined(separator: " "), word])
            hint = "one appliance: \(line)"
        default:
            description = "unexpected argument '\(stray)'"
            hint = StrayArgument.hint(values, path, form) ?? "see '\(path.text) --help'"
        }
    }

    /// `--port = 8000`: the option as it is typed.
    private static func equalsSign(in words: [String], _ form: CommandForm) -> String? {
        guard let index = words.firstIndex(of: "="), index > 0, index + 1 < words.count,
            let option = form[words[index - 1]], option.takesValue
        else { return nil }
        return "\(words[index - 1])=\(shellWord(words[index + 1], plain: ":%@,+"))"
    }

    /// The first word that is an option in another spelling, and how it is typed; nil for that if the command
    /// has none of that name.
    private static func option(
        in values: [String], _ path: CommandPath, _ form: CommandForm
    ) -> (word: String, meant: String?)? {
        for (index, word) in values.enumerated() {
            // A path of `call` may have an option's name.
            if word.hasPrefix("/"), path.words == ["call"] { continue }
            // Without a dash: an option with its value behind it, or a flag. The last word of a name is
            // neither, as in `pair Kitchen hub`.
            let isFlag = form["--" + word]?.takesValue == false
            let isStray = index >= form.valueCount.upperBound && (isFlag || index + 1 < values.count)
            let meant = OptionSpelling.meant(by: word, in: form, plain: isStray)
            if meant != nil || OptionSpelling.hasForeignDash(word) { return (word, meant) }
        }
        return nil
    }

    private static func hint(_ values: [String], _ path: CommandPath, _ form: CommandForm) -> String? {
        switch path.words {
        case ["setup"]:
            // An address or a port is not the hub's name.
            let isName =
                values.contains { $0.contains(where: \.isLetter) } && !values.contains { $0.contains("/") }
            guard isName else { return nil }
            return SuggestedLine.question([
                CommandPath.line(["setup"], ["--name", values.joined(separator: " ")])
            ])
        case ["print"]
        where values.count == 1
            && [".png", ".svg", ".pdf", ".txt"].contains(where: values[0].lowercased().hasSuffix):
            return SuggestedLine.question([CommandPath.line(["print"], ["--output"] + values)])
        case ["call"] where values.count == 3 && isMethod(values[1]):
            return "\(CommandPath.line(["call"], ["--hub", values[0]] + values[1...]))"
        case ["pair"]:
            // The first is a picture, and not a part of the hub's name.
            guard !values[0].contains(".") && !values[0].contains("/") else { return nil }
            return NoPicture.hint(values.joined(separator: " "), of: path.command)
        case ["home", "set"]:
            guard let last = values.last, (try? Setting(last)) != nil else { return nil }
            return quotes(["home", "set"], [values.dropLast().joined(separator: " "), last])
        case ["hubs", "use"], ["hubs", "show"], ["hubs", "forget"], ["home", "show"], ["home", "remove"],
            ["devices", "approve"], ["devices", "revoke"], ["home", "scene", "run"],
            ["home", "scene", "show"],
            ["home", "scene", "remove"]:
            // A fingerprint is the whole name.
            guard Fingerprint(values[0]) == nil else { return nil }
            return quotes(path.words, [values.joined(separator: " ")])
        case ["call"]: return nil
        default:
            return form.valueCount.upperBound > 1 ? "put a name with spaces in quotes" : nil
        }
    }

    private static func quotes(_ command: [String], _ rest: [String]) -> String {
        "put a name with spaces in quotes: \(CommandPath.line(command, rest))"
    }

    private static func isMethod(_ word: String) -> Bool {
        ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"].contains(word.uppercased())
    }
}
