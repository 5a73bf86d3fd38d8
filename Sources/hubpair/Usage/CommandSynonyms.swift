import ArgumentParser
import Home
import Identity

/// What people type in the place of a command, and what they mean by it.
enum CommandSynonyms {
    /// ``SynonymRow``s by the words before. What stands behind a word stands behind its command, too; `*` is
    /// a case of `line`.
    private static let commands = [
        "": """
        find discover ls search browse ps resolve = list
        qr qrcode code ticket issue invite generate encode = print
        label sticker = print --label; share guest guests = print --role guest --stay 2d
        users phones phone members = devices
        certificate cert = hub certificate; key rotate = hub key
        init install configure create = setup; status check diagnose health test debug repair fix = doctor
        start run daemon server up = serve; connect join link enroll login pairing = pair; read decode = scan
        forget = hubs forget; use = hubs use; reset = hubs reset; backup export = hub backup
        restore import = hub restore; approve allow accept = devices approve; prune = devices prune
        revoke deny block reject ban kick = devices revoke; role roles = devices role
        void cancel = codes void
        device clients client = devices; request curl = call; set = *set; say = home say
        watch = home watch; scene scenes = home scene; show = home show; room rooms = home room
        unit units = home unit; rule rules = home rule; overview = home overview; history = home history
        message alerts notifications inbox = messages; acknowledge ack = messages acknowledge
        ask do tell = home say; detect = scan; events = hub journal
        appliances appliance things temperature entities entity = home; get = *get
        light lights licht lichter lampen = *lights; remote remotes known-hosts = hubs; copy-id = pair
        checkout = hubs use
        put post patch = *call; off on = *setting
        turn switch dim lock unlock close raise lower = *sentence; ping wifi network netcheck = doctor
        info whoami id ip inspect = hubs show; web page ui gui dashboard browser = open; manual docs = --help
        log journal = logs
        einrichten = setup; drucken = print; koppeln verbinden = pair; suchen finden = list; hilfe = --help
        geräte = devices; zentrale = hub; haus zuhause = home; meldungen nachrichten = messages
        sichern sicherung = hub backup; öffnen = open; prüfen = doctor; raum räume zimmer = home room
        szene szenen = home scene; gerät = devices; regel regeln = home rule; verlauf = home history
        übersicht = home overview
        neustart : a service: sudo systemctl restart hubpair
        zigbee zwave matter hue homekit tasmota shelly mqtt : appliances come from the server behind the \
        hub: 'hubpair hub' shows which it is
        docker podman apt apt-get dpkg snap brew pip git ssh scp ssh-keygen ssh-copy-id systemctl \
        journalctl avahi-browse nmap openssl qrencode zbarimg : \(program)
        stop down : Ctrl-C ends 'hubpair serve'; a service: sudo systemctl stop hubpair
        restart reload : a service: sudo systemctl restart hubpair; else end 'hubpair serve' with Ctrl-C, \
        and start it again
        config settings preferences : \(settings)
        update upgrade : sudo apt update && sudo apt install hubpair
        is-active is-enabled : a service: systemctl status hubpair
        uninstall purge autoremove : sudo apt remove hubpair; 'apt purge' takes the hub's key and devices too
        version : did you mean 'hubpair --version'?
        completion completions autocomplete : the package brings them for bash, zsh and fish; else \
        'hubpair --generate-completion-script fish'
        man : man hubpair; or hubpair --help
        unpair leave disconnect logout : here: 'hubpair hubs forget HUB'; on the hub: 'hubpair devices \
        revoke DEVICE'
        remove delete rm entfernen löschen : 'hubpair hubs forget HUB', 'hubpair devices revoke \
        DEVICE' or 'hubpair home remove APPLIANCE'
        enable : as a service: sudo systemctl enable --now hubpair
        disable : a service: sudo systemctl disable --now hubpair
        alarm alarms : 'hubpair messages --list alarms' lists them
        schedule : \(schedule)
        toggle : \(toggle)
        add : 'hubpair hubs add NAME HOST' adds a hub, 'hubpair home add' an appliance
        rename umbenennen : 'hubpair hubs rename HUB NAME', 'hubpair devices rename DEVICE NAME' or \
        'hubpair home rename APPLIANCE NAME'
        """,
        // The hub of this machine, in the place of those that it knows.
        "hub": """
        list ls = hubs list; use = hubs use; add = hubs add
        forget remove delete = hubs forget; save export dump = hub backup; load import = hub restore
        status state url address = hub show; log logs history = hub journal; cert = hub certificate
        rotate secret identity fingerprint id = hub key; vpn remote away internet cloud = hub ways
        audit events = hub journal; app apps proxy expose publish services = hub service
        alias hostname host domain dns = hub names; tls ssl https letsencrypt acme = hub certificate
        devices users clients members = devices; health uptime metrics = hub show
        snapshot = hub backup
        relay relays : with the code that the relay shows: hubpair hub ways relay CODE relay.example.org
        start stop restart : a service: sudo systemctl restart hubpair
        update upgrade : sudo apt update && sudo apt install hubpair
        name rename : 'hubpair setup --change --name NAME' gives this machine's hub another name
        set edit port ip upstream : \(settings)
        reset new : 'hubpair setup --change --port 9000' changes a setting; for another hub move its \
        directory away
        """,
        "hub service": """
        grant permit = hub service allow; block revoke = hub service deny
        start stop restart : the server is started where it runs: 'hubpair hub service list'
        """,
        "hubs": """
        default switch = hubs use; clear = hubs reset; unpair leave = hubs forget
        pair connect join = pair; ping test = doctor
        find : 'hubpair list' finds the hubs on the network
        """,
        "codes": """
        print new add make = print; clear reset = codes void
        extend expire : a code's time stays as it is: 'hubpair print --expires 1h' makes another
        """,
        "relay": "start run up = relay serve; invite new = relay print; status list ls show = relay hubs",
        "devices": """
        deny block ban reject = devices revoke; accept allow permit confirm = devices approve
        log logs journal history = hub journal; ps status = devices list
        roles promote demote grant rights permissions set change = devices role; clear = devices prune
        pending waiting asking approved revoked = devices list
        unrevoke restore unblock undo : a revoked device pairs again with a new code: hubpair print
        invite : 'hubpair print' makes a code that lets one in
        extend expire until stay limit : 'hubpair devices approve DEVICE --stay 2d' says how long it may \
        come in
        """,
        "home": """
        turn switch dim open close raise lower = *sentence; status state states = home
        device devices entity entities = home; licht = *lights
        scenes = home scene; monitor = home watch; put move assign = *put
        lights lamps lichter lampen = *lights; all everything alles = *all; aus = home off; an ein = home on
        tell speak = home say; rooms area areas = home room; rules alarm alarms = home rule
        summary dashboard = home overview; log past graph plot stats usage chart = home history
        routine preset macro automation = home scene; photo snapshot = home picture; mic voice = home listen
        countdown sleep snooze = home timer; hide = home remove; brightness level fade color colour = *set
        find search : 'hubpair home' lists all, and 'hubpair home show NAME' shows one
        schedule cron remind remember : \(schedule)
        toggle : \(toggle)
        unlock : nothing unlocks several at once; 'hubpair home set LOCK off' unlocks one, or on
        camera : 'hubpair home picture' says where an appliance's picture comes from
        """,
        "home room": "move assign = home room put; leave = home room out",
        "home rule": """
        enable disable pause : 'hubpair home rule remove NAME' takes it away, 'home rule add' makes it again
        edit change test : 'hubpair home rule add NAME APPLIANCE --when on' replaces the one of that name
        """,
        "home scene": """
        load restore use = home scene run; store record create new add make = home scene save
        schedule every plan daily = home scene at; trigger = home scene run
        stop end cancel off deactivate undo revert : a scene only sets states: 'hubpair home scene run NAME' \
        sets another's, 'hubpair home scene at NAME never' ends its times
        rename mv name copy cp duplicate clone : 'hubpair home scene save NAME' saves what is set now under \
        another name; 'hubpair home scene remove NAME' takes the old one away
        """,
        "messages": """
        unread new = messages --list unread; alarms = messages --list alarms; all = messages
        alerts = messages --list alerts; notifications notices = messages --list notifications
        tail follow = messages watch; ack confirm = messages acknowledge
        clear dismiss done delete remove = messages read; today yesterday latest = messages list
        send post notify : the hub makes them: 'hubpair home rule add NAME APPLIANCE --when on' is a rule \
        that does
        """,
    ]

