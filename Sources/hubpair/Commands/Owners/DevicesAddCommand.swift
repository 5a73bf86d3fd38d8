import ArgumentParser
import HubService
import Identity
import Pairing

/// `hubpair devices add`: a certificate with which a browser is let in.
struct DevicesAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a certificate with which a browser or a phone is let in.",
        discussion: """
            For what cannot run hubpair. The hub makes a key, approves it under this name, and writes it \
            into a file (mode 0600) under a passphrase, which is shown once, on standard output. It keeps \
            neither. Bring the file there by any way that you trust, import it, and delete it. 'devices \
            revoke' keeps the browser out again.

            A file for a phone that takes profiles (--format mobileconfig) has the hub's certificate in it, \
            too; for others 'hubpair hub certificate' writes that out. It is in the form that every phone \
            reads; --legacy makes a PKCS #12 file like that: for macOS and iOS, and Windows before 10.

            EXAMPLES:
              hubpair devices add "Anna's browser" -o anna.p12
              hubpair devices add Ben --role guest --expires 7d -o ben.mobileconfig
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case p12, mobileconfig
    }

    @Argument(help: "Its name, 1 to 63 bytes.") var name: String

    @Option(help: "What it may do. (default: member)")
    var role: RoleChoice?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long it is let in, like 7d. (default: for ever)", valueName: "time"),
        transform: durationValue(
            from: .seconds(1), atMost: .seconds(36_500 * 86_400), like: "2h, 7d or 26w"))
    var expires: Duration?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The file. It is replaced if it is there.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(help: "PKCS #12, or a profile for phones. (default: by the ending of --output, else p12)")
    var format: Format?

    @Flag(help: "Make a file that old systems read, too (Triple DES and SHA-1).")
    var legacy = false

    @OptionGroup var state: StateOption

    func validate() throws {
        guard !output.isEmpty, output != "-" else {
            throw ValidationError("--output takes a file: the passphrase has standard output. Name one")
        }
    }

    func run() throws {
        let state = state.state
        try OutputFile.check(output, of: "--output", isNoneOf: state.ownFiles)
        let name = try PeerName(name)
        let isProfile = format.map { $0 == .mobileconfig } ?? output.hasSuffix(".mobileconfig")
        var file: OutputFile?
        var passphrase = ""
        let add = AddBrowser(
            name: name, role: role?.role, end: expires.map { .after($0.inSeconds) } ?? .unsaid,
            isOld: legacy || isProfile, state: state)
        let device = try add.run(
            prepare: { handout in
                passphrase = handout.passphrase
                let bytes =
                    isProfile ? BrowserProfile.bytes(handout, name: name.description) : handout.pkcs12
                file = try OutputFile(bytes, at: output)
            },
            handOut: {
                try file?.commit()
                try Console.output(passphrase)
            })
        // A name like phone.pem says another one.
        let isNamed = [".p12", ".pfx", ".mobileconfig"].contains(where: output.lowercased().hasSuffix)
        let kind = isNamed ? "" : isProfile ? " (a profile)" : " (PKCS #12)"
        let standing = role.map { " as \($0.role.words)" } ?? ""
        let last = device.expires.map { ", until \(LocalTime($0).text(seenAt: device.approved ?? $0))" } ?? ""
        Console.note("\(device.name) (\(device.fingerprint)) is approved\(standing)\(last): \(output)\(kind)")
        Console.note(
            "hint: import the file with the passphrase above, which is not shown again; then delete it")
    }
}
