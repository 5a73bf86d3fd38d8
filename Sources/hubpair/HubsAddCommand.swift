import ArgumentParser
import FoundationEssentials
import HubClient
import Identity
import Pairing

extension HubsCommand {
    /// `hubpair hubs add`: a hub by its address.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Note down a hub by its address, for networks where it cannot be found.",
            discussion: """
                Asks the server there what it is: a hub with hubpair, or a stock Hestia server. If it is neither, says \
                what it is, and writes nothing. The device is not paired with the hub by that.
                """)

        @OptionGroup var configuration: ConfigurationOption
        @OptionGroup var json: JSONOption
        @Argument(help: "Your name for it, 1 to 63 bytes.") var name: String
        @Argument(
            help: ArgumentHelp("Its address or host name; port 8000 is assumed.", valueName: "host[:port]"))
        var address: String

        func run() async throws {
            let name = try PeerName(name)
            guard let address = HubAddress(address) else {
                throw ValidationError(
                    "\"\(address)\" is no address. Write it like 192.168.1.5, hub.local:8000 or [fe80::1%eth0]:8000"
                )
            }
            let hub = try await AddHub(configuration: configuration.configuration)(name, at: address)
            if json.isSet { return try JSONLine.write(AddedHubLine(hub, isDefault: false)) }
            switch hub.kind {
            case .stock:
                Console.note("\(hub.name) is a stock hub at \(hub.address): it serves anybody, unprotected")
            case .hubpair:
                Console.note(
                    "\(hub.name) is the hub \(hub.id.map { "\($0)" } ?? "-") at \(hub.address), by its own word; "
                        + "pair with it to be sure")
            }
        }
    }
}

/// An added hub as `hubs --json` writes it: with the keys of a paired one.
struct AddedHubLine: Encodable {
    /// What it says that it is; null for a stock hub.
    @Nullable var hub: String?
    let name: String
    let address: String
    @Nullable var paired: String?
    let `default`: Bool
    /// `unpaired`, or `unprotected` for a stock hub, which nobody can pair with.
    let status: String

    init(_ hub: AddedHub, isDefault: Bool) {
        self.default = isDefault
        self.hub = hub.id?.description
        name = hub.name.description
        address = hub.address
        status = hub.kind == .stock ? "unprotected" : "unpaired"
    }
}
