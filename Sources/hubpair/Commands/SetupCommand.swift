import Addresses
import ArgumentParser
import Diagnosis
import Household
import HubService
import Identity
import JSON
import Pairing

/// `hubpair setup`: the hub's identity, its keyfile, its first code.
struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up a hub: its identity, its keyfile, its first code.",
        usage:
            "hubpair setup [--name <name>] [--port <port>] [--upstream <url>] [--output <file>] [<options>]",
        discussion: """
            The device that uses the first code is an owner.

            Run again, it only replaces a certificate or a file of codes that is missing; it makes no code, \
            and says so. With --json the code is made only if --output names a file for it. --change changes \
            the name, the port, the upstream, the addresses, the place or the hook of a hub that is set up; \
            its identity and its devices stay.

            EXAMPLES:
              hubpair setup --name 'Kitchen hub'
              hubpair setup --upstream https://127.0.0.1:8443
              hubpair setup --change --place '52.52 13.41'
              hubpair setup --json -o code.png    # for scripts
            """
    )

    @Flag(help: "Change the settings that are named of a hub that is set up.")
    var change = false

    @Option(help: "The hub's name, 1 to 63 bytes. (default: this host's name)")
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The TCP port of the hub. (default: 8000)", valueName: "port"),
        transform: optionValue("not a port", give: "a number from 1 to 65535, like 8000") { text in
            UInt16(digits: text).flatMap { $0 > 0 ? $0 : nil }
        })
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The server behind the gateway, like https://127.0.0.1:8443, or none. (default: none)",
            valueName: "url"))
    var upstream: String?

    @Option(
        help: ArgumentHelp(
            "Listen on this address of this host only, or on all; repeatable. (default: all)",
            valueName: "address"),
        transform: optionValue(
            "not an address", give: "an IPv4 or IPv6 address without a port, like 192.168.1.20, or all",
            ListenChoice.init(argument:)))
    var listen: [ListenChoice] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Where the house is, degrees north and east, for scenes at sunrise and sunset; or none.",
            valueName: "place"),
        transform: optionValue(
            "not a place", give: "degrees north and degrees east, like '52.52 13.41', or none",
            PlaceChoice.init(argument:)))
    var place: PlaceChoice?

    @Option(
        help: ArgumentHelp(
            "Run this program for each message of the hub, with the message as JSON on its standard input; "
                + "or none. (default: none)",
            valueName: "program"),
        transform: optionValue(
            "not a program by its path", give: "an absolute path, like /usr/local/bin/tell-us, or none"
        ) { text in text == "none" || HubSettings.isHook(text) ? text : nil })
    var hook: String?

    @OptionGroup var code: CodeOptions
    @OptionGroup var state: StateOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard !json || code.output == nil || code.form.outputPath != nil else {
            throw ValidationError("--json and a code on standard output would mix. Add -o code.png")
        }
        guard listen.count == 1 || !listen.contains(.all) else {
            throw ValidationError("--listen all stands alone. Name the addresses, or all")
        }
        guard listen.count <= HubSettings.maximumAddresses else {
            throw ValidationError(
                "a hub listens on \(HubSettings.maximumAddresses) addresses at most. "
                    + "Give fewer, or --listen all"
            )
        }
        guard change else { return }
        guard code.output == nil else {
            throw ValidationError(
                "--change makes no code. Leave --output out, and run 'hubpair print' for one")
        }
        guard
            name != nil || port != nil || upstream != nil || !listen.isEmpty || place != nil || hook != nil
        else {
            throw ValidationError(
                "--change needs what to change. Give --name, --port, --upstream, --listen, --place or --hook")
        }
    }

    func run() async throws {
        let wishes = SetUpHub.Wishes(
            name: try name.map(PeerName.init(known:)), port: port,
            upstream: try upstream.map { try $0 == "none" ? nil : Upstream($0) },
            listen: listen.isEmpty ? nil : listen.compactMap(\.address),
            place: place.map(\.place), hook: hook.map { $0 == "none" ? nil : $0 })
        let state = state.state
        let setUp = SetUpHub(wishes, defaultName: try hostName(), state: state)
        if change {
            try await setUp.tryOut { await Doctor.isServed(state, on: $0) }
            return try await report(setUp.change(), state, setUp)
        }
        try state.checkIsForNewHub()
        let (hub, outcome) = try setUp.run()
        let title = "\(hub.settings.name) (\(hub.pin.fingerprint))"
        // Before the service starts, which asks it, too.
        let upstream = outcome == .made ? await recognized(hub) : nil
        if json { try JSONLine.write(hub.json(isNew: outcome == .made, upstream)) }
        if outcome == .made {
            if !json { Console.note("set up the hub \(title) in \(hub.statePath)") }
            if let words = upstream?.words(of: hub), !json { Console.note(words) }
            if upstream == nil, let url = hub.settings.upstream?.text, !json {
                Console.note(
                    "warning: no answer from \(url) yet; until then the hub lets devices in, and answers 502")
            }
            let isTaken = ServedPort(hub.settings.port, listen: hub.settings.listen).isServed() == true
            let runs = startService(hub, state, isTaken: isTaken)
            if !json || code.output != nil {
                try CodePresentation(form: code.form, json: false, isFirst: true)
                    .present(.once, lifetime: CodePresentation.defaultLifetime, role: .owner, state: state)
            }
            if !json, !runs { tellNextStep(hub, state, isTaken: isTaken) }
            return
        }
        var changes: [String] = []
        if case .mended(let parts) = outcome { changes = parts.map(\.change) }
        if !changes.isEmpty || !json {
            let change = changes.isEmpty ? "nothing was changed" : changes.joined(separator: "; ")
            Console.note("the hub \(title) is set up already in \(hub.statePath); \(change)")
        }
        if let path = code.form.outputPath {
            Console.report(
                "\(path) was not written",
                hint: "make a new code: hubpair print --output \(shellQuoted(path))", exit: .cannotWrite)
            throw ExitStatus.cannotWrite
        }
        if !json { Console.note("hint: 'hubpair print' makes a new code") }
    }

    /// What a newcomer does next. A stock hub has the port, mostly; `serve` would say so in its own time.
    private func tellNextStep(_ hub: Hub, _ state: HubState, isTaken: Bool) {
        if isTaken { tellPortIsTaken(hub) }
        Console.note("hint: devices can pair once the hub runs: \(StartCommands(state).start)")
    }

    private func tellPortIsTaken(_ hub: Hub) {
        Console.note(
            "warning: another server has the port \(hub.settings.port); it must move to another one, on "
                + "127.0.0.1")
    }

    /// Starts the package's service, if this is its hub; false if it is not its to start.
    private func startService(_ hub: Hub, _ state: HubState, isTaken: Bool) -> Bool {
        switch SystemService.start(for: state) {
        case .notOurs: return false
        case .runs:
            if !json { Console.note("the service hubpair runs, and starts with this machine") }
            return true
        case .failed where isTaken:
            tellPortIsTaken(hub)
            Console.note("the service hubpair tries again until it can have it")
            return true
        case .failed where hub.settings.port < 1024:
            // Root may have it, and the service is another user.
            Console.note(
                "warning: the service hubpair did not start: the port \(hub.settings.port) is not for it")
            Console.note("hint: another port: hubpair setup --change --port 8000")
            return true
        case .failed:
            Console.note("warning: the service hubpair did not start; 'systemctl status hubpair' says why")
            return true
        }
    }

    /// What has changed, and what it takes to count.
    private func report(
        _ change: (hub: Hub, before: HubSettings), _ state: HubState, _ setUp: SetUpHub
    ) async throws {
        let (settings, before) = (change.hub.settings, change.before)
        // A hub that serves may ask the server of before.
        let isOther = settings.upstream != before.upstream && settings.upstream?.port != before.upstream?.port
        let upstream = isOther ? await recognized(change.hub) : nil
        if json { try JSONLine.write(change.hub.json(isNew: false, upstream)) }
        var lines: [String] = []
        if settings.name != before.name {
            lines.append("the name is \(settings.name) now, and was \(before.name)")
        }
        if settings.port != before.port {
            lines.append("the port is \(settings.port) now, and was \(before.port)")
        }
        if settings.upstream != before.upstream {
            lines.append(
                "the upstream is \(settings.upstream?.text ?? "none") now, and was "
                    + (before.upstream?.text ?? "none"))
        }
        if settings.listen != before.listen {
            lines.append(
                "the hub listens on \(HubSettings.words(of: settings.listen)) now, and did on "
                    + HubSettings.words(of: before.listen))
        }
        if settings.place != before.place {
            lines.append(
                "the place is \(settings.place?.description ?? "not known") now, and was "
                    + (before.place?.description ?? "not known"))
        }
        if settings.hook != before.hook {
            lines.append("the hook is \(settings.hook ?? "none") now, and was \(before.hook ?? "none")")
        }
        guard !lines.isEmpty else {
            if !json { Console.note("the hub is set up so already; nothing was changed") }
            return
        }
        if let words = upstream?.words(of: change.hub) { lines.append(words) }
        if !json { for line in lines { Console.note(line) } }
        guard !settings.isServed(as: before) else { return }
        let hasFailed = SystemService.hasFailed(for: state)
        guard hasFailed || ServedPort(before.port, listen: before.listen).isServed() != false else { return }
        switch hasFailed ? SystemService.start(for: state) : SystemService.restart(for: state) {
        case .runs:
            if !json { Console.note("the service hubpair has started again, and serves with them") }
            return
        case .failed:
            // It did serve with those of before, so it is these.
            guard !hasFailed else {
                return Console.note(
                    "warning: the service hubpair did not start; 'systemctl status hubpair' says why")
            }
            try setUp.restore(before)
            _ = SystemService.start(for: state)
            throw HubError.serviceFailed
        case .notOurs: break
        }
        let commands = StartCommands(state)
        Console.note(
            commands.isService
                ? "hint: it counts once the hub starts again: \(commands.restart)"
                : "hint: it counts once the hub starts again: stop it, and run \(commands.restart)")
    }

    /// What stands behind the hub, if it answers already.
    private func recognized(_ hub: Hub) async -> UpstreamTreatment? {
        switch try? await RecognizeUpstream(hub.settings, pin: hub.pin).run() {
        case .house(_, let treatment), .other(_, let treatment): treatment
        case .silent, nil: nil
        }
    }

    private func hostName() throws -> PeerName {
        // A host name may break the rules for names; the set-up must work all the same.
        try (try? PeerName(HostName.own())) ?? PeerName("Hub")
    }
}

