import Home
import Identity

/// What people type in the place of a command, and what they mean by it.
enum CommandSynonyms {
    enum Meaning {
        /// Another command; what stands behind the word stands behind it, too.
        case command(String)
        /// A sentence: the word itself is part of it (`turn the lamp off`).
        case sentence
        /// `on Lamp`: the setting comes last.
        case setting
        /// Nothing that one command does; how it is done.
        case advice(String)
    }

    private typealias Row = (words: String, meaning: Meaning)

    /// By the words before, without `hubpair`.
    private static let tables: [String: [Row]] = [
        "": root, "codes": codes, "hub": hub, "hubs": hubs, "devices": devices, "home": home,
        "home scene": scene, "messages": messages,
    ]

    private static let leave =
        "here: 'hubpair hubs forget HUB'; on the hub: 'hubpair devices revoke DEVICE'"

    private static let root: [Row] = [
        ("find discover ls search browse", .command("list")),
        ("qr code ticket issue invite", .command("print")),
        ("init install configure create", .command("setup")),
        ("status check diagnose health test debug", .command("doctor")),
        ("start run daemon server up", .command("serve")),
        ("stop down", .advice("Ctrl-C ends 'hubpair serve'; a service: sudo systemctl stop hubpair")),
        ("restart reload", .advice("end 'hubpair serve' with Ctrl-C, and start it again")),
        ("version", .advice("did you mean 'hubpair --version'?")),
        (
            "completion completions",
            .advice("did you mean 'hubpair --generate-completion-script bash'? zsh and fish as well")
        ),
        ("connect join link enroll login", .command("pair")),
        ("read decode", .command("scan")),
        ("unpair leave disconnect logout", .advice(leave)),
        (
            "remove delete rm",
            .advice(
                "'hubpair hubs forget HUB', 'hubpair devices revoke DEVICE' or "
                    + "'hubpair home remove APPLIANCE'"
            )
        ),
        ("add", .advice("'hubpair hubs add NAME HOST' adds a hub, 'hubpair home add' an appliance")),
        (
            "rename",
            .advice(
                "'hubpair hubs rename HUB NAME', 'hubpair devices rename DEVICE NAME' or "
                    + "'hubpair home rename APPLIANCE NAME'")
        ),
        ("forget", .command("hubs forget")), ("use", .command("hubs use")),
        ("reset", .command("hubs reset")),
        ("backup export", .command("hub backup")), ("restore import", .command("hub restore")),
        ("approve allow accept", .command("devices approve")),
        ("revoke deny block reject ban", .command("devices revoke")), ("prune", .command("devices prune")),
        ("void cancel", .command("codes void")), ("role roles", .command("devices role")),
        ("device clients client", .command("devices")),
        ("get put post patch", .sentence), ("request curl", .command("call")),
        ("set", .command("home set")), ("say", .command("home say")), ("watch", .command("home watch")),
        ("off on", .setting), ("turn switch dim", .sentence),
        ("toggle", .advice(toggle)),
        ("scene scenes", .command("home scene")), ("show", .command("home show")),
        ("room rooms", .command("home room")), ("unit units", .command("home unit")),
        ("rule rules", .command("home rule")),
        ("overview", .command("home overview")), ("history", .command("home history")),
        ("message alarms alerts notifications inbox", .command("messages")),
        ("acknowledge ack", .command("messages acknowledge")),
        ("appliances appliance lights things", .command("home")),
    ]

    /// The hub of this machine, in the place of those that it knows.
    private static let hub: [Row] = [
        ("list ls", .command("hubs list")), ("info", .command("hub show")),
        ("use", .command("hubs use")),
        ("add", .command("hubs add")), ("rename", .command("hubs rename")),
        ("forget remove delete", .command("hubs forget")),
        ("save export dump", .command("hub backup")), ("load import", .command("hub restore")),
    ]

    private static let codes: [Row] = [
        ("revoke delete remove rm cancel forget", .command("codes void")),
        ("ls show", .command("codes list")),
        ("print new add make", .command("print")),
    ]

