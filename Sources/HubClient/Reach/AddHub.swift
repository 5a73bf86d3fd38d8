package import Identity
package import Pairing

/// Adds a hub by its address, for networks where it cannot be found. Nothing is written unless a hub answers
/// there.
package struct AddHub: Sendable {
    package enum Outcome: Equatable, Sendable {
        case added(AddedHub)
        /// It was known; the hub has the address that counts from now on.
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

    /// Asks the server at the address what it is, and adds it under the name, unless it is known.
    package func run() async throws -> Outcome {
        let (reached, server) = try await RecognizeServer().run([address])
        let kind: AddedHub.Kind
        var seen: Pin?
        switch server {
        case .other(let words): throw AddHubError.noHub(address: "\(reached)", words)
        case .stock: kind = .stock
        case .hubpair(_, let claimed, let pin):
            // A hub's claim and its key must agree: else it is an impostor, or broken.
            guard claimed == pin.fingerprint else {
                throw AddHubError.wrongID(address: "\(reached)", claimed: claimed, seen: pin.fingerprint)
            }
            kind = .hubpair
            seen = pin
        }
        // As the user wrote it: a host name stays right when its address changes.
        let hub = AddedHub(name: name, address: "\(address)", kind: kind, id: seen?.fingerprint)
        return try KnownHubsFile(in: configuration).change(createsDirectory: true) { known, _ in
            try AddHub.add(hub, pin: seen, to: &known)
        }
    }

    /// - Parameter pin: of the key that the hub has shown; nil for a stock hub, which has no lasting one.
    static func add(_ hub: AddedHub, pin: Pin?, to known: inout KnownHubs) throws(HubChoiceError) -> Outcome {
        if let pin, var paired = known.hubs.first(where: { $0.pin == pin }) {
            let isNew = paired.address != hub.address
            paired.address = hub.address
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
    /// Something else answers there: words for a sentence that begins with the address.
    case noHub(address: String, String)
    /// It says to be one hub and holds the key of another.
    case wrongID(address: String, claimed: Fingerprint, seen: Fingerprint)

    package var description: String {
        switch self {
        case .noHub(let address, let words): "\(address) \(words)"
        case .wrongID(let address, let claimed, let seen):
            "\(address) says to be the hub \(claimed), but holds the key of \(seen)"
        }
    }

    package var kind: UserErrorKind { .unavailable }

    package var hint: String? {
        switch self {
        case .noHub: "nothing was written; 'hubpair list --scan' finds the hubs of a network by their ports"
        case .wrongID: "nothing was written; do not pair with it before you know why"
        }
    }
}
