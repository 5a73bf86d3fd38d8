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
              hubpair devices --on 'Kitchen hub'      # from an owner's computer
            """,
        subcommands: [
            List.self, Approve.self, DevicesAddCommand.self, DevicesRoleCommand.self,
            DevicesRevokeCommand.self, Rename.self, DevicesPruneCommand.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the paired devices.",
            discussion: """
                EXAMPLES:
                  hubpair devices
                  hubpair devices list --json
                """)
        @OptionGroup var place: HubPlaceOption
        @Flag(help: .json) var json = false

        var line: ListDevices { ListDevices(place: place.hub, json: json) }

        func run() async throws { try await line.run() }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract:
                "Approve a device that asked. Compare the fingerprint with its own screen first.",
            discussion: """
                EXAMPLES:
                  hubpair devices approve 7MRM-FEPH-QNYK-029X
                  hubpair devices approve 7mrmfephqnyk029x --stay 2h
                  hubpair devices approve 7MRM-FEPH-QNYK-029X --role guest --stay 2026-12-31
                """)
        @OptionGroup var place: HubPlaceOption
        @Argument(help: "Its fingerprint; or the name of one that was approved before.")
        var device: PeerSelector

        @OptionGroup var stay: StayOption

        @Option(help: "What it may do from now on. (default: as before; a new device is a member)")
        var role: RoleChoice?

        func run() async throws {
            try await place.hub.acting { hub in
                let (device, changed) = try await hub.approve(
                    device, end: stay.stay ?? .unsaid, role: role?.role)
                let last = device.expires.map { ", until \(LocalTime($0).text(seenAt: Date()))" } ?? ""
                let standing = device.knownRole.flatMap { $0 == .member ? nil : " as \($0.words)" } ?? ""
                Console.note(
                    "\(device.name) (\(device.device)) \(changed ? "is" : "was already") approved"
                        + standing + last)
                if device.knownRole == nil {
                    Console.note(
                        "warning: this hub does not know its role, so it is let in nowhere; "
                            + "'hubpair devices role \(device.device) member' mends it")
                }
                await warnOfLikeness(device, on: hub)
            }
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a paired device another name.",
            discussion: """
                EXAMPLES:
                  hubpair devices rename phone \"Anna's phone\"
                  hubpair devices rename 7MRM-FEPH-QNYK-029X Tablet
                """)
        @OptionGroup var place: HubPlaceOption
        @Argument(help: "Its name or fingerprint.") var device: PeerSelector
        @Argument(help: "The new name, 1 to 63 bytes.") var name: String

        func run() async throws {
            try await place.hub.acting { hub in
                let (device, _) = try await hub.change(device, name: PeerName(name), role: nil)
                Console.note("\(device.device) is called \(device.name) now")
                await warnOfLikeness(device, on: hub)
            }
        }
    }
}

/// Warns of approved devices whose names look the same.
func warnOfLikeness(_ device: DeviceRecord, on hub: any HubAdministration) async {
    guard !device.resembles.isEmpty else { return }
    // A computer that has just revoked itself may not ask any more.
    let all = (try? await hub.devices()) ?? []
    let names = Dictionary(all.map { ($0.device, $0.name) }) { first, _ in first }
    for other in device.resembles {
        let name = names[other].map { "\($0) (\(other))" } ?? "\(other)"
        Console.note("warning: \(device.name) looks like \(name), which is approved")
    }
}
