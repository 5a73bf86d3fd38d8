import Addresses
import ArgumentParser
import Discovery
import HubClient
import Identity
import Pairing

/// `hubpair hubs add`: a hub by its address.
struct HubsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a hub without pairing, by its address or one of this network.",
        discussion: """
            With an address also for networks where the hub cannot be found. Without one the hub is one of \
            those that 'hubpair list' finds: the one of that name, the only one, or the one that you choose. \
            Asks the server there what it is: a hub with hubpair, or a stock Hestia server. If it is \
            neither, says what it is, and writes nothing. A hub that is known here keeps its name, and \
            gets the new address.

            EXAMPLES:
              hubpair hubs add
              hubpair hubs add Attic 192.168.1.9
              hubpair hubs add 'Kitchen hub' hub.local:8123
            """)

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false
    @Argument(help: "Your name for it, 1 to 63 bytes; without an address: its name on the network.")
    var name: String?
    @Argument(
        help: ArgumentHelp(
            "Its address or host name, port 8000 if none is said. (default: one of this network)",
            valueName: "host[:port]"))
    var address: String?

    func run() async throws {
        guard let name, let address else {
            if let name, isAddress(name) {
                throw UsageMistake(
                    "a hub with an address needs a name", meant: ["hubs", "add"], ["NAME", name])
            }
            return try await addFound()
        }
        if isAddress(name), !isAddress(address) {
            throw UsageMistake(
                "the name comes first", meant: ["hubs", "add"], [address, name])
        }
        let peer = try PeerName(name)
        guard let place = HubAddress(address) else {
            throw ValidationError(
                "\"\(address)\" is not an address. "
                    + "Write it like 192.168.1.5, hub.local:8000 or [fe80::1%eth0]:8000"
            )
        }
        try await add(peer, place)
    }

    /// One of the hubs on this network that this computer does not know.
    private func addFound() async throws {
        let known = try configuration.configuration.knownHubs()
        let added = Set(known.added.map(\.address))
        let hubs = try await HomeSearch.hubs(configuration.configuration).filter { found in
            found.standing == .claimed && !found.isPaired && !found.isPending
                && !found.hub.addresses.contains { added.contains("\(HubAddress($0, port: found.hub.port))") }
        }
        let chosen = try AssessedHubChoice.choose(name, among: hubs)
        guard let address = chosen.hub.addresses.first else { throw NoHubFound() }
        try await add(
            try PeerName(chosen.hub.name), HubAddress(address, port: chosen.hub.port))
    }

    private func add(_ name: PeerName, _ address: HubAddress) async throws {
        let add = AddHub(
            configuration: configuration.configuration, name: name, address: address)
        let manage = ManageHubs(configuration: configuration.configuration)
        switch try await add.run() {
        case .added(let hub): try report(hub)
        case .known(.paired(let hub), let isNew):
            if json {
                let isDefault = try manage.list().defaultHub == hub.fingerprint
                return try JSONLine.write(HubLine(hub, isDefault: isDefault).json)
            }
            let known = hub.isPending ? "asked for here, and not approved" : "paired with this computer"
            report("\(hub.name) (\(hub.fingerprint))", known, hub.address ?? "-", isNew)
        case .known(.added(let hub), let isNew):
            if json {
                let isDefault = try manage.defaultAdded() == hub.name
                return try JSONLine.write(HubLine(hub, isDefault: isDefault).json)
            }
            report(hub.name.description, "added", hub.address, isNew)
        }
    }

    /// True for what is more likely an address than a name: a number, or a host with its port or domain.
    private func isAddress(_ text: String) -> Bool {
        guard let address = HubAddress(text) else { return false }
        if case .address = address.host { return true }
        return text.contains(":") || text.contains(".")
    }

    private func report(_ title: String, _ known: String, _ address: String, _ isNewAddress: Bool) {
        Console.note(
            "that is \(title), \(known) already; "
                + (isNewAddress ? "its address is \(address) now" : "nothing was changed"))
    }

    private func report(_ hub: AddedHub) throws {
        if json { return try JSONLine.write(HubLine(hub, isDefault: false).json) }
        switch hub.kind {
        case .stock:
            Console.note("\(hub.name) is a stock hub at \(hub.address): it serves anybody, unprotected")
        case .hubpair:
            Console.note(
                "\(hub.name) is the hub \(hub.id.map { "\($0)" } ?? "-") at \(hub.address), "
                    + "by its own word; pair with it to be sure")
        }
    }
}
