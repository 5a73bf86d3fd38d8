import FoundationEssentials
package import Identity
package import Pairing

/// Notes down a hub by its address, for networks where it cannot be found; nothing is written unless one answers.
package struct AddHub: Sendable {
    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// Asks the server at `address` what it is, and adds it under `name`.
    package func callAsFunction(_ name: PeerName, at address: HubAddress) async throws -> AddedHub {
        try checkName(name, in: configuration.knownHubs())
        let (reached, server) = try await RecognizeServer()([address])
        let kind: AddedHub.Kind
        var id: Fingerprint?
        switch server {
        case .other(let words): throw AddHubError.noHub(address: "\(reached)", words)
        case .stock: kind = .stock
        case .hubpair(_, let claimed, let pin):
            // A hub's word and its key are one: else it is in somebody's way, or broken.
            guard claimed == pin.fingerprint else {
                throw AddHubError.wrongID(address: "\(reached)", claimed: claimed, seen: pin.fingerprint)
            }
            kind = .hubpair
            id = claimed
        }
        // As it was written: a name may lead elsewhere tomorrow, and that is what it was given for.
        let hub = AddedHub(name: name, address: "\(address)", kind: kind, id: id)
        let directory = try ProtectedDirectory(path: configuration.path, create: true)
        try directory.withLock { directory in
            var known = try KnownHubs(in: directory)
            try checkName(name, in: known)
            known.add(hub)
            try directory.replace(KnownHubs.fileName, with: known.serialized)
        }
        return hub
    }

    private func checkName(_ name: PeerName, in known: KnownHubs) throws {
        let isTaken = known.hubs.contains { $0.name == name } || known.added.contains { $0.name == name }
        if isTaken { throw AddHubError.nameTaken(name) }
    }
}

/// Why a hub was not added.
package enum AddHubError: Error, Equatable, LocalizedError, CustomStringConvertible {
    /// Something else answers there: words for a sentence that begins with the address.
    case noHub(address: String, String)
    /// It says to be one hub and holds the key of another.
    case wrongID(address: String, claimed: Fingerprint, seen: Fingerprint)
    case nameTaken(PeerName)

    package var description: String {
        switch self {
        case .noHub(let address, let words): "\(address) \(words)"
        case .wrongID(let address, let claimed, let seen):
            "\(address) says to be the hub \(claimed), but holds the key of \(seen)"
        case .nameTaken(let name): "a hub is called \"\(name)\" already"
        }
    }

    package var errorDescription: String? { description }

    package var recoverySuggestion: String? {
        switch self {
        case .noHub: "nothing was written; 'hubpair list --scan' finds the hubs of a network by their ports"
        case .wrongID: "nothing was written; do not pair with it before you know why"
        case .nameTaken: "choose another name, or 'hubpair hubs forget' the old one"
        }
    }
}
