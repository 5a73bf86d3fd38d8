package import Addresses
package import Identity
package import Pairing

/// Adds a hub by its address, for networks on which it cannot be discovered. Nothing is written unless a hub
/// answers.
package struct AddHub: Sendable {
    package enum Outcome: Equatable, Sendable {
        case added(AddedHub)
        /// The hub was already known; the value has the address that is used from now on.
        case known(SavedHub, isNewAddress: Bool)
    }

    private let configuration: DeviceConfiguration
    private let name: PeerName
    private let address: HubAddress

    package init(configuration: DeviceConfiguration, name: PeerName, address: HubAddress) {
        self.configuration = configuration
        self.name = name
        self.address = address
    }

    /// Asks the server at the address what it is, and adds it under the name unless it is known.
    package func run() async throws -> Outcome {
        let (reached, server) = try await RecognizeServer().run([address])
        let kind: AddedHub.Kind
        var seen: Pin?
        switch server {
        case .other(let words): throw AddHubError.noHub(address: "\(reached)", words)
        case .stock: kind = .stock
        case .hubpair(_, let claimed, let pin):
            // The claimed fingerprint must match the key; otherwise the server is an impostor or
            // misconfigured.
            guard claimed == pin.fingerprint else {
                throw AddHubError.wrongID(address: "\(reached)", claimed: claimed, seen: pin.fingerprint)
            }
            kind = .hubpair
            seen = pin
        }
        // The address as the user wrote it: a host name stays valid when its IP address changes.
        let hub = AddedHub(name: name, address: "\(address)", kind: kind, id: seen?.fingerprint)
        return try KnownHubsFile(in: configuration).change(createsDirectory: true) { known, _ in
            try AddHub.add(hub, pin: seen, to: &known)
        }
    }

    /// - Parameter pin: the pin of the hub's key; nil for a stock hub, whose key is not permanent.
    static func add(_ hub: AddedHub, pin: Pin?, to known: inout KnownHubs) throws(HubChoiceError) -> Outcome {
        if let pin, var paired = known.hubs.first(where: { $0.pin == pin }) {
            let isNew = paired.address != hub.address
            if isNew { paired.name(hub.address) }
            known.insert(paired)
            return .known(.paired(paired), isNewAddress: isNew)
        }
        let isSame = { (other: AddedHub) in
            hub.id == nil ? other.kind == .stock && other.address == hub.address : other.id == hub.id
        }
        if let old = known.added.first(where: isSame) {
            known.move(added: old.name, to: hub.address)
            let moved = known.added.first(where: isSame) ?? old
            return .known(.added(moved), isNewAddress: old.address != moved.address)
        }
        let isTaken =
            known.hubs.contains { $0.name == hub.name } || known.added.contains { $0.name == hub.name }
        guard !isTaken else { throw .nameTaken(hub.name) }
        known.add(hub)
        return .added(hub)
    }
}

/// Why a hub was not added.
package enum AddHubError: Equatable, UserError {
    /// Another server answers there; the second string completes a sentence that begins with the address.
    case noHub(address: String, String)
    /// The server claims the fingerprint of one hub, but has the key of another.
    case wrongID(address: String, claimed: Fingerprint, seen: Fingerprint)

    package var description: String {
        switch self {
        case .noHub(let address, let words): "\(address) \(words)"
        case .wrongID(let address, let claimed, let seen):
            "\(address) claims to be the hub \(claimed), but holds the key of \(seen)"
        }
    }

    package var kind: UserErrorKind { .unavailable }

    package var hint: String? {
        switch self {
        case .noHub:
            "nothing was written; 'hubpair list --scan 192.168.1.0/24' finds the hubs of such a network"
        case .wrongID: "nothing was written; do not pair with it before you know why"
        }
    }
}
