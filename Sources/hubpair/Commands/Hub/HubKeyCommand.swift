import ArgumentParser
import FoundationEssentials
import HubService
import Identity
import JSON
import Pairing

/// `hubpair hub key`: the hub's key, and another one in its place.
struct HubKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Show the hub's key; give the hub another one.",
        discussion: """
            The hub is known by its key. 'rotate' makes a new one, which the old one signs: devices that \
            come within the term take it over by themselves, all others have to pair again. The gates of a \
            site first get it one by one, with 'take'. 'lost' is for a key that somebody else may have: then \
            nothing leads from it to the new one.

            EXAMPLES:
              hubpair hub key
              hubpair hub key rotate --for 30d
              hubpair hub key lost
            """,
        subcommands: [Show.self, Rotate.self, Take.self, Lost.self],
        defaultSubcommand: Show.self
    )

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the hub's key, the one before it, and which devices have not come yet.",
            discussion: """
                EXAMPLES:
                  hubpair hub key
                  hubpair hub key --json
                """)

        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let key = try LookAtKey(state: state.state).run(at: .now)
            if json { return try JSONLine.write(key.json) }
            let now = Date()
            func text(_ date: Date) -> String { LocalTime(date).text(seenAt: now) }
            var rows: KeyValuePairs<String, String> = [
                "key": key.hub.pin.fingerprint.description, "pin": key.hub.pin.text,
                "since": key.hub.since.map(text) ?? Texts.exactly("the first one"),
            ]
            if let old = key.hub.old, let statement = key.hub.statement {
                rows = [
                    "key": key.hub.pin.fingerprint.description, "pin": key.hub.pin.text,
                    "since": key.hub.since.map(text) ?? "-",
                    "old key": Texts.words("\(old.fingerprint), until \(text(statement.until))"),
                ]
            }
            try Console.output(Table.lines(rows).joined(separator: "\n"))
            try key.site?.show()
            guard key.hub.old != nil else { return }
            if key.codes > 0 {
                Console.note("codes of the old key that are still good until then: \(key.codes)")
            }
            guard !key.missing.isEmpty else {
                return Console.note("every approved device has come since, and knows the new key")
            }
            Console.note("these devices have not come since; who does not come in time has to pair again:")
            try Table(
                columns: ["DEVICE", "FINGERPRINT", "LAST SEEN"],
                rows: key.missing.map {
                    [
                        $0.device.name.description, $0.device.fingerprint.description,
                        $0.seen.map(text) ?? "-",
                    ]
                }
            ).write()
        }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Make a new key, which the old one signs.",
            discussion: """
                Both are shown until the term is over: a device that comes by then takes the new key over, \
                and pairs no second time. A hub that serves begins anew, so its connections end. \
                Codes and labels from before are good until then, too; print a new label. A browser that has \
                been told to trust the hub's certificate has to be told again. Backups from before hold the \
                old key: make a new one. Gates of a site that have one key get the new one by 'hub backup' \
                and 'hub key take'; it counts, and the term begins, once all can show it. --cancel calls it \
                off until then.

                EXAMPLES:
                  hubpair hub key rotate
                  hubpair hub key rotate --for 30d
                  hubpair hub key rotate --cancel
                """)

        @Option(
            name: .customLong("for"), parsing: .unconditional,
            help: ArgumentHelp("How long devices have to come. (default: 90d)", valueName: "time"),
            transform: durationValue(
                from: ChangeKey.terms.lowerBound, atMost: ChangeKey.terms.upperBound, like: "30d or 12w",
                bare: (86_400, "d")))
        var term: Duration?

        @Flag(help: "Call off the key that is prepared for the gates of a site.") var cancel = false

        @OptionGroup var state: StateOption

        func validate() throws {
            guard term == nil || !cancel else {
                throw ValidationError("--cancel makes no key. Leave --for out, or --cancel")
            }
        }

        func run() throws {
            if cancel {
                let pin = try ChangeKey(state: state.state).cancel()
                return Console.note(
                    "the key \(pin.fingerprint) is called off; the hub keeps the one that it has")
            }
            let statement: KeyStatement
            switch try ChangeKey(state: state.state).rotate(for: term ?? ChangeKey.usualTerm) {
            case .prepared(let made):
                Console.note(
                    "the key \(made.new.fingerprint) is prepared; it counts once every gate of this hub can "
                        + "show it, and no device is told of it before")
                return try LookAtKey(state: state.state).site()?.note() ?? ()
            case .changed(let made): statement = made
            }
            let end = LocalTime(statement.until).text(seenAt: Date())
            Console.note(
                "the hub has the key \(statement.new.fingerprint) now; \(statement.old.fingerprint) is "
                    + "shown, too, until \(end)")
            Console.note(
                "devices that come by then take it over; 'hubpair hub key' lists those that have not")
            Console.note(
                "hint: print a new label (hubpair print --label), and make a new backup (hubpair hub backup "
                    + "FILE)")
        }
    }

    struct Take: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take",
            abstract: "Take the key that the gates of a site get next out of a backup of one that has it.",
            discussion: """
                Nothing else of the backup counts. It is also for a gate that was away while the others went \
                over to another key, and does not serve without it.

                EXAMPLES:
                  hubpair hub key take kitchen.age
                  hubpair hub key take kitchen.age --passphrase-file secret
                """)

        @Argument(help: "The backup.", completion: .file()) var file: String
        @OptionGroup var passphrase: HubCommand.PassphraseOption
        @OptionGroup var state: StateOption

        func run() throws {
            let backup = try HubCommand.read(file, passphrase, for: "hub key take")
            let taken = try ChangeKey(state: state.state).take(backup)
            guard !taken.counts else {
                return Console.note("this gate has the key \(taken.pin.fingerprint) now, as the others have")
            }
            Console.note(
                "this gate has the key \(taken.pin.fingerprint), and shows it to who asks for it once it "
                    + "serves ('hubpair serve')")
            try LookAtKey(state: state.state).site()?.note()
        }
    }

    struct Lost: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lost",
            abstract: "Make a new key because somebody else may have the old one: everybody pairs again.",
            discussion: """
                Whoever has the hub's key can play the hub for every device that knows it. So nothing of the \
                old key counts any more: every device is revoked, every code is void, and each device has to \
                pair again with a new one. Nobody can tell the devices that the old key is in other hands: \
                tell your people. A relay has to admit the hub anew, and to remove it under the old key.

                EXAMPLES:
                  hubpair hub key lost
                  hubpair hub key lost --yes
                """)

        @Flag(help: "Do it without asking.") var yes = false
        @OptionGroup var state: StateOption

        func run() throws {
            let hub = try HubState.hub(in: state.state.open())
            if !yes {
                guard Question.canBeAnswered else {
                    Console.report("nobody is there to say yes", hint: "add --yes", exit: .usage)
                    throw ExitStatus.usage
                }
                try Question.confirm(
                    "revoke every device of \(hub.settings.name), and make a new key?",
                    orElse: "nothing was changed")
            }
            let loss = try ChangeKey(state: state.state).lose()
            Console.note(
                "the hub has the key \(loss.new.fingerprint) now; nothing of \(loss.old.fingerprint) counts "
                    + "any more")
            Console.note(
                "devices that were revoked: \(loss.devices.count); codes that are void: \(loss.codes)")
            Console.note(
                "everybody has to pair again; nobody can tell their devices that somebody else may have the "
                    + "old key: tell your people")
            let relays = try HubState.ways(in: state.state.open()).relays
            for relay in relays {
                Console.note(
                    "warning: the relay \(relay.name) still admits the old key; remove the hub there "
                        + "(hubpair relay remove \(loss.old.fingerprint)), and let it admit this one")
            }
            Console.note("hint: 'hubpair print' makes a code for each device")
        }
    }
}

