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
            with a label you say the role with 'hubpair devices approve'. --expires is the code's life, and \
            --stay the device's: a code for a guest must say it, or asks.

            A PDF has one code on a page, or is a label (--size 62x29mm), or a sheet of labels (--sheet \
            3x8): a code of its own on each, or with --label the one label on all of them. A terminal that \
            is too narrow for the code gets it as hubpair-code.png (0600) in this directory; --plain spells \
            it in sentences, for screen readers.

            EXAMPLES:
              hubpair print                       # in the terminal, for one device
              hubpair print --label --size 62x29mm -o label.pdf
              hubpair print --sheet 3x8 --expires 7d -o codes.pdf
              hubpair print --on 'Kitchen hub' --role guest --stay 2d
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

    @OptionGroup var guest: StayOption

    @Flag(help: "Make a code for one device that lives longer than 90 days, as --expires says.")
    var yes = false

    @Flag(
        help:
            "Make a code that is good from outside, too: by a relay or a tunnel. It names the first one."
    )
    var away = false

    @OptionGroup var code: CodeOptions
    @OptionGroup var place: HubPlaceOption
    @Flag(help: .json) var json = false

    var line: PrintCodes {
        PrintCodes(
            kind: label ? .label : .once, expires: expires, role: role?.role, stay: guest.stay,
            isConfirmed: yes, isForAway: away,
            form: code.form, json: json, statePath: place.state.path)
    }

    func validate() throws {
        try line.check()
        guard !away || place.on == nil else {
            throw ValidationError("--away is said on the hub itself. Leave out --on")
        }
    }

    func run() async throws {
        guard place.on != nil, let remote = try place.hub.remote() else {
            return try await place.hub.orElsewhere { try self.line.completed().run() }
        }
        let line = try line.completed()
        do {
            try await line.presentation.present(
                line.kind, lifetime: line.lifetime, role: line.role, from: remote,
                command: place.hub.command("codes"))
        } catch {
            throw HubFailure.named(error, hub: remote.hub.name)
        }
    }
}
