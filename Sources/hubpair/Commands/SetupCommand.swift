import ArgumentParser
import Glibc
import HubService
import Identity
import JSON
import Pairing

/// `hubpair setup`: the hub's identity, its keyfile, its first code.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up a hub: its identity, its keyfile, its first code.",
        discussion: """
            Run again, it only replaces a certificate or a file of codes that is missing; it makes no code, \
            and says so. With --json the code is made only if --output names a file for it.
            """
    )

    @Option(help: "The hub's name, 1 to 63 bytes; else this host's name.")
    var name: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The TCP port of the hub; else 8000.", valueName: "port"),
        transform: optionValue("not a port", give: "a number from 1 to 65535, like 8000") { text in
            UInt16(digits: text).flatMap { $0 > 0 ? $0 : nil }
        })
    var port: UInt16?

    @Option(
        help: ArgumentHelp("The server behind the gateway, like https://127.0.0.1:8443.", valueName: "url"))
    var upstream: String?

    @OptionGroup var code: CodeOptions
    @OptionGroup var state: StateOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard !json || code.output == nil || code.outputPath != nil else {
            throw ValidationError("--json and a code on standard output would mix; name a file with --output")
        }
    }

    func run() throws {
        let wishes = SetUpHub.Wishes(
            name: try name.map(PeerName.init(known:)), port: port,
            upstream: try upstream.map(Upstream.init))
        let (hub, outcome) = try SetUpHub(wishes, defaultName: try hostName(), state: state.state).run()
        let title = "\(hub.settings.name) (\(hub.pin.fingerprint))"
        if json { try JSONLine.write(hub.json(isNew: outcome == .made)) }
        if outcome == .made {
            if !json { Console.note("set up the hub \(title) in \(hub.statePath)") }
            guard !json || code.output != nil else { return }
            return try CodePresentation(options: code, json: false)
                .present(.once, lifetime: CodePresentation.defaultLifetime, state: state.state)
        }
        var changes: [String] = []
        if case .mended(let parts) = outcome { changes = parts.map(\.change) }
        if !changes.isEmpty || !json {
            let change = changes.isEmpty ? "nothing was changed" : changes.joined(separator: "; ")
            Console.note("the hub \(title) is set up already in \(hub.statePath); \(change)")
        }
        if let path = code.outputPath {
            Console.report(
                "\(path) was not written",
                hint: "make a new code: hubpair print --output \(shellQuoted(path))")
            throw ExitStatus.cannotWrite
        }
        if !json { Console.note("hint: 'hubpair print' makes a new code") }
    }

    private func hostName() throws -> PeerName {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let host = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)).prefix { $0 != UInt8(ascii: ".") }
        // A host name may break the rules for names; the set-up must work all the same.
        return try (try? PeerName(String(decoding: host, as: UTF8.self))) ?? PeerName("Hub")
    }
}

extension SetUpHub.Part {
    fileprivate var change: String {
        switch self {
        case .certificate: "its certificate was made anew"
        case .tickets: "its file of codes was made anew: no code from before is good, nor the label"
        }
    }
}

extension Hub {
    /// The line of `setup --json`.
    fileprivate func json(isNew: Bool) -> JSONValue {
        .object([
            "hub": .string(pin.fingerprint.description), "name": .string(settings.name.description),
            "pin": .string(pin.text), "port": .integer(Int64(settings.port)),
            "upstream": .text(settings.upstream?.text), "state": .string(statePath),
            "created": .boolean(isNew),
        ])
    }
}
