/// What people type in the place of a command, and what they mean by it.
enum CommandSynonyms {
    /// By the words before: `the words = the command`. What stands behind a word stands behind its command,
    /// too. `*` is a row of `special`.
    private static let commands = [
        "": """
        find discover ls search browse = list; qr code ticket issue invite = print
        init install configure create = setup; status check diagnose health test debug = doctor
        start run daemon server up = serve; connect join link enroll login = pair; read decode = scan
        forget = hubs forget; use = hubs use; reset = hubs reset; backup export = hub backup
        restore import = hub restore; approve allow accept = devices approve; prune = devices prune
        revoke deny block reject ban = devices revoke; role roles = devices role; void cancel = codes void
        device clients client = devices; request curl = call; set = home set; say = home say
        watch = home watch; scene scenes = home scene; show = home show; room rooms = home room
        unit units = home unit; rule rules = home rule; overview = home overview; history = home history
        message alarms alerts notifications inbox = messages; acknowledge ack = messages acknowledge
        appliances appliance lights things = home; get put post patch = *call; off on = *setting
        turn switch dim = *sentence
        """,
        "codes": """
        revoke delete remove rm cancel forget = codes void; ls show = codes list; print new add make = print
        """,
        // The hub of this machine, in the place of those that it knows.
        "hub": """
        list ls = hubs list; info = hub show; use = hubs use; add = hubs add; rename = hubs rename
        forget remove delete = hubs forget; save export dump = hub backup; load import = hub restore
        """,
        "hubs": """
        remove delete rm unpair leave = hubs forget; info describe get = hubs show; ls = hubs list
        default select switch = hubs use; name = hubs rename; new = hubs add; clear = hubs reset
        pair connect join = pair
        """,
        "devices": """
        delete remove rm deny block ban reject forget = devices revoke; accept allow permit = devices approve
        ls show = devices list; name = devices rename
        roles promote demote grant rights permissions = devices role
        """,
        "home": """
        turn switch dim = *sentence; status state ls = home; get info = home show; delete rm = home remove
        name = home rename; new = home add; scenes = home scene; follow monitor = home watch
        tell speak = home say; rooms area areas = home room; rules alarm alarms = home rule
        summary dashboard = home overview; log past graph plot = home history
        """,
        "home scene": """
        delete rm forget = home scene remove; play start activate apply load restore use = home scene run
        store add create new record = home scene save; change edit put = home scene set
        ls = home scene list; get info = home scene show
        """,
        "messages": """
        unread new = messages --list unread; alarms = messages --list alarms; all ls show = messages
        alerts = messages --list alerts; notifications notices = messages --list notifications
        follow tail monitor = messages watch; ack confirm = messages acknowledge
        """,
    ]

    private static let leave =
        "here: 'hubpair hubs forget HUB'; on the hub: 'hubpair devices revoke DEVICE'"
    private static let remove =
        "'hubpair hubs forget HUB', 'hubpair devices revoke DEVICE' or 'hubpair home remove APPLIANCE'"
    private static let toggle = "there is no toggle: 'hubpair home set APPLIANCE on', or off"

    /// Nothing that one command does; how it is done.
    private static let advice: [String: [String: String]] = [
        "": [
            "stop": "Ctrl-C ends 'hubpair serve'; a service: sudo systemctl stop hubpair",
            "restart": "end 'hubpair serve' with Ctrl-C, and start it again",
            "version": "did you mean 'hubpair --version'?",
            "completion":
                "did you mean 'hubpair --generate-completion-script bash'? zsh and fish as well",
            "unpair": leave, "leave": leave, "disconnect": leave, "logout": leave,
            "remove": remove, "delete": remove, "rm": remove, "toggle": toggle,
            "add": "'hubpair hubs add NAME HOST' adds a hub, 'hubpair home add' an appliance",
            "rename": "'hubpair hubs rename HUB NAME', 'hubpair devices rename DEVICE NAME' or "
                + "'hubpair home rename APPLIANCE NAME'",
        ],
        "hubs": ["find": "'hubpair list' finds the hubs on the network"],
        "devices": ["invite": "'hubpair print' makes a code that lets one in"],
        "home": ["toggle": toggle],
    ]

    /// All words with a meaning below `parent`; for the tests.
    static func words(below parent: [String]) -> [String] {
        let key = parent.joined(separator: " ")
        return rows(key).flatMap(\.words) + (advice[key] ?? [:]).keys
    }

    private static func rows(_ key: String) -> [(words: [String], meaning: [String])] {
        (commands[key] ?? "").split { $0 == ";" || $0 == "\n" }.map { row in
            let sides = row.split(separator: "=").map { $0.split(separator: " ").map(String.init) }
            return (sides[0], sides[1])
        }
    }

    /// What is meant by `word` behind the words `parent` and before `rest`; nil if it is not known.
    static func hint(for word: String, below parent: [String], before rest: [String]) -> String? {
        let lowered = word.lowercased()
        let key = parent.joined(separator: " ")
        if let text = advice[key]?[lowered] { return text }
        guard let meaning = rows(key).first(where: { $0.words.contains(lowered) })?.meaning else {
            return nil
        }
        return SuggestedLine.question(line(meaning, word, rest))
    }

    private static func line(_ meaning: [String], _ word: String, _ rest: [String]) -> SuggestedLine {
        switch meaning {
        case ["*call"]: return SuggestedLine(["call"], [word.uppercased()] + rest)
        // The word itself is part of the sentence: `turn the lamp off`.
        case ["*sentence"]: return SuggestedLine(["home", "say"], [word] + rest)
        // `on Kitchen light`: the name is several words perhaps, and the setting comes last.
        case ["*setting"]:
            let name = rest.prefix { !$0.hasPrefix("-") }
            let said = name.isEmpty ? "APPLIANCE" : name.joined(separator: " ")
            return SuggestedLine(["home", "set"], [said, word.lowercased()] + rest.dropFirst(name.count))
        default: return SuggestedLine(meaning, rest)
        }
    }
}