    private static let hubs: [Row] = [
        ("remove delete rm unpair leave", .command("hubs forget")),
        ("info describe get", .command("hubs show")), ("ls", .command("hubs list")),
        ("default select switch", .command("hubs use")), ("name", .command("hubs rename")),
        ("new", .command("hubs add")), ("clear", .command("hubs reset")),
        ("find discover scan search", .advice("'hubpair list' finds the hubs on the network")),
        ("pair connect join", .command("pair")),
    ]

    private static let devices: [Row] = [
        ("delete remove rm deny block ban reject forget", .command("devices revoke")),
        ("accept allow permit", .command("devices approve")),
        ("new pair invite", .advice("'hubpair print' makes a code that lets one in")),
        ("ls show", .command("devices list")), ("name", .command("devices rename")),
        ("roles promote demote grant rights permissions", .command("devices role")),
    ]

    private static let home: [Row] = [
        ("turn switch dim", .sentence), ("toggle", .advice(toggle)),
        ("status state ls", .command("home")), ("get info", .command("home show")),
        ("delete rm", .command("home remove")), ("name", .command("home rename")),
        ("new", .command("home add")),
        ("scenes", .command("home scene")), ("follow monitor", .command("home watch")),
        ("tell speak", .command("home say")),
        ("rooms area areas", .command("home room")), ("rules alarm alarms", .command("home rule")),
        ("summary dashboard", .command("home overview")), ("log past graph plot", .command("home history")),
    ]

    private static let scene: [Row] = [
        ("delete rm forget", .command("home scene remove")),
        ("play start activate apply load restore use", .command("home scene run")),
        ("store add create new record", .command("home scene save")),
        ("change edit put", .command("home scene set")),
        ("ls", .command("home scene list")), ("get info", .command("home scene show")),
    ]

    private static let messages: [Row] = [
        ("unread new", .command("messages --list unread")), ("alarms", .command("messages --list alarms")),
        ("alerts", .command("messages --list alerts")),
        ("notifications notices", .command("messages --list notifications")),
        ("all ls show", .command("messages")), ("follow tail monitor", .command("messages watch")),
        ("ack confirm", .command("messages acknowledge")),
    ]

    private static let toggle = "there is no toggle: 'hubpair home set APPLIANCE on', or off"

    /// All words with a meaning below `parent`; for the tests.
    static func words(below parent: [String]) -> [String] {
        (tables[parent.joined(separator: " ")] ?? []).flatMap {
            $0.words.split(separator: " ").map(String.init)
        }
    }

    /// What is meant by `word` behind the words `parent` and before `rest`; nil if it is not known.
    static func hint(for word: String, below parent: [String], before rest: [String]) -> String? {
        let lowered = word.lowercased()
        let meaning = (tables[parent.joined(separator: " ")] ?? []).first {
            $0.words.split(separator: " ").contains(lowered[...])
        }?.meaning
        switch meaning {
        case .command(let command):
            let words = command.split(separator: " ").map(String.init)
            return SuggestedLine.question([CommandPath.line(words, rest)])
        case .sentence where ["get", "put", "post", "patch"].contains(lowered):
            return SuggestedLine.question([CommandPath.line(["call"], [word.uppercased()] + rest)])
        case .sentence: return SuggestedLine.question([CommandPath.line(["home", "say"], [word] + rest)])
        case .setting:
            guard let line = setting(lowered, rest) else {
                return SuggestedLine.question([CommandPath.line(["home", "set"], ["APPLIANCE", lowered])])
            }
            return SuggestedLine.question([line])
        case .advice(let text): return text
        case nil: return nil
        }
    }

    /// `on Kitchen light`: the name is several words perhaps, and the setting comes last.
    private static func setting(_ setting: String, _ rest: [String]) -> SuggestedLine? {
        let name = rest.prefix { !$0.hasPrefix("-") }
        guard !name.isEmpty else { return nil }
        return CommandPath.line(
            ["home", "set"], [name.joined(separator: " "), setting] + rest.dropFirst(name.count))
    }

    /// `home Lamp`, `home Lamp on`: the name of an appliance in the place of a command.
    static func appliance(_ words: [String]) -> String? {
        guard words.count > 1, !words.contains(""), let last = words.last, (try? Setting(last)) != nil else {
            return nil
        }
        let name = words.dropLast().joined(separator: " ")
        return SuggestedLine.question([CommandPath.line(["home", "set"], [name, last])])
    }
}
