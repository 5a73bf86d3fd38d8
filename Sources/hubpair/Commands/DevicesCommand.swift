import ArgumentParser
import HubService
import JSON
import Pairing

/// `hubpair devices`: which devices the hub lets in.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the paired devices of this hub; approve, revoke or rename one.",
        discussion: """
            DEVICE is a paired device's name, or its fingerprint in any spacing and case. A device that asks \
            for approval is named by its fingerprint alone, since it chose its name itself. The list says \
            which names look like that of an approved device.
            """,
        subcommands: [List.self, Approve.self, Revoke.self, Rename.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the paired devices (the default).")
        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let now = Moment.now
            let devices = try AdministerDevices(state: state.state).list(at: now)
            let likeness = DeviceLikeness(devices)
            let lines = devices.map { DeviceLine($0, resembling: likeness.resembled(by: $0), at: now) }
            if json { return try JSONLine.write(lines.map(\.json)) }
            if devices.isEmpty {
                Console.note("no device has paired yet; 'hubpair print' makes a code for one")
            }
            try Table(
                columns: ["DEVICE", "FINGERPRINT", "STATUS", "APPROVED"],
                rows: lines.map { $0.cells(at: now) }
            ).write()
        }
    }

    struct Approve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract:
                "Approve a device that asked. Compare the fingerprint with its own screen first.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its fingerprint; or the name of one that was approved before.")
        var device: PeerSelector

        func run() throws {
            let administer = AdministerDevices(state: state.state)
            let (device, changed) = try administer.approve(device)
            Console.note("\(device.name) (\(device.fingerprint)) \(changed ? "is" : "was already") approved")
            try warnOfLikeness(device, administer)
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Keep a paired device out from now on.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector

        func run() throws {
            let administer = AdministerDevices(state: state.state)
            let (device, changed) = try administer.revoke(device)
            Console.note("\(device.name) (\(device.fingerprint)) \(changed ? "is" : "was already") revoked")
            // If the other device was meant, the owner must know that it still gets in.
            try warnOfLikeness(device, administer)
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a paired device another name.")
        @OptionGroup var state: StateOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector
        @Argument(help: "The new name, 1 to 63 bytes.") var name: String

        func run() throws {
            let administer = AdministerDevices(state: state.state)
            let (device, _) = try administer.rename(device, to: PeerName(name))
            Console.note("\(device.fingerprint) is called \(device.name) now")
            try warnOfLikeness(device, administer)
        }
    }
}

/// Warns of approved devices whose names look the same.
private func warnOfLikeness(_ device: ApprovedDevice, _ administer: AdministerDevices) throws {
    for other in DeviceLikeness(try administer.list()).resembled(by: device) {
        Console.note(
            "warning: \(device.name) looks like \(other.name) (\(other.fingerprint)), which is approved")
    }
}

/// A paired device as `devices` shows it.
private struct DeviceLine {
    let device: ApprovedDevice
    /// `approved`, `pending`, `revoked` or `expired`.
    let status: String
    /// The fingerprints of the approved devices whose names look the same.
    let resembles: [String]

    init(_ device: ApprovedDevice, resembling others: [ApprovedDevice], at now: Moment) {
        self.device = device
        status =
            if case .expired = device.verdict(at: now.wall) { "expired" } else { device.status.rawValue }
        resembles = others.map(\.fingerprint.description)
    }

    /// The line of `devices --json`.
    var json: JSONValue {
        .object([
            "device": .string(device.fingerprint.description), "name": .string(device.name.description),
            "status": .string(status), "approved": .text(device.approved?.timestamp),
            "asked": .text(device.asked?.wall.timestamp), "expires": .text(device.expires?.timestamp),
            "resembles": .array(resembles.map(JSONValue.string)), "role": .text(device.role),
        ])
    }

    /// The row of the table: DEVICE, FINGERPRINT, STATUS, APPROVED. The status says how long ago the device
    /// asked: the owner compares that with the device at hand.
    func cells(at now: Moment) -> [String] {
        let ago = device.asked.map { ", asked \(Lifetime.words(now.seconds(since: $0))) ago" } ?? ""
        let like = resembles.first.map { ", looks like \($0)" } ?? ""
        return [
            device.name.description, device.fingerprint.description, status + ago + like,
            device.approved?.timestamp ?? "-",
        ]
    }
}