/// What `--listen` takes.
enum ListenChoice: Equatable {
    case all
    case one(NetworkAddress)

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else {
            guard let address = NetworkAddress(argument)?.withScopeName else { return nil }
            self = .one(address)
        }
    }

    var address: NetworkAddress? { if case .one(let address) = self { address } else { nil } }
}

/// What `--place` takes.
enum PlaceChoice: Equatable {
    case nowhere
    case one(Place)

    init?(argument: String) {
        if argument == "none" {
            self = .nowhere
        } else {
            guard let place = Place(PlaceChoice.plain(argument)) else { return nil }
            self = .one(place)
        }
    }

    /// `52.52, 13.41` and `52,52 13,41` as the file has it: maps write the former, Germans the latter.
    private static func plain(_ argument: String) -> String {
        var words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count == 1 { words = argument.split(separator: ",").map(String.init) }
        return words.map { word in
            let bare = word.hasSuffix(",") ? String(word.dropLast()) : word
            return bare.contains(".") ? bare : bare.replacing(",", with: ".")
        }.joined(separator: " ")
    }

    var place: Place? { if case .one(let place) = self { place } else { nil } }
}

extension SetUpHub.Part {
    fileprivate var change: String {
        switch self {
        case .certificate: "its certificate was made again"
        case .tickets: "its file of codes was made again: no earlier code or label is good"
        }
    }
}

extension Hub {
    /// The line of `setup --json`.
    fileprivate func json(isNew: Bool, _ upstream: UpstreamTreatment?) -> JSONValue {
        .object(json.merging(upstream.json) { $1 }.merging(["created": .boolean(isNew)]) { $1 })
    }
}

extension UpstreamTreatment {
    /// `the upstream http://127.0.0.1:8443: a stock Hestia server: it gets one request at a time`.
    fileprivate func words(of hub: Hub) -> String? {
        hub.settings.upstream.map { "behind it, at \($0.text), stands \(words)" }
    }
}