    private static let program = "a program of its own: type it without hubpair in front"
    private static let settings =
        "'hubpair hub' shows the settings, 'hubpair setup --change --port 9000' changes one"
    static let toggle = "there is no toggle: 'hubpair home set APPLIANCE on', or off"

    private static let schedule =
        "'hubpair home scene at NAME 22:00' each day; 'hubpair home timer APPLIANCE on --in 2h' once"
    /// Words of which one command has one, and people type another: those of one noun are all nouns'.
    private static let families = [
        "remove delete rm del erase drop forget revoke void kick", "list ls all",
        "show info get describe view cat status inspect",
        "add new create make", "rename name mv", "set change edit put", "run start play activate apply",
        "save store keep", "watch follow tail monitor",
    ].map { $0.split(separator: " ").map(String.init) }

    /// All words with a meaning below `parent`; for the tests.
    static func words(below parent: [String]) -> [String] { rows(below: parent).flatMap(\.words) }

    private static func rows(below parent: [String]) -> [SynonymRow] {
        SynonymRow.all(in: commands[parent.joined(separator: " ")])
    }

    /// True for a word that begins a sentence: alone it says nothing, and may be the name of an appliance.
    static func beginsSentence(_ word: String, below parent: [String]) -> Bool {
        rows(below: parent).contains {
            ["*sentence", "*lights"].contains($0.meaning) && $0.words.contains(word.lowercased())
        }
    }

