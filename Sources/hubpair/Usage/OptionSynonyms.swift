/// What people type in the place of an option, and what they mean by it.
enum OptionSynonyms {
    private static let roles = """
        --as --rights --access --permission = --role; --guest = --role guest; --member = --role member
        --owner --admin = --role owner
        """

    /// By the words of the command: `the options = the one that is meant`. A row is passed over where the
    /// command lacks that.
    private static let options = [
        "print": """
        --copies --count --number -n = --sheet; --ip --host --hint = --address; --png = --format png
        --svg = --format svg; --pdf = --format pdf; --text = --format text
        \(roles)
        """,
        "devices approve": roles,
        "pair": """
        --host --address --ip --url --server = --hub; --device-name --device = --name
        """,
        "list": """
        --range --sweep --cidr --subnet --network = --scan; --zone --dns -d = --domain; --follow -f = --watch
        --service = --type; --why = --explain; --wait --time --seconds --for = --timeout
        """,
        "serve": """
        --bind --host --address --interface --ip = --listen; --verbose -v --debug = --log-level debug
        --quiet -q = --log-level warning; --proxy = --trusted-proxy
        """,
        "setup": """
        --hostname --hub -n = --name; -p = --port; --backend --server --target --proxy --url = --upstream
        """,
        "call": "--body --json -d = --data",
        "": """
        --ttl --lifetime --valid --validity --expire --expiry --duration --until = --expires
        --out --file -O = --output; --type --kind = --format; --format = --json; -a = --all
        --force -f --assume-yes --no-confirm = --yes
        --wait --time --deadline = --timeout; --host --on --to = --hub; --every = --interval
        --all = --all-hubs; --dir --directory --state-dir --data-dir = --state
        --config-dir --conf --configuration = --config; -j --output-json = --json; -V = --version
        -? = --help
        """,
    ]

    private static let more = "there is nothing more to say; 'hubpair doctor' finds out what is wrong"
    private static let less = "add 2>/dev/null: only results go to standard output"
    private static let colour = "set NO_COLOR=1, and nothing is coloured"
    private static let alone = "a file is named alone, without an option"
    private static let ask = "'hubpair pair' asks for it"
    private static let picture = "name the picture alone: hubpair pair IMAGE"
    private static let method = "the method is the first word: hubpair call GET /devices/"
    private static let service = "as a service: sudo systemctl enable --now hubpair"

    /// How it is done instead.
    private static let advice = [
        "print": ["--once": "without --label the code is for one device"],
        "pair": [
            "--code": ask, "--token": ask, "--secret": ask, "--pin": ask, "--password": ask,
            "--image": picture, "--file": picture, "--qr": picture,
        ],
        "serve": ["--daemon": service, "-d": service, "--background": service],
        "call": ["--method": method, "--request": method, "-X": method],
        "": [
            "-v": more, "--verbose": more, "--debug": more, "-q": less, "--quiet": less, "--silent": less,
            "--no-color": colour, "--no-colour": colour, "--color": colour, "--colour": colour,
            "-f": alone, "-i": alone, "--file": alone, "--input": alone,
        ],
    ]

    /// Options of 0.1 that went with 0.2, and what to type instead.
    private static let gone = [
        "codes": ["--each": "it is '--all' now"], "codes list": ["--each": "it is '--all' now"],
        "devices approve": [
            "--for": "it is '--stay 2h' now", "--until": "it is '--stay 2026-12-31' now; or '--stay forever'",
        ],
        "devices prune": ["--unseen": "the time stands alone: hubpair devices prune 180d"],
        "devices revoke": ["--take-away": "it is '--yes' now"],
        "home add": [
            "--manufacturer": "it stands alone: hubpair home add philips hue",
            "--plugin": "it stands behind the manufacturer: hubpair home add philips hue",
        ],
        "home scene save": ["--shared": "the hub keeps every scene: leave it out"],
        "home say": ["--language": "it is the one of $LANG, like LANG=de_DE.UTF-8"],
        "home scene at": ["--days": "they stand behind the time: hubpair home scene at NAME 07:30 weekend"],
        "home unit": ["--none": "it is '--clear' now"],
        "hub journal": ["--of": "it is '--list' now"],
        "hub restore": ["--revoke": "before 'hubpair serve' it is 'hubpair devices revoke DEVICE'"],
        "list": [
            "--explain-wait": "it is '--explain' now", "--no-mdns": "it is '--by udp' now",
            "--no-udp": "it is '--by mdns' now; with --scan alone '--by scan'",
        ],
        "messages read": ["--kind": "it is '--list alarms' now"],
        "open": ["--no-browser": "unset $DISPLAY and $WAYLAND_DISPLAY, and none is opened"],
        "serve": ["--max-connections-per-source": "it is '--max-connections 512/16' now"],
        "pair": ["--as": "afterwards: 'hubpair hubs rename HUB NAME'"],
    ]

    /// All names with a meaning for a command; for the tests.
    static func names(for command: [String]) -> [String] {
        let key = command.joined(separator: " ")
        return rows(key).flatMap(\.names) + (advice[key] ?? [:]).keys + (gone[key] ?? [:]).keys
    }

    /// Those of the command, and those for every command that has the option.
    private static func rows(_ key: String) -> [(names: [String], meaning: String)] {
        [options[key], options[""]].compactMap(\.self).flatMap { $0.split { $0 == ";" || $0 == "\n" } }.map {
            let sides = $0.split(separator: " = ")
            return (sides[0].split(separator: " ").map(String.init), String(sides[1]))
        }
    }

    /// What is meant by `name` behind the words of a command that has `form`; nil if it is not known.
    static func hint(for name: String, of command: [String], _ form: CommandForm) -> String? {
        let key = command.joined(separator: " ")
        if command.isEmpty, name == "-v" { return "did you mean '--version'?" }
        if !key.isEmpty, let text = advice[key]?[name] ?? gone[key]?[name] { return text }
        let row = rows(key).first { row in
            row.names.contains(name) && form[String(row.meaning.prefix { $0 != " " })] != nil
        }
        if let row { return "did you mean '\(row.meaning)'?" }
        let text = advice[""]?[name]
        return text == alone && form.mostValues == 0 ? nil : text
    }
}
