import ArgumentParser
import FoundationEssentials
import HubService
import Identity
import JSON
import Pairing

/// `hubpair devices`: which devices the hub lets in.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract:
            "List the paired devices of this hub; approve, revoke or rename one, or say what it may do.",
        discussion: """
            <device> is a paired device's name, or its fingerprint in any spacing and case. A device that \
            asks for approval is named by its fingerprint alone, since it chose its name itself. The list \
            says which names look like that of an approved device.

            A device is an owner, a member or a guest. A guest may look, and switch what is there; a member \
            may do everything with the server behind the hub; an owner also the hub's own administration.

            EXAMPLES:
              hubpair devices
              hubpair devices approve 7MRM-FEPH-QNYK-029X
              hubpair devices role 'Ben from next door' guest
              hubpair devices revoke 'old phone'
            """,
        subcommands: [
            List.self, Approve.self, DevicesRoleCommand.self, Revoke.self, Rename.self,
            DevicesPruneCommand.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the paired devices.",
            discussion: """
                EXAMPLES:
                  hubpair devices
                  hubpair devices list --json
                """)
        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let now = Moment.now
            let administer = AdministerDevices(state: state.state)
            let devices = try administer.list(at: now)
            if devices.isEmpty, !json {
                Console.note("no device has paired yet; 'hubpair print' makes a code for one")
            }
            try DeviceLine.write(devices, seen: administer.lastSeen(), at: now, json: json)
        }
    }

    struct Approve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract:
                "Approve a device that asked. Compare the fingerprint with its own screen first.",
            discussion: """
                EXAMPLES:
                  hubpair devices approve 7MRM-FEPH-QNYK-029X
                  hubpair devices approve 7mrmfephqnyk029x --for 2h
                  hubpair devices approve 7MRM-FEPH-QNYK-029X --role guest --until 2026-12-31
                """)
        @OptionGroup var state: StateOption
        @Argument(help: "Its fingerprint; or the name of one that was approved before.")
        var device: PeerSelector

        @Option(
            name: .customLong("for"), parsing: .unconditional,
            help: ArgumentHelp("How long, like 2h or 7d; then it must be approved again.", valueName: "time"),
            transform: durationValue(
                from: .seconds(1), atMost: .seconds(36_500 * 86_400), like: "90s, 10m, 2h, 7d or 1h30m"))
        var span: Duration?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Until when, like 18:00, 2026-11-30 or '2026-11-30 18:00' by this machine's clock; or never.",
                valueName: "time"),
            transform: optionValue(
                "not a time", give: "one like 18:00, 2026-11-30 or '2026-11-30 18:00', or never",
                ApprovalEnd.init(argument:)))
        var until: ApprovalEnd?

        @Option(help: "What it may do from now on. (default: as before; a new device is a member)")
        var role: RoleChoice?

        func validate() throws {
            guard span == nil || until == nil else {
                throw ValidationError("--for and --until both say when the approval ends. Give one of them")
            }
        }

        func run() throws {
            let administer = AdministerDevices(state: state.state)
            let end = span.map { ApprovalEnd.after($0.inSeconds) } ?? until ?? .unsaid
            let (device, changed) = try administer.approve(device, end: end, role: role?.role)
            let last = device.expires.map { ", until \(LocalTime($0).text(seenAt: Date()))" } ?? ""
            let standing = device.knownRole.flatMap { $0 == .member ? nil : " as \($0.words)" } ?? ""
            Console.note(
                "\(device.name) (\(device.fingerprint)) \(changed ? "is" : "was already") approved"
                    + standing + last)
            if device.knownRole == nil {
                Console.note(
                    "warning: its role is none that this hub knows, so it is let in nowhere; "
                        + "'hubpair devices role \(device.fingerprint) member' mends it")
            }
            try warnOfLikeness(device, administer)
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Keep a paired device out from now on.",
            discussion: """
                EXAMPLES:
                  hubpair devices revoke 'old phone'
                  hubpair devices revoke 7MRM-FEPH-QNYK-029X
                """)
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
            commandName: "rename", abstract: "Give a paired device another name.",
            discussion: """
                EXAMPLES:
                  hubpair devices rename phone \"Anna's phone\"
                  hubpair devices rename 7MRM-FEPH-QNYK-029X Tablet
                """)
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
func warnOfLikeness(_ device: ApprovedDevice, _ administer: AdministerDevices) throws {
    for other in DeviceLikeness(try administer.list()).resembled(by: device) {
        Console.note(
            "warning: \(device.name) looks like \(other.name) (\(other.fingerprint)), which is approved")
    }
}

