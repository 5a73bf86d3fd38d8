/// What people type in the place of an option, and what they mean by it.
enum OptionSynonyms {
    /// What an option means: another one, or how it is done instead.
    enum Meaning {
        case option(String)
        case advice(String)
    }

    private typealias Row = (names: String, meaning: Meaning)

    /// By the words of the command, without `hubpair`. A row is passed over where the command lacks its
    /// option.
    private static let tables: [String: [Row]] = [
        "print": [
            ("--copies --count --number -n", .option("--sheet")),
            ("--ip --host --hint", .option("--address")),
            ("--png", .advice("did you mean '--format png'?")),
            ("--svg", .advice("did you mean '--format svg'?")),
            ("--pdf", .advice("did you mean '--format pdf'?")),
            ("--text", .advice("did you mean '--format text'?")),
            ("--as --rights --access --permission", .option("--role")),
            ("--guest", .advice("did you mean '--role guest'?")),
            ("--member", .advice("did you mean '--role member'?")),
            ("--owner --admin", .advice("did you mean '--role owner'?")),
            ("--once", .advice("without --label the code is for one device")),
        ],
        "devices approve": [
            ("--as --rights --access --permission", .option("--role")),
            ("--guest", .advice("did you mean '--role guest'?")),
            ("--member", .advice("did you mean '--role member'?")),
            ("--owner --admin", .advice("did you mean '--role owner'?")),
        ],
        "pair": [
            ("--code --token --secret --pin --password", .advice("'hubpair pair' asks for it")),
            ("--image --file --qr", .advice("name the picture alone: hubpair pair IMAGE")),
            ("--host --address --ip --url --server", .option("--hub")), ("--alias", .option("--as")),
            ("--device-name --device", .option("--name")),
        ],
        "list": [
            ("--range --sweep --cidr --subnet --network", .option("--scan")),
            ("--zone --dns -d", .option("--domain")), ("--why --explain", .option("--explain-wait")),
            ("--service", .option("--type")),
            ("--follow -f", .option("--watch")), ("--wait --time --seconds --for", .option("--timeout")),
        ],
        "serve": [
            ("--bind --host --address --interface --ip", .option("--listen")),
            ("--verbose -v --debug", .advice("did you mean '--log-level debug'?")),
            ("--quiet -q", .advice("did you mean '--log-level warning'?")),
            ("--proxy", .option("--trusted-proxy")),
            ("--daemon -d --background", .advice("as a service: sudo systemctl enable --now hubpair")),
        ],
        "setup": [
            ("--hostname --hub -n", .option("--name")), ("-p", .option("--port")),
            ("--backend --server --target --proxy --url", .option("--upstream")),
        ],
        "call": [
            ("--body --json -d", .option("--data")),
            ("--method --request -X", .advice("the method is the first word: hubpair call GET /devices/")),
        ],
    ]

    /// For every command that has the option.
    private static let anywhere: [Row] = [
        ("--ttl --lifetime --valid --validity --expire --expiry --duration --until", .option("--expires")),
        ("--out --file -O", .option("--output")), ("--type --kind", .option("--format")),
        ("--force -f --assume-yes --no-confirm", .option("--yes")),
        ("--wait --time --deadline", .option("--timeout")), ("--host --on --to", .option("--hub")),
        ("--every", .option("--interval")), ("--all", .option("--all-hubs")),
        ("--dir --directory --state-dir --data-dir", .option("--state")),
        ("--config-dir --conf --configuration", .option("--config")),
        ("-j --output-json", .option("--json")), ("-V", .option("--version")), ("-?", .option("--help")),
    ]

    /// All names with a meaning for a command; for the tests.
    static func names(for command: [String]) -> [String] {
        ((tables[command.joined(separator: " ")] ?? []) + anywhere).flatMap {
            $0.names.split(separator: " ").map(String.init)
        }
    }

    /// What is meant by `name` behind the words of a command that has `form`; nil if it is not known.
    static func hint(for name: String, of command: [String], _ form: CommandForm) -> String? {
        for row in (tables[command.joined(separator: " ")] ?? []) + anywhere {
            guard row.names.split(separator: " ").contains(name[...]) else { continue }
            switch row.meaning {
            case .option(let meant): if form[meant] != nil { return "did you mean '\(meant)'?" }
            case .advice(let text): return text
            }
        }
        return nil
    }
}
