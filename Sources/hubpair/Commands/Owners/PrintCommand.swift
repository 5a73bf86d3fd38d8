import ArgumentParser
import HubClient
import Pairing

/// `hubpair print`: a new pairing code.
struct PrintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Make a pairing code and draw it.",
        usage: "hubpair print [--label] [--expires <time>] [--output <file>] [<options>]",
        discussion: """
            A code is for one device and lives 10 minutes. --label makes the one that is stuck on the hub: \
            with it a device asks for your approval, and it replaces the label before it. Every drawing is \
            read again before it is shown or written.

            The device that a code lets in is a member, or what --role says; the code itself does not tell. \
            A device that is let in already keeps its role if --role is left out. Of a device that asks \
            with a label you say the role with 'hubpair devices approve'.

            A PDF has one code on a page, or is a label (--size 62x29mm), or a sheet of labels (--sheet \
            3x8): a code of its own on each, or with --label the one label on all of them. A terminal that \
            is too narrow for the code gets it as hubpair-code.png (0600) in this directory; --plain spells \
            it in sentences, for screen readers.

            EXAMPLES:
              hubpair print                       # in the terminal, for one device
              hubpair print --label --size 62x29mm -o label.pdf
              hubpair print --sheet 3x8 --expires 7d -o codes.pdf
              hubpair print --on 'Kitchen hub'    # from an owner's computer
            """
    )

    @Flag(help: "Make the label that is stuck on the hub.")
    var label = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long it lives, like 90s, 10m, 2h, 7d. (default: 10m; a label: for ever)", valueName: "time"),
        transform: durationValue(
            from: .seconds(1), atMost: .seconds(36_500 * 86_400), like: "90s, 10m, 2h, 7d or 1h30m",
            bare: (60, "m")))
    var expires: Duration?

    @Option(help: "What the device may do that the code lets in. (default: member)")
    var role: RoleChoice?

    @Flag(help: "Make a code for one device that lives longer than 90 days, as --expires says.")
    var yes = false

    @OptionGroup var code: CodeOptions
    @OptionGroup var place: HubPlaceOption
    @Flag(help: .json) var json = false

    /// The longest that a code for one device lives without being asked for twice: 90 days.
    private static let longest = Duration.seconds(90 * 86_400)

    func validate() throws {
        guard label || yes || expires ?? .zero <= PrintCommand.longest else {
            throw ValidationError(
                "a code for one device that lives longer than 90 days needs --yes. Give a shorter time, or "
                    + "--yes: anybody who finds the code until then is let in")
        }
        guard !json || code.outputPath != nil else {
            throw ValidationError("--json describes the code that a file holds. Add -o code.png")
        }
        guard !label || role == nil else {
            throw ValidationError(
                "a label lets nobody in by itself, so it has no role. "
                    + "Say the role when you approve: hubpair devices approve DEVICE --role guest")
        }
        guard !label || !code.plain else {
            throw ValidationError(
                "a label has no typed code to spell. Make a code for one device, without --label, "
                    + "or draw the label into a file with --output label.pdf")
        }
    }

    /// A code or a label of this machine's hub, in the terminal or in a file; nil for anything else.
    static func plain(_ arguments: [String]) -> PrintCommand? {
        var command = PrintCommand()
        (command.expires, command.role, command.yes) = (nil, nil, false)
        (command.label, command.json) = (false, false)
        command.code = .unsaid
        command.place = .unsaid
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--label" where !command.label: command.label = true
            case "--json" where !command.json: command.json = true
            case "-o" where command.code.output == nil, "--output" where command.code.output == nil:
                guard let path = rest.popFirst(), !path.hasPrefix("-") else { return nil }
                command.code.output = path
            default: return nil
            }
        }
        // What is wrong is said by ArgumentParser.
        guard (try? command.code.validate()) != nil, (try? command.validate()) != nil else { return nil }
        return command
    }

    private var kind: PairingCode.Kind { label ? .label : .once }
    private var lifetime: Double? { expires?.inSeconds ?? (label ? nil : CodePresentation.defaultLifetime) }
    private var presentation: CodePresentation { CodePresentation(options: code, json: json) }

    /// Makes a code of this machine's hub: without another thread, whose start is a tenth of the work.
    func runHere() throws {
        try presentation.present(kind, lifetime: lifetime, role: role?.role, state: place.state.state)
    }

    func run() async throws {
        guard let remote = try place.remote() else { return try runHere() }
        do {
            try await presentation.present(
                kind, lifetime: lifetime, role: role?.role, from: remote, command: place.command("codes"))
        } catch {
            throw HubFailure.named(error, hub: remote.hub.name)
        }
    }
}
