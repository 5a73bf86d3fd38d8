import ArgumentParser
import Pairing

/// `hubpair print`: a new pairing code.
struct PrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Make a pairing code and draw it.",
        discussion: """
            A code is for one device and lives 10 minutes. --label makes the one that is stuck on the hub: \
            with it a device asks for your approval, and it replaces the label before it. Every drawing is \
            read again before it is shown or written.

            A PDF has one code on a page, or is a label (--size 62x29mm), or a sheet of labels (--sheet \
            3x8): a code of its own on each, or with --label the one label on all of them. A terminal that \
            is too narrow for the code gets it as hubpair-code.png (0600) in this directory; --plain spells \
            it in sentences, for screen readers.
            """
    )

    @Flag(help: "Make the label that is stuck on the hub.")
    var label = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long it lives, like 90s, 10m, 2h, 7d; 10m if it is no label.", valueName: "time"),
        transform: optionValue(
            "not a time", give: "1s or more with its unit, like 90s, 10m, 2h, 7d or 1h30m",
            Lifetime.init(argument:)))
    var expires: Lifetime?

    @OptionGroup var code: CodeOptions
    @OptionGroup var state: StateOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard !json || code.outputPath != nil else {
            throw ValidationError("--json describes the code that --output FILE writes; name the file")
        }
        guard !label || !code.plain else {
            throw ValidationError(
                "a label has no typed code to spell. Make a code for one device, without --label, "
                    + "or draw the label into a file with --output label.pdf")
        }
    }

    func run() throws {
        let kind: PairingCode.Kind = label ? .label : .once
        let lifetime = expires.map { Double($0.seconds) } ?? (label ? nil : CodePresentation.defaultLifetime)
        try CodePresentation(options: code, json: json).present(
            kind, lifetime: lifetime, state: state.state)
    }
}
