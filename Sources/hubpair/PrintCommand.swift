import ArgumentParser
import FoundationEssentials
import HubService
import Pairing
import QRCodes

/// `hubpair print`: a new pairing code.
struct PrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Make a pairing code and draw it.",
        discussion: """
            A code is for one device and lives 10 minutes. --label makes the one that is stuck on the hub: it \
            lets a device ask for your approval, and replaces the label before it. Every drawing is read \
            again before it is handed out.
            """
    )

    @Flag(help: "Make the label that is stuck on the hub.")
    var label = false

    @Option(
        help: ArgumentHelp(
            "How long it lives, like 90s, 10m, 2h, 7d; 10m if it is no label.", valueName: "time"))
    var expires: Lifetime?

    @OptionGroup var code: CodeOptions
    @OptionGroup var state: StateOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !json.isSet || code.outputPath != nil else {
            throw ValidationError("--json describes the code that --output FILE writes; name the file")
        }
    }

    func run() throws {
        let kind: PairingCode.Kind = label ? .label : .once
        let lifetime = expires.map { Double($0.seconds) } ?? (label ? nil : CodePresentation.defaultLifetime)
        try CodePresentation(options: code, json: json.isSet).present(
            kind, lifetime: lifetime, state: state.state)
    }
}

/// Issues a code and hands it out as the options ask.
struct CodePresentation {
    /// 10 minutes, in seconds.
    static let defaultLifetime: Double = 600

    let options: CodeOptions
    let json: Bool

    func present(_ kind: PairingCode.Kind, lifetime: Double?, state: HubState) throws {
        let format = try options.chosenFormat()
        let toFile = options.outputPath
        let style: TerminalStyle = Console.outputHasColours && toFile == nil ? .colours : .plain
        var bytes: [UInt8] = []
        var file: OutputFile?
        let (code, hub) = try IssueCode.run(
            kind, lifetime: lifetime, state: state, now: Date(),
            addressHint: { options.address.hint(port: $0.settings.port, kind: kind) },
            draw: { code, hub in
                switch try PrintCode.run(code, as: format, name: hub.settings.name, style: style) {
                case .file(let drawn): bytes = drawn
                case .lines(let lines, let columns):
                    let width = Console.size.columns
                    guard columns <= width || toFile != nil || !Console.outputIsTerminal else {
                        throw TerminalTooNarrow(columns: width, needed: columns)
                    }
                    let captions = Captions(code: code, hub: hub, lifetime: lifetime)
                    bytes = Array(captions.beside(lines, columns: columns, width: width).utf8)
                }
                if let toFile { file = try OutputFile(bytes, at: toFile) }
            },
            handOut: {
                if toFile != nil { try file?.commit() } else { try Console.output(bytes: bytes) }
            })
        if json {
            try JSONLine.write(PrintLine(code: code, hub: hub, file: toFile, format: format))
        } else if format != .terminal || toFile != nil {
            let what = kind == .once ? "a code for one device" : "the label"
            Console.note(
                "\(what) of \(hub.settings.name) (\(hub.pin.fingerprint))"
                    + (lifetime.map { ", valid for \(Lifetime.words($0))" } ?? ", without an expiry")
                    + (toFile.map { ": \($0)" } ?? ""))
        }
    }
}

/// A code whose lines would be wrapped, so that no reader knows it.
struct TerminalTooNarrow: Error, LocalizedError, CustomStringConvertible {
    let columns: Int
    let needed: Int

    var description: String { "the terminal has \(columns) columns, and the code needs \(needed)" }
    var errorDescription: String? { description }
    var recoverySuggestion: String? {
        "make it wider, or draw the code into a file: hubpair print --output code.png"
    }
}

/// A code as `print --json` writes it; never with its secret.
private struct PrintLine: Encodable {
    let kind: String
    let hub: String
    let name: String
    @Nullable var expires: String?
    @Nullable var address: String?
    @Nullable var file: String?
    let format: String
    let ticket: String

    init(code: PairingCode, hub: Hub, file: String?, format: PrintCode.Format) {
        kind = code.kind.rawValue
        self.hub = hub.pin.fingerprint.description
        name = hub.settings.name.description
        expires = code.expires?.timestamp
        address = code.addressHint?.description
        self.file = file
        self.format = format.rawValue
        ticket = code.secret.ticketID.description
    }
}
