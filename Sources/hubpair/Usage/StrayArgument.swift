import Home
import HubClient
import Identity
import QRCodes

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
        if path.words == ["home", "set"], values.count < form.valueCount.lowerBound {
            description =
                values.isEmpty
                ? "missing: the appliance, and what to set it to" : "missing: what to set it to"
            hint = SuggestedLine(["home", "set"], values + ["on"]).description
            return
        }
        guard values.count > form.valueCount.upperBound else { return nil }
        let stray = values[form.valueCount.upperBound]
        switch path.words {
        case ["list"]:
            description = "'hubpair list' takes no name"
            hint = "'hubpair list' alone shows all hubs"
        case ["home", "off"]:
            description = "'home off' takes --type or --all, and no name"
            hint = "one appliance: \(SuggestedLine(["home", "set"], [values.joined(separator: " "), "off"]))"
        default:
            description = "unexpected argument '\(stray)'"
            hint = StrayArgument.hint(values, path, form) ?? "see '\(path.text) --help'"
        }
    }

    private static func hint(_ values: [String], _ path: CommandPath, _ form: CommandForm) -> String? {
        switch path.words {
        case ["setup"]:
            return SuggestedLine.question([
                SuggestedLine(["setup"], ["--name", values.joined(separator: " ")])
            ])
        case ["print"] where values.count == 1 && values[0].contains("."):
            return SuggestedLine.question([SuggestedLine(["print"], ["--output"] + values)])
        case ["call"] where values.count == 3 && isMethod(values[1]):
            return "\(SuggestedLine(["call"], ["--hub", values[0]] + values[1...]))"
        case ["pair"]: return NoPicture.hint(values.joined(separator: " "))
        case ["home", "set"]:
            guard let last = values.last, (try? Setting(last)) != nil else { return nil }
            return quotes(["home", "set"], [values.dropLast().joined(separator: " "), last])
        case ["hubs", "use"], ["hubs", "show"], ["hubs", "forget"], ["home", "show"], ["home", "remove"],
            ["devices", "approve"], ["devices", "revoke"], ["home", "scene", "run"],
            ["home", "scene", "show"],
            ["home", "scene", "remove"]:
            return quotes(path.words, [values.joined(separator: " ")])
        default:
            return form.valueCount.upperBound > 1 ? "put a name with spaces in quotes" : nil
        }
    }

    private static func quotes(_ command: [String], _ rest: [String]) -> String {
        "put a name with spaces in quotes: \(SuggestedLine(command, rest))"
    }

    private static func isMethod(_ word: String) -> Bool {
        ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"].contains(word.uppercased())
    }
}

/// A file that does not exist was given to `pair`: perhaps the place of a hub, and not a picture of its code.
struct NoPicture: Equatable, UserError {
    let text: String
    let hint: String?
    var description: String { "\(text): no such file" }
    var kind: UserErrorKind { .noInput }

    init(_ text: String) {
        self.text = text
        hint = NoPicture.isPlace(text) ? NoPicture.hint(text) : InputFileError.missing.hint
    }

    static func hint(_ text: String) -> String {
        "'pair' takes the picture of the code; the hub goes behind --hub: "
            + "\(SuggestedLine(["pair"], ["--hub", place(text)]))"
    }

    /// An address, a URL, or words as in a name; a file's name has an ending.
    private static func isPlace(_ text: String) -> Bool {
        if text.contains("://") { return true }
        if let address = HubAddress(text), case .address = address.host { return true }
        return !text.contains(".") && !text.contains("/")
    }

    /// The host and the port of a URL.
    private static func place(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        return String(text[scheme.upperBound...].prefix { $0 != "/" })
    }
}
