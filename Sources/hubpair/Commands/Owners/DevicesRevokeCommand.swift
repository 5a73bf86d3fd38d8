import ArgumentParser
import Identity
import JSON
import Pairing

/// `hubpair devices revoke`: keeps a device out, and tells what it leaves behind.
struct DevicesRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Keep a paired device out from now on.",
        discussion: """
            What acts without the device is listed: the timed scenes and rules that it saved last, and its \
            codes that are good. It stays until an owner says so: at a terminal you are asked, and \
            --yes takes it away at once. A revoked device can be revoked once more for that.

            EXAMPLES:
              hubpair devices revoke 'old phone'
              hubpair devices revoke 7MRM-FEPH-QNYK-029X --yes
            """)
    @OptionGroup var place: HubPlaceOption
    @Flag(help: "Take away what it leaves behind: timed scenes, rules, codes. (default: a terminal asks)")
    var yes = false
    @Flag(help: .json) var json = false
    @Argument(help: "Its name or fingerprint.") var device: PeerSelector

    func run() async throws {
        try await place.hub.acting { hub in
            let revocation = try await hub.revoke(device, takingAway: yes)
            let device = revocation.device
            if json {
                try JSONLine.write(revocation.json)
            } else {
                Console.note(
                    "\(device.name) (\(device.device)) \(revocation.changed ? "is" : "was already") revoked")
            }
            // If the other device was meant, the owner must know that it still gets in.
            await warnOfLikeness(device, on: hub)
            guard let left = revocation.left else {
                return Console.note(
                    "warning: what it leaves behind is not known: the hub is older, or cannot read its files")
            }
            guard !json else { return }
            tellTaken(revocation.taken)
            guard !left.isEmpty else { return }
            Console.note("it leaves behind:")
            for thing in left { Console.note("  \(thing.words)") }
            let command = place.hub.command("devices revoke \(device.device) --yes")
            guard Question.canBeAnswered, !revocation.isOwn, Question.isYes("Take that away?") else {
                return Console.note("hint: '\(command)' takes that away")
            }
            tellTaken(try await hub.revoke(PeerSelector("\(device.device)"), takingAway: true).taken)
        }
    }

    private func tellTaken(_ things: [LeftThing]) {
        for thing in things { Console.note("taken away: \(thing.words)") }
    }
}

extension LeftThing {
    /// `the rule "Leak": alarm: Water in the cellar`.
    fileprivate var words: String { "the \(shortened(kind)) \(quoted(name)): \(shortened(what))" }
}

extension Revocation {
    /// The line of `devices revoke --json`.
    fileprivate var json: JSONValue {
        var line = device.json.asObject ?? [:]
        line["changed"] = .boolean(changed)
        line["left"] = left.map { .array($0.map(\.json)) } ?? .null
        line["taken"] = .array(taken.map(\.json))
        return .object(line)
    }
}
