import ArgumentParser
import Identity
import Pairing

/// A command line that somebody may have meant: one that can be typed, with words in capitals to be replaced.
struct SuggestedLine: Equatable, CustomStringConvertible {
    /// Longer than two rows of a terminal it is no help.
    private static let maximumByteCount = 160

    /// Without `hubpair`.
    let arguments: [String]

    /// What a command needs at least, with what is to be replaced in capitals.
    private static let samples: [String: [String]] = [
        "scan": ["IMAGE"], "call": ["GET", "/devices/"],
        "codes void": ["CODE"], "devices prune": ["--unseen", "180d"],
        "devices approve": ["DEVICE"], "devices revoke": ["DEVICE"], "devices rename": ["DEVICE", "NAME"],
        "devices role": ["DEVICE", "guest"],
        "hubs add": ["NAME", "HOST"], "hubs use": ["HUB"], "hubs rename": ["HUB", "NAME"],
        "hubs forget": ["HUB"],
        "hub backup": ["FILE"], "hub restore": ["FILE"], "home show": ["APPLIANCE"],
        "home set": ["APPLIANCE", "on"], "home off": ["--all"], "home on": ["--room", "ROOM"],
        "home rename": ["APPLIANCE", "NAME"], "home remove": ["APPLIANCE"],
        "home room add": ["ROOM"], "home room put": ["ROOM", "APPLIANCE"],
        "home room out": ["APPLIANCE"], "home room rename": ["ROOM", "NAME"],
        "home room remove": ["ROOM"], "home history": ["APPLIANCE"], "home unit": ["APPLIANCE"],
        "home rule add": ["RULE", "APPLIANCE", "--when", "on"], "home rule remove": ["RULE"],
        "messages read": ["all"], "messages acknowledge": ["NUMBER"],
        "home scene": ["list"], "home scene save": ["NAME"], "home scene run": ["NAME"],
        "home scene show": ["NAME"], "home scene remove": ["NAME"],
        "home scene set": ["NAME", "APPLIANCE", "on"], "home scene out": ["NAME", "APPLIANCE"],
        "home scene at": ["NAME", "07:30"], "home scene upload": ["--all"],
    ]

    private init(_ arguments: [String]) { self.arguments = arguments }

    /// The words of a command with these arguments behind them, or with a sample of what it takes if they do
    /// not fit.
    ///
    /// - Parameter isCall: whether arguments, without `hubpair`, have their command's form.
    init(_ command: [String], _ rest: [String], isCall: ([String]) -> Bool) {
        let whole = SuggestedLine(command + rest)
        let fits = !rest.isEmpty && whole.isSayable && isCall(whole.arguments)
        self = fits ? whole : SuggestedLine(sample: command)
    }

    /// The same for a command that is at hand, and has none below it.
    init(_ command: [String], _ rest: [String], of type: any ParsableCommand.Type) {
        self.init(command, rest) { _ in CommandForm(type).takes(rest) }
    }

    /// The words of a command with a sample of what it takes.
    init(sample command: [String]) {
        self.init(command + (SuggestedLine.samples[command.joined(separator: " ")] ?? []))
    }

    /// As it is typed at a shell.
    var description: String {
        // No shell reads anything into these behind the first word.
        (["hubpair"] + arguments.map { shellWord($0, plain: ":%@,+") }).joined(separator: " ")
    }

    /// `did you mean 'hubpair list'?`
    static func question(_ lines: [SuggestedLine]) -> String {
        let texts = lines.map(\.description)
        // Quotation marks around quotation marks could not be pasted.
        guard !texts.contains(where: { $0.contains("'") }) else {
            return "did you mean: " + texts.joined(separator: ", or: ")
        }
        return "did you mean " + texts.map { "'\($0)'" }.joined(separator: " or ") + "?"
    }

    /// False if it would be shown otherwise than it must be typed, or has an empty word, which none takes.
    private var isSayable: Bool {
        guard arguments.allSatisfy({ !$0.isEmpty && !$0.hasSuffix("=") }) else { return false }
        let text = description
        return text.utf8.count <= SuggestedLine.maximumByteCount && SafeText.escaped(text) == text
    }
}
