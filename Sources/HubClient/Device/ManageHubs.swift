package import Identity
package import Pairing

/// A hub of the keyfile: paired, or added by its address.
package enum ListedHub: Equatable, Sendable {
    case paired(KnownHub)
    case added(AddedHub)

    /// The name that it has on this device.
    package var name: PeerName {
        switch self {
        case .paired(let hub): hub.name
        case .added(let hub): hub.name
        }
    }

    /// Its fingerprint; of an added one its own word. A stock hub has none.
    package var fingerprint: Fingerprint? {
        switch self {
        case .paired(let hub): hub.fingerprint
        case .added(let hub): hub.id
        }
    }
}

/// The user's decisions about the hubs that this device knows, each one step on the keyfile.
package struct ManageHubs {
    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// All hubs in the keyfile's order, and which one is used when none is named.
    package func list() throws -> (hubs: [KnownHub], defaultHub: Fingerprint?) {
        let known = try configuration.knownHubs()
        return (known.hubs, known.defaultHub)
    }

    /// The hubs that were added by their addresses, in the keyfile's order.
    package func added() throws -> [AddedHub] { try configuration.knownHubs().added }

    /// The added hub that is used when none is named.
    package func defaultAdded() throws -> PeerName? { try configuration.knownHubs().defaultAdded }

    /// Notes that an added hub may be used although nothing protects the connection to it.
    package func allowInsecure(_ hub: AddedHub) throws { try write { $0.allowInsecure(hub.name) } }

    /// The hub that is meant, paired or added.
    package func find(_ selector: PeerSelector) throws -> ListedHub {
        try ManageHubs.hub(selector, in: configuration.knownHubs())
    }

    /// The paired hub that is meant, and whether it is the default; nil means the default, or the only one there is.
    package func findPaired(_ selector: PeerSelector?) throws -> (hub: KnownHub, isDefault: Bool) {
        let known = try configuration.knownHubs()
        let hub: KnownHub
        if let selector {
            switch try ManageHubs.hub(selector, in: known) {
            case .paired(let paired): hub = paired
            case .added(let added) where added.kind == .stock: throw UseHubError.stock(added.name)
            case .added(let added): throw UseHubError.notPaired(added.name)
            }
        } else {
            guard !known.hubs.isEmpty else { throw NoHubError.notPaired }
            guard
                let only = known.hubs.first(where: { $0.fingerprint == known.defaultHub })
                    ?? (known.hubs.count == 1 ? known.hubs.first : nil)
            else { throw NoHubError.noDefault }
            hub = only
        }
        return (hub, hub.fingerprint == known.defaultHub)
    }

    /// Makes a hub the one that is used when none is named.
    @discardableResult
    package func use(_ selector: PeerSelector) throws -> ListedHub {
        try change(selector) { known, hub in
            switch hub {
            case .paired(let hub): known.use(hub.fingerprint)
            case .added(let hub): known.use(added: hub.name)
            }
        }
    }

    /// Gives a hub another name on this device. Two hubs of one name would be mistaken for each other.
    ///
    /// - Parameter first: is done before the keyfile is written, under the same lock; what it throws stops it.
    /// - Returns: the hub with its old name.
    package func rename(
        _ selector: PeerSelector, to name: PeerName,
        first: (borrowing ProtectedDirectory, ListedHub) throws -> Void = { _, _ in }
    ) throws -> ListedHub {
        try change(selector, first: first) { known, hub in
            guard name != hub.name else { return }
            if let other = known.hubs.first(where: { $0.name == name }) {
                throw PeerSelectorError.nameTaken(name: name.description, by: other.fingerprint)
            }
            guard !known.added.contains(where: { $0.name == name }) else { throw AddHubError.nameTaken(name) }
            switch hub {
            case .paired(var hub):
                hub.name = name
                known.insert(hub)
            case .added(let hub): known.rename(added: hub.name, to: name)
            }
        }
    }

    /// Forgets a hub. One that is paired still knows this device, until its owner revokes it there.
    ///
    /// - Parameter first: is done before the keyfile is written, under the same lock; what it throws stops it.
    package func forget(
        _ selector: PeerSelector,
        first: (borrowing ProtectedDirectory, ListedHub) throws -> Void = { _, _ in }
    ) throws -> ListedHub {
        try change(selector, first: first) { known, hub in
            switch hub {
            case .paired(let hub): known.forget(hub.fingerprint)
            case .added(let hub): known.forgetAdded(hub.name)
            }
        }
    }

    private static func hub(_ selector: PeerSelector, in known: KnownHubs) throws -> ListedHub {
        let hubs = known.hubs.map(ListedHub.paired) + known.added.map(ListedHub.added)
        // Of a hub that is paired and was added, too, the fingerprint means the one that has shown its key.
        let paired = Set(known.hubs.map(\.fingerprint))
        let peers = hubs.map { hub in
            guard case .added(let added) = hub else { return PeerSelector.Peer(hub.name, hub.fingerprint) }
            return PeerSelector.Peer(added.name, added.id.flatMap { paired.contains($0) ? nil : $0 })
        }
        return hubs[try selector.index(in: peers, kind: "hub", list: "hubpair hubs")]
    }

    private func change(
        _ selector: PeerSelector,
        first: (borrowing ProtectedDirectory, ListedHub) throws -> Void = { _, _ in },
        _ body: (inout KnownHubs, ListedHub) throws -> Void
    ) throws -> ListedHub {
        try write(first: first) { known in
            let hub = try ManageHubs.hub(selector, in: known)
            try body(&known, hub)
            return hub
        }
    }

    /// Reads, changes and writes the keyfile as one step.
    private func write<Result>(
        first: (borrowing ProtectedDirectory, Result) throws -> Void = { _, _ in },
        _ body: (inout KnownHubs) throws -> Result
    ) throws -> Result {
        let directory: ProtectedDirectory
        do {
            directory = try ProtectedDirectory(path: configuration.path)
        } catch FileError.missing {
            // Nothing is known, so none of the changes above finds anything to change.
            var known = KnownHubs()
            return try body(&known)
        }
        return try directory.withLock { directory in
            let before = try KnownHubs(in: directory)
            var known = before
            let result = try body(&known)
            if known != before {
                try first(directory, result)
                try directory.replace(KnownHubs.fileName, with: known.serialized)
            }
            return result
        }
    }
}