    /// What is meant by `word` behind the words `parent` and before `rest`; nil if it is not known.
    static func hint(for word: String, below parent: [String], before rest: [String]) -> String? {
        let lowered = word.lowercased()
        let row = rows(below: parent).first { $0.words.contains(lowered) }
        if let row, row.isSentence { return row.meaning }
        let meaning = row.map { $0.meaning.split(separator: " ").map(String.init) }
        if let meant = meaning ?? relative(of: lowered, below: parent) {
            return SuggestedLine.question(line(meant, word, rest))
        }
        // `home räume`, `hub enable`: what a word means alone it means behind its noun, too.
        guard !parent.isEmpty, let other = rows(below: []).first(where: { $0.words.contains(lowered) }) else {
            return nil
        }
        if other.isSentence { return parent == ["hub"] ? other.meaning : nil }
        let words = other.meaning.split(separator: " ").map(String.init)
        return words.starts(with: parent) && words.count > parent.count
            ? SuggestedLine.question(line(words, word, rest)) : nil
    }

    /// The command below `parent` that means what `word` means elsewhere.
    private static func relative(of word: String, below parent: [String]) -> [String]? {
        let path = CommandPath(parent)
        guard path.words == parent, let family = families.first(where: { $0.contains(word) }) else {
            return nil
        }
        let known = family.first { CommandPath.subcommand($0, of: path.command) != nil }
        // Where nothing shows one of them, the list has it.
        if known == nil, family[0] == "show", CommandPath.subcommand("list", of: path.command) != nil {
            return parent + ["list"]
        }
        return known.map { parent + [$0] }
    }

