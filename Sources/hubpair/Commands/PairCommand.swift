import ArgumentParser
import FoundationEssentials
import HubClient
import Identity
import JSON
import Pairing
import QRCodes

/// `hubpair pair`: lets this computer in to a hub.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair this computer with a hub, by the code that the hub shows.",
        discussion: """
            <image> is a picture of the code, or a file with its text; '-' is standard input: a picture, a \
            code's text or a typed code. Without it, at a terminal, it asks, and takes what was typed off \
            the screen again.

            A code for one device lets this computer in at once. With the label of the hub it asks, and \
            waits until the owner has approved it on the hub; --no-wait ends with 75 instead, and the same \
            command says later what became of it.

            EXAMPLES:
              hubpair pair                        # asks for the code
              hubpair pair code.jpg
              hubpair pair label.jpg --name 'kitchen tablet' --no-wait
              hubpair pair - --hub 192.168.1.5 < code.txt
            """
    )

    @Argument(
        help: ArgumentHelp("A picture of the code, or '-' for standard input.", valueName: "image"),
        completion: .file())
    var image: String?

    @Option(
        help: ArgumentHelp(
            "Where the hub is: its name, the beginning of that, HOST[:PORT], or by a relay ID@HOST[:PORT]. "
                + "(default: it is looked for)",
            valueName: "hub"), completion: NameCompletion.hubs)
    var hub: String?

    @Option(
        help: ArgumentHelp(
            "The name of this computer on the hub. (default: its host name)", valueName: "name"))
    var name: String?

    @Flag(help: "Do not wait for the owner's approval.")
    var noWait = false

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard image != nil || Question.canBeAnswered else {
            throw ValidationError(
                "'pair' asks for the code at a terminal, and standard input is not one. "
                    + "Name a picture, or give the code on standard input: hubpair pair -")
        }
        guard hub != "" else {
            throw ValidationError("--hub takes a hub's name or HOST[:PORT]. Leave it out to look for the hub")
        }
        if let hub, HubPlace.isFaultyAddress(hub) {
            throw ValidationError("\"\(hub)\" is not an address. Write it like 192.168.1.5 or hub.local:8000")
        }
    }

    /// The code, and the hubs on the network, which are looked for while the user types.
    private func readCode() throws -> (ScannedCode, search: Task<[FoundHub], any Error>?) {
        // A person at a terminal who says '-' wants to type, too.
        guard let image, image != "-" || !Question.canBeAnswered else {
            let search = hub == nil ? Task.detached { try await SoughtHub.any.hubs() } : nil
            return (try CodePrompt().ask(), search)
        }
        do {
            return (try ScannedCode.read(image), nil)
        } catch InputFileError.missing {
            throw NoPicture(image)
        } catch {
            Console.report(error, subject: image == "-" ? "standard input" : image)
            throw ExitStatus(of: error)
        }
    }

    /// Where the hub is, as far as that is known: what the user has said, or chosen among those that were
    /// found. A code that holds a pin is looked for by that.
    private func place(
        for code: ScannedCode, _ search: Task<[FoundHub], any Error>?
    ) async throws -> HubPlace? {
        if let hub { return HubPlace(hub) }
        guard case .typed = code, let search else {
            search?.cancel()
            return nil
        }
        // Without an answer it is looked for again, and the error is that of the second search.
        let found = (try? await search.value) ?? []
        return try HubQuestion.choose(among: found).map(HubPlace.found)
    }

    func run() async throws {
        // Faults in the names show before the code is asked for.
        let name = try name.map { try PeerName($0) }
        let (code, search) = try readCode()
        if case .pairing(let code) = code { describe(code) }
        let place = try await place(for: code, search)
        let pair = PairWithHub(
            configuration: configuration.configuration, code: code, place: place,
            deviceName: name, waits: !noWait)
        var progress = ProgressLine()
        defer { progress.clear() }
        let outcome = try await pair.run { event in
            switch event {
            case .resuming(let name):
                Console.note("an earlier attempt with this code goes on, with the name \"\(name)\"")
            case .reached: break
            case .retrying(let error): Console.note("\(error); trying again")
            case .pending(let outcome):
                Console.note(
                    "\(title(outcome)) has to let this computer in; its fingerprint is \(outcome.device)")
                Console.note(
                    "on the hub, compare it with this screen and run: "
                        + "hubpair devices approve \(outcome.device)")
            case .waiting(let left): progress.show("waiting for the approval; \(left.clock) left")
            }
        }
        progress.clear()
        if json { try JSONLine.write(outcome.json) }
        guard outcome.isApproved else {
            Console.report(
                "\(outcome.hubName) has not approved this computer yet",
                hint: "on this computer: the same command asks again, and waits without --no-wait",
                exit: .tryAgain)
            throw ExitStatus.tryAgain
        }
        report(outcome)
    }

    private func describe(_ code: PairingCode) {
        if let expires = code.expires, Date() >= expires {
            Console.note(
                "warning: by this machine's clock the code expired "
                    + "\(Duration(passed: Date().timeIntervalSince(expires)).words) ago; the hub decides")
        }
        if code.kind == .label {
            Console.note("this is the label of the hub \(code.hub.fingerprint): its owner has to approve")
        }
    }

    private func report(_ outcome: PairOutcome) {
        guard !json else { return }
        // With usual names it fits a line of 80 characters.
        let pairing = "\(title(outcome)) at \(outcome.hub.address ?? "-") as \(outcome.deviceName)"
        switch outcome.change {
        case .added: Console.note("paired with \(pairing)")
        case .renewed: Console.note("paired again with \(pairing)")
        case .none:
            Console.note("this computer is paired with \(title(outcome)) already; nothing was changed")
        }
        if outcome.hub.name != outcome.hubName {
            Console.note(
                "here the hub is called \(outcome.hub.name); 'hubpair hubs rename HUB NAME' changes that")
        }
        if let replaced = outcome.replaced {
            Console.note(
                "it answers in the place of \(replaced), and is the default now; 'hubpair hubs forget HUB' "
                    + "forgets the other one")
        }
        if outcome.isDefault {
            Console.note("hint: 'hubpair home' shows what it controls")
        } else {
            Console.note("hint: 'hubpair hubs use \(outcome.hub.fingerprint)' makes it the default")
        }
    }

    private func title(_ outcome: PairOutcome) -> String {
        "\(outcome.hubName) (\(outcome.hub.fingerprint))"
    }
}

extension PairOutcome {
    /// The line of `pair --json`.
    fileprivate var json: JSONValue {
        .object([
            "hub": .string(hub.fingerprint.description), "name": .string(hub.name.description),
            "address": .text(hub.address), "status": .string(isApproved ? "approved" : "pending"),
            "default": .boolean(isDefault), "device": .string(device.description),
            "device_name": .string(deviceName.description),
        ])
    }
}