/// A paired device as `devices` shows it.
struct DeviceLine {
    let device: ApprovedDevice
    /// `approved`, `pending`, `revoked` or `expired`.
    let status: String
    /// The fingerprints of the approved devices whose names look the same.
    let resembles: [String]
    /// When and from where it was last let in.
    let seen: LastSeen.Sighting?

    init(
        _ device: ApprovedDevice, resembling others: [ApprovedDevice], seen: LastSeen.Sighting?,
        at now: Moment
    ) {
        self.device = device
        self.seen = seen
        status = if case .expired = device.verdict(at: now) { "expired" } else { device.status.rawValue }
        resembles = others.map(\.fingerprint.description)
    }

    /// Writes the devices as a table or as JSON.
    ///
    /// - Parameter seen: when they were last let in; nil where nobody knows, as in a backup.
    static func write(
        _ devices: [ApprovedDevice], seen: LastSeen? = nil, at now: Moment, json: Bool
    ) throws {
        let likeness = DeviceLikeness(devices)
        let lines = devices.map {
            DeviceLine($0, resembling: likeness.resembled(by: $0), seen: seen?[$0.fingerprint], at: now)
        }
        if json { return try JSONLine.write(lines.map(\.json)) }
        let all = Table(columns: titles, rows: lines.map { $0.cells(at: now) })
        let isTooWide = Console.outputIsTerminal && Console.size.columns < all.narrowestWidth
        guard seen == nil || isTooWide else { return try all.write() }
        // Where it was seen from is the first to go.
        let gone = seen == nil ? 2 : 1
        try Table(
            columns: Array(titles.dropLast(gone)),
            rows: lines.map { Array($0.cells(at: now).dropLast(gone)) }
        ).write()
    }

    /// The line of `devices --json`.
    var json: JSONValue {
        .object([
            "device": .string(device.fingerprint.description), "name": .string(device.name.description),
            "status": .string(status), "approved": .text(device.approved?.timestamp),
            "asked": .text(device.asked?.wall.timestamp), "expires": .text(device.expires?.timestamp),
            "resembles": .array(resembles.map(JSONValue.string)), "role": .text(role),
            "last_seen": .text(seen?.time.timestamp), "last_address": .text(seen?.address.description),
        ])
    }

    /// The word for its role, that it has or had; nil for a device that asks, and gets its role with the
    /// approval.
    private var role: String? {
        device.role ?? (device.status == .pending ? nil : Role.member.rawValue)
    }

    static let titles = ["DEVICE", "FINGERPRINT", "ROLE", "STATUS", "APPROVED", "LAST SEEN", "FROM"]

    /// The cells below `titles`. The status says how long ago the device asked: the owner compares that with
    /// the device at hand.
    func cells(at now: Moment) -> [String] {
        let ago = device.asked.map { ", asked \(Duration(passed: now.seconds(since: $0)).words) ago" } ?? ""
        let end =
            status == "approved"
            ? device.expires.map { ", until \(LocalTime($0).text(seenAt: now.wall))" } ?? "" : ""
        let like = resembles.first.map { ", looks like \($0)" } ?? ""
        return [
            device.name.description, device.fingerprint.description,
            role.map { device.knownRole == nil ? "\($0)?" : $0 } ?? "-", status + end + ago + like,
            device.approved.map { LocalTime($0).text(seenAt: now.wall) } ?? "-",
            seen.map { LocalTime($0.time).text(seenAt: now.wall) } ?? "-", seen?.address.description ?? "-",
        ]
    }
}
