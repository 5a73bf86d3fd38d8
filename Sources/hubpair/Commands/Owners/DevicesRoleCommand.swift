import ArgumentParser
import Identity
import Pairing

/// `hubpair devices role`: what a paired device may do.
struct DevicesRoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Say what a paired device may do: owner, member or guest.",
        discussion: """
            It counts at once: what the device has open, and may not do any more, is closed.

            EXAMPLES:
              hubpair devices role 'Ben from next door' guest
              hubpair devices role 7MRM-FEPH-QNYK-029X owner
            """)
    @OptionGroup var place: HubPlaceOption
    @Argument(help: "Its name or fingerprint.") var device: PeerSelector
    @Argument(help: "What it may do from now on.") var role: RoleChoice

    func run() async throws {
        try await place.hub.acting { hub in
            let (device, changed) = try await hub.change(device, name: nil, role: role.role)
            Console.note(
                "\(device.name) (\(device.device)) \(changed ? "is" : "was already") \(role.role.words)"
                    + (changed ? " now" : ""))
            // If the other device was meant, the owner must know what that one may do.
            await warnOfLikeness(device, on: hub)
        }
    }
}
