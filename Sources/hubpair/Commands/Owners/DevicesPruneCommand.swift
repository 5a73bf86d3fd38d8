import ArgumentParser
import FoundationEssentials
import Glibc
import HubService
import Identity
import JSON
import Pairing

/// `hubpair devices prune`: revokes the devices that nobody uses any more.
struct DevicesPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Revoke the paired devices that have not been seen for long.",
        discussion: """
            A device that was never seen counts from its approval on, or from when this hub began to write \
            down when it sees devices, whichever is later. A new code lets a device in again.

            EXAMPLES:
              hubpair devices prune 180d
              hubpair devices prune 26w --yes
            """
    )

    @Argument(
        help: ArgumentHelp("How long they have not been seen, like 180d.", valueName: "time"),
        transform: durationValue(
            from: .seconds(1), atMost: .seconds(36_500 * 86_400), like: "12h, 180d or 26w",
            bare: (86_400, "d")))
    var unseen: Duration

    @Flag(help: "Revoke them without asking.") var yes = false
    @OptionGroup var state: StateOption

    func run() throws {
        let prune = PruneDevices(state: state.state, unseenFor: unseen.inSeconds)
        let chosen = try prune.candidates()
        guard !chosen.isEmpty else {
            return Console.note(
                "every approved device was seen in the last \(unseen.words)")
        }
        let now = Date()
        try Table(
            columns: ["DEVICE", "FINGERPRINT", "NOT SEEN SINCE"],
            rows: chosen.map {
                [
                    $0.device.name.description, $0.device.fingerprint.description,
                    LocalTime($0.since).text(seenAt: now),
                ]
            }
        ).write()
        if !yes {
            let count = chosen.count == 1 ? "this device" : "these \(chosen.count) devices"
            guard Question.canBeAnswered else {
                Console.report("nobody is there to say yes", hint: "add --yes", exit: .usage)
                throw ExitStatus.usage
            }
            try Question.confirm("revoke \(count)?", orElse: "nothing was changed")
        }
        let revoked = try prune.revoke(chosen)
        for device in revoked { Console.note("\(device.name) (\(device.fingerprint)) is revoked") }
        let rest = chosen.count - revoked.count
        if rest > 0 { Console.note("\(rest) of them changed in the meantime, and stay as they are") }
    }
}