extension LookAtKey.Sight {
    /// The line of `hub key --json`.
    fileprivate var json: JSONValue {
        let term = hub.old == nil ? nil : hub.statement
        return .object([
            "hub": .string(hub.pin.fingerprint.description), "pin": .string(hub.pin.text),
            "since": .text(hub.since?.timestamp), "old": .text(term?.old.fingerprint.description),
            "until": .text(term?.until.timestamp), "serial": .count(hub.statement.map { Int($0.serial) }),
            "codes": .count(codes), "next": .text(site?.pin.fingerprint.description),
            "gates": site?.gates.map { gates in
                .array(
                    gates.map { .object(["name": .string($0.name), "shows": .boolean($0.shows)]) })
            } ?? .null,
            "missing": .array(
                missing.map {
                    .object([
                        "device": .string($0.device.fingerprint.description),
                        "name": .string($0.device.name.description), "seen": .text($0.seen?.timestamp),
                    ])
                }),
        ])
    }
}

extension LookAtKey.Site {
    fileprivate func show() throws {
        if let gates {
            try Table(
                columns: ["GATE", "NEXT KEY"],
                rows: gates.map { [$0.name, Texts.words($0.shows ? "shows it" : "cannot show it")] }
            ).write()
        }
        note()
    }

    /// How it stands, and what to do where.
    fileprivate func note() {
        guard !isBehind else { return Console.report(KeyError.behind(pin)) }
        Console.note("the next key is \(pin.fingerprint)")
        guard let gates else { return Console.note("the site does not say which gates can show it") }
        guard !missing.isEmpty else {
            return Console.note("every gate can show it; it counts once one of them serves")
        }
        Console.note("gates of this hub that cannot show it: \(missing.joined(separator: ", "))")
        if isHere, missing.first == gates.first?.name { Console.note("this one has it, and has to serve") }
        Console.note(
            "hint: at a gate that has it: hubpair hub backup FILE; at each other: hubpair hub key take FILE, "
                + "and let it serve; one that is gone for good: hubpair hub site leave --gate NAME")
    }
}