    private static func line(_ meaning: [String], _ word: String, _ rest: [String]) -> SuggestedLine {
        switch meaning {
        case ["*call"]: return SuggestedLine(["call"], [word.uppercased()] + rest)
        // `home switch --room Kitchen off`
        case ["*sentence"]
        where rest.first?.hasPrefix("--") == true && CommandPath.isCall(["home", "set"] + rest):
            return SuggestedLine(["home", "set"], rest)
        // `home dim Lamp 20`: a sentence would have to say whether to that or by that.
        case ["*sentence"] where word.lowercased() == "dim" && rest.count > 1 && isPercentage(rest.last):
            let name = rest.dropLast().joined(separator: " ")
            return SuggestedLine(["home", "set"], [name, (rest.last ?? "").filter(\.isNumber) + "%"])
        // `home open all`: who says that looks what there is first.
        case ["*sentence"] where ["all", "everything"].contains(rest.joined(separator: " ").lowercased()):
            return SuggestedLine(["home"], ["--by", "type"])
        // The word itself is part of the sentence: `turn the lamp off`.
        case ["*sentence"]: return SuggestedLine(["home", "say"], [word] + rest)
        // `on Kitchen light`: the name is several words perhaps, and the setting comes last.
        case ["*setting"]:
            let name = rest.prefix { !$0.hasPrefix("-") }
            let said = name.isEmpty ? "APPLIANCE" : name.joined(separator: " ")
            return SuggestedLine(["home", "set"], [said, word.lowercased()] + rest.dropFirst(name.count))
        // `home lights off`
        case ["*lights"]:
            guard !rest.isEmpty else { return SuggestedLine(["home"], ["--by", "type"]) }
            return GermanOrder.switched(rest.first).map { SuggestedLine(["home", $0], ["--type", "Light"]) }
                ?? SuggestedLine(["home", "set"], ["--type", "Light"] + rest)
        // `home all off`
        case ["*all"]:
            return GermanOrder.switched(rest.first).map { SuggestedLine(["home", $0], ["--all"]) }
                ?? SuggestedLine(["home"], [])
        // `set port 9000`, `get port`, `get Lamp`
        case ["*set"], ["*get"]:
            let isSetting = rest.first.map { settingNames.contains($0.lowercased()) } ?? false
            guard meaning == ["*get"] else {
                return isSetting
                    ? SuggestedLine(["setup"], ["--change", "--" + rest[0].lowercased()] + rest.dropFirst())
                    : SuggestedLine(["home", "set"], rest)
            }
            if isSetting { return SuggestedLine(["hub"], []) }
            let isPath = rest.first?.hasPrefix("/") ?? true
            return isPath
                ? SuggestedLine(["call"], ["GET"] + rest)
                : SuggestedLine(["home", "show"], [rest.joined(separator: " ")])
        // `home put Kitchen Lamp` is about a room, `home put Lamp on` is not.
        case ["*put"]:
            let isSetting = rest.last.map { (try? SaidSetting($0)) != nil } ?? false
            return SuggestedLine(isSetting ? ["home", "set"] : ["home", "room", "put"], rest)
        // `home status Lamp`
        case ["home"] where rest.first?.hasPrefix("-") == false && inner(rest[0], below: meaning) == nil:
            if CommandPath.subcommand(rest[0], of: HomeCommand.self) != nil {
                return SuggestedLine(["home"], rest)
            }
            return SuggestedLine(["home", "show"], rest)
        // `home scene add evening Lamp`: what is in it stays.
        case ["home", "scene", "save"]
        where word.lowercased() == "add" && rest.count == 2 && isAppliance(rest[1]):
            return SuggestedLine(["home", "scene", "set"], rest + ["on"])
        // `home room move Lamp Kitchen`
        case ["home", "room", "put"] where rest.count == 2 && isAppliance(rest[0]) && !isAppliance(rest[1]):
            return SuggestedLine(meaning, [rest[1], rest[0]])
        case ["hubs", "use"], ["devices", "role"]:
            return SuggestedLine(meaning, rest.filter { !["to", "as", "="].contains($0.lowercased()) })
        // `messages done last`
        case ["messages", "read"] where rest != ["all"] && !rest.allSatisfy { Int(digits: $0[...]) != nil }:
            return SuggestedLine(meaning, ["NUMBER"])
        default:
            // `rule delete Rain`: the word behind a noun is another one's, too.
            if let next = rest.first, let inner = inner(next, below: meaning) {
                return SuggestedLine(inner, Array(rest.dropFirst()))
            }
            return SuggestedLine(meaning, rest)
        }
    }

    private static let settingNames = ["name", "port", "upstream", "listen", "place", "hook"]

    /// True for the name of an appliance that this computer has seen.
    static func isAppliance(_ name: String) -> Bool {
        let known = NameCompletion.known(CommandPath(["home", "show"]))
        return known.contains { $0.lowercased() == name.lowercased() }
    }

    static func isPercentage(_ word: String?) -> Bool {
        guard let word, let number = Int(digits: word.last == "%" ? word.dropLast() : word[...]) else {
            return false
        }
        return (1...100).contains(number)
    }

    /// `Kitchen off` behind `home room`: the room is switched. Nil for anything else.
    static func roomSwitch(_ words: [String]) -> SuggestedLine? {
        guard words.count > 1, let said = GermanOrder.switched(words.last) else { return nil }
        return SuggestedLine(["home", said], ["--room", words.dropLast().joined(separator: " ")])
    }

    /// The command that `word` is another word for, below a command that has commands.
    private static func inner(_ word: String, below parent: [String]) -> [String]? {
        guard !CommandPath(parent).command.configuration.subcommands.isEmpty else { return nil }
        let row = rows(below: parent).first { $0.words.contains(word.lowercased()) }
        guard let row, !row.isSentence, !row.meaning.hasPrefix("*") else {
            return row == nil ? relative(of: word.lowercased(), below: parent) : nil
        }
        return row.meaning.split(separator: " ").map(String.init)
    }
}
