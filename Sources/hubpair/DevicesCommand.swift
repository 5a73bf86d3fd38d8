import ArgumentParser
import FoundationEssentials
import HubService
import Pairing

/// `hubpair devices`: the owner's decisions about devices.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of this hub; approve, revoke or rename one.",
        discussion: "DEVICE is a device's name, or its fingerprint in any spacing and case.",
        subcommands: [List.self, Approve.self, Revoke.self, Rename.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the devices (the default).")
        @OptionGroup var state: StateOption
        @OptionGroup var json: JSONOption

        func run() throws {
            let now = Moment.now
            let devices = try AdministerDevices(state: state.state).list(at: now)
            if json.isSet {
                for device in devices { try JSONLine.write(DeviceLine(device, at: now)) }
                return
            }
            if devices.isEmpty {
                Console.note("no device has paired yet; 'hubpair print' makes a code for one")
            }
            try Table(
                columns: ["DEVICE", "FINGERPRINT", "STATUS", "APPROVED"],
                rows: devices.map {
                    let line = DeviceLine($0, at: now)
                    // Who asked and how long ago: the owner compares it with the device at hand.
                    let ago = $0.asked.map { ", asked \(Lifetime.words(now.seconds(since: $0))) ago" } ?? ""
                    return [line.name, line.device, line.status + ago, line.approved ?? "-"]
                }
            ).write()
        }
    }

    struct Approve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract:
                "Approve a device that asked. Compare the fingerprint with the device's own screen first.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector

        func run() throws {
            let (device, changed) = try AdministerDevices(state: state.state).approve(device)
            Console.note("\(device.name) (\(device.fingerprint)) \(changed ? "is" : "was already") approved")
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Keep a device out from now on.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector

        func run() throws {
            let (device, changed) = try AdministerDevices(state: state.state).revoke(device)
            Console.note("\(device.name) (\(device.fingerprint)) \(changed ? "is" : "was already") revoked")
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a device another name.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector
        @Argument(help: "The new name, 1 to 63 bytes.") var name: String

        func run() throws {
            let (device, _) = try AdministerDevices(state: state.state).rename(device, to: PeerName(name))
            Console.note("\(device.fingerprint) is called \(device.name) now")
        }
    }
}

/// A device as `devices --json` writes it.
private struct DeviceLine: Encodable {
    let device: String
    let name: String
    let status: String
    @Nullable var approved: String?
    @Nullable var asked: String?
    @Nullable var expires: String?
    @Nullable var role: String?

    init(_ device: ApprovedDevice, at now: Moment) {
        self.device = device.fingerprint.description
        name = device.name.description
        status =
            if case .expired = device.verdict(at: now.wall) { "expired" } else { device.status.rawValue }
        approved = device.approved?.timestamp
        asked = device.asked?.wall.timestamp
        expires = device.expires?.timestamp
        role = device.role
    }
}
