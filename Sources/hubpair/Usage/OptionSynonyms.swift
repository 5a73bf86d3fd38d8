/// What people type in the place of an option, and what they mean by it.
enum OptionSynonyms {
    private static let roles = """
        --as --rights --access --permission = --role; --guest = --role guest; --member = --role member
        --owner --admin = --role owner
        """
    private static let alone = "a file is named alone, without an option"
    private static func all(_ noun: String) -> String { "--all -a -l : 'hubpair \(noun)' alone shows all" }
    private static let messages = """
        --since : the last ones come last: hubpair messages --limit 20
        --unread --new = --list unread; --alarms = --list alarms; --alerts = --list alerts
        -w --watch --follow -f : did you mean 'hubpair messages watch'?
        """
    private static let home = """
        -w --watch --follow -f : did you mean 'hubpair home watch'?
        --room : 'hubpair home room list ROOM' shows what is in one
        --sort --order --type --group : it is sorted by room, or with '--by type'
        """
    private static let picked =
        "\n--role --status --pending --guest : programs pick from --json, as jq(1) does"
    private static let atHub = "--on --hub : it is said on the hub itself: hubpair hub"
    private static let each = "--each : it is '--all' now"

    /// ``SynonymRow``s by the words of the command; "" is for all. A row is passed over where the command
    /// lacks what is meant. Many of the sentences are about options of 0.1 that went with 0.2.
    private static let options = [
        "print": """
        --copies --count --number -n = --sheet; --ip --host --hint = --address; --png = --format png
        --svg = --format svg; --pdf = --format pdf; --text = --format text
        \(roles)
        --for --valid-for = --expires
        --until = --stay
        --name --device --user : the device says its name as it pairs: hubpair pair photo.jpg --name NAME
        -e = --expires; -r = --role
        --qr-size --pixels --scale : 'hubpair print --output code.svg' makes a picture of any size
        --once : without --label the code is for one device
        --qr --qrcode : 'hubpair print' alone draws a QR code
        """,
        "home show": "--all -a : 'hubpair home' alone shows all",
        "home rule add": """
        --above --over --below --under : it is a condition: --when 'above 25'
        --if --condition = --when
        """,
        "hubs forget": "--all -a : one at a time; 'hubpair hubs reset' forgets every hub",
        "hubs show": "--all -a : 'hubpair hubs' alone shows all",
        "doctor": """
        --fix --repair : it changes nothing, and says how to mend what it finds
        --hub --host : 'hubpair doctor' alone looks at everything
        --quick --fast --short = --no-sweep
        """,
        "hub": atHub, "hub show": atHub,
        "relay serve": "--port -p : it stands behind a colon: hubpair relay serve --listen :8443",
        "codes": each, "codes list": each,
        "devices": all("devices") + picked, "devices list": all("devices") + picked, "hubs": all("hubs"),
        "hubs list": all("hubs"),
        "hub backup": """
        --output -o --file --to --out : \(alone): hubpair hub backup FILE
        --encrypt --password --passphrase -p -r : every backup is encrypted: hubpair hub backup FILE
        """,
        "home": home, "home list": home,
        "home scene run": "--at : each day: hubpair home scene at NAME 22:00",
        "home watch": """
        --timeout : it watches until Ctrl-C; timeout(1) ends it: timeout 60 hubpair home watch
        -n = --interval
        -w --watch --follow -f : it watches until it is stopped
        --once -1 : 'hubpair home' shows it once
        """,
        "scan": """
        --set -S : QR codes are all that is read: hubpair scan IMAGE
        --camera --webcam --device : a camera's pictures come as a stream: hubpair scan -
        """,
        "home set": "--all : for all there is 'hubpair home off --all'",
        "home timer": """
        --at : each day: hubpair home scene at NAME 22:00; once: --in 2h
        --cancel --stop --remove --delete --end = --clear
        """,
        "messages watch": "-w --watch --follow -f : it watches until it is stopped",
        "messages": messages, "messages list": messages,
        "home history": "--days --hours --last --from --range = --since",
        "devices approve": """
        \(roles)
        --for : it is '--stay 2h' now
        --until : it is '--stay 2026-12-31' now; or '--stay forever'
        """,
        "devices prune": """
        --unseen : the time stands alone: hubpair devices prune 180d
        --dry-run -n --simulate : it names them and asks, and does nothing without a yes
        """,
        "devices revoke": "--take-away : it is '--yes' now",
        "pair": """
        --host --address --ip --url --server = --hub; --device-name --device = --name
        --code --token --secret --pin --password : 'hubpair pair' asks for it
        --role : the code says it: 'hubpair print --role guest' makes one for a guest
        --scan --camera : take a picture of the code: hubpair pair IMAGE
        --image --file --qr : name the picture alone: hubpair pair IMAGE
        --as : afterwards: 'hubpair hubs rename HUB NAME'
        """,
        "list": """
        --all -a : 'hubpair list' alone shows all
        -t -r -rt -art --resolve --terminate : 'hubpair list' ends by itself, and says the addresses
        -4 -6 --ipv4 --ipv6 --interface --iface -i : every network is searched, over IPv4 and IPv6
        --host --hub = --name
        -p = --json
        --range --sweep --cidr --subnet --network = --scan; --zone --dns -d = --domain; --follow -f = --watch
        --service = --type; --why = --explain; --wait --time --seconds --for -W = --timeout
        --no-mdns : it is '--by udp' now
        --no-udp : it is '--by mdns' now; with --scan alone '--by scan'
        """,
        "serve": """
        --bind --host --address --interface --ip = --listen; --verbose -v --debug = --log-level debug
        --quiet -q = --log-level warning; --proxy = --trusted-proxy
        --daemon -d --background --detach : as a service: sudo systemctl enable --now hubpair
        --max-connections-per-source : it is '--max-connections 512/16' now
        """,
        "setup": """
        --interactive : it asks nothing: hubpair setup --name Kitchen
        --force --reset --overwrite : 'hubpair setup --change --port 9000' changes what is set up
        --uninstall --remove : sudo apt remove hubpair; 'apt purge' takes the hub's key and devices too
        --hostname --hub --hub-name -n = --name; -p = --port
        --backend --server --target --proxy --url = --upstream
        """,
        "call": """
        --body -d = --data
        --json : what the hub answers is written as it is, mostly JSON; a body stands behind --data
        -i --include --head -I -v --verbose -s --silent -k -L -f --fail : 'hubpair hubs show --curl' writes \
        what curl needs, which knows that
        --header -H : 'hubpair hubs show --curl' writes what curl needs, which sends any
        --method --request -X : the method is the first word: hubpair call GET /devices/
        """,
        "home add": """
        --manufacturer : it stands alone: hubpair home add philips hue
        --plugin : it stands behind the manufacturer: hubpair home add philips hue
        """,
        "home listen": "--file : the file stands alone: hubpair home listen FILE",
        "home scene save": "--shared : the hub keeps every scene: leave it out",
        "home say": "--language : it is the one of $LANG, like LANG=de_DE.UTF-8",
        "home scene at": "--days : they stand behind the time: hubpair home scene at NAME 07:30 weekend",
        "home unit": "--none : it is '--clear' now",
        "hub journal": """
        --of : it is '--list' now
        -n --lines --tail --last = --limit; --kind --type = --list
        --since --until : the last ones come last: hubpair hub journal --limit 1000
        """,
        "hub restore": "--revoke : before 'hubpair serve' it is 'hubpair devices revoke DEVICE'",
        "hub ways relay": "--at : it stands behind the code: hubpair hub ways relay CODE relay.example.org",
        "messages read": "--kind : it is '--list alarms' now",
        "open": """
        --browser : the desktop's own browser opens it; any other on this computer, by the address it says
        --no-browser : unset $DISPLAY and $WAYLAND_DISPLAY, and none is opened
        """,
        "": """
        --ttl --lifetime --valid --validity --expire --expiry --duration --until = --expires
        --out --file -O = --output; --type --kind = --format; --format = --json; -a = --all
        --force -f --assume-yes --no-confirm = --yes
        --wait --time --deadline = --timeout; --host --on --to = --hub; --every = --interval
        --all = --all-hubs; --dir --directory --state-dir --data-dir = --state
        --config-dir --conf --configuration = --config; -j --output-json = --json; -V = --version
        -? = --help
        -v --verbose --debug : there is nothing more to say; 'hubpair doctor' finds out what is wrong
        -q --quiet --silent : add 2>/dev/null: only results go to standard output
        --no-color --no-colour --color --colour : set NO_COLOR=1, and nothing is coloured
        -f -i --file --input : \(alone)
        --sort --filter --columns --fields --grep --where : programs sort and pick from --json, as jq(1) \
        does
        --pretty --indent : --json writes one object a line, and '| jq' draws it out
        -n --count --max = --limit; --follow = --watch
        -w --watch --follow : watch(1) runs it again and again
        -o --output : '> FILE' writes it to a file, --json as JSON
        """,
    ]

    /// All names with a meaning for a command; for the tests.
    static func names(for command: [String]) -> [String] {
        ([command.joined(separator: " "), ""].flatMap { SynonymRow.all(in: options[$0]) }).flatMap(\.words)
    }

    /// What is meant by `name` behind the words of a command that has `form`; nil if it is not known.
    static func hint(for name: String, of command: [String], _ form: CommandForm) -> String? {
        if command.isEmpty, name == "-v" { return "did you mean '--version'?" }
        let named = [command.joined(separator: " "), ""].map { key in
            SynonymRow.all(in: options[key]).filter { $0.words.contains(name) }
        }
        if !command.isEmpty, let own = named[0].first(where: \.isSentence) { return own.meaning }
        let row = (named[0] + named[1]).first {
            !$0.isSentence && form[String($0.meaning.prefix { $0 != " " })] != nil
        }
        if let row { return "did you mean '\(row.meaning)'?" }
        let text = named[1].first(where: \.isSentence)?.meaning
        let isFalse =
            text == alone && form.mostValues == 0
            || text?.contains("--json") == true && form["--json"] == nil
        return isFalse ? nil : text
    }
}
