package import Identity
package import Pairing

/// The user's decisions about the hubs that this computer knows. Each is one step on the keyfile.
package struct ManageHubs: Sendable {
    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// All paired hubs in the keyfile's order, and the one that is used when none is named.
    package func list() throws -> (hubs: [KnownHub], defaultHub: Fingerprint?) {
        let known = try configuration.knownHubs()
        return (known.hubs, known.defaultHub)
    }

    /// The hubs that were added by their addresses, in the keyfile's order.
    package func added() throws -> [AddedHub] { try configuration.knownHubs().added }

    /// The added hub that is used when none is named.
    package func defaultAdded() throws -> PeerName? { try configuration.knownHubs().defaultAdded }

    /// Notes that an added hub may be used although nothing protects the connection to it.
    package func allowInsecure(_ hub: AddedHub) throws {
        try KnownHubsFile(in: configuration).change { known, _ in known.allowInsecure(hub.name) }
    }

    /// The hub that is meant, paired or added.
    package func find(_ selector: PeerSelector) throws -> SavedHub {
        try ManageHubs.hub(selector, .forgiving, in: configuration.knownHubs())
    }

    /// The paired hub that is meant, and whether it is the default; nil means the default, or the only one
    /// there is.
    package func findPaired(_ selector: PeerSelector?) throws -> (hub: KnownHub, isDefault: Bool) {
        let known = try configuration.knownHubs()
        let hub: KnownHub
        if let selector {
            switch try ManageHubs.hub(selector, .forgiving, in: known) {
            case .paired(let paired): hub = paired
            case .added(let added) where added.kind == .stock: throw HubChoiceError.stock(added.name)
            case .added(let added): throw HubChoiceError.notPaired(added.name)
            }
        } else {
            guard !known.hubs.isEmpty else { throw HubChoiceError.noHub }
            guard
                let only = known.hubs.first(where: { $0.fingerprint == known.defaultHub })
                    ?? (known.hubs.count == 1 ? known.hubs.first : nil)
            else { throw HubChoiceError.noDefault(known.hubs.map(\.name)) }
            hub = only
        }
        return (hub, hub.fingerprint == known.defaultHub)
    }

    /// Makes a hub the one that is used when none is named.
    @discardableResult
    package func use(_ selector: PeerSelector) throws -> SavedHub {
        try change(selector) { known, hub in
            switch hub {
            case .paired(let hub): known.use(hub.fingerprint)
            case .added(let hub): known.use(added: hub.name)
            }
            return hub
        }
    }

    /// Selects the hubs that lists are about when none is named; none: only the default.
    package func select(_ selectors: [PeerSelector]) throws -> [KnownHub] {
        let hubs = try selectors.map { try findPaired($0).hub }
        try KnownHubsFile(in: configuration).change { known, _ in
            var fingerprints: [Fingerprint] = []
            for hub in hubs where !fingerprints.contains(hub.fingerprint) {
                fingerprints.append(hub.fingerprint)
            }
            known.select(fingerprints)
        }
        return hubs
    }

    /// Leaves a paired hub out of those that the page shows together, or takes it back in.
    package func hide(_ selector: PeerSelector, _ isHidden: Bool) throws {
        let hub = try findPaired(selector).hub
        try KnownHubsFile(in: configuration).change { known, _ in
            known.hide(
                known.hubs.map(\.fingerprint).filter { fingerprint in
                    fingerprint == hub.fingerprint ? isHidden : known.hidden.contains(fingerprint)
                })
        }
    }

    /// The selected hubs.
    package func selected() throws -> [KnownHub] {
        let known = try configuration.knownHubs()
        return known.selected.compactMap { fingerprint in
            known.hubs.first { $0.fingerprint == fingerprint }
        }
    }

    /// Gives a hub another name on this computer. A name that another hub has is refused: the two would be
    /// mistaken for each other.
    ///
    /// - Returns: the hub with its old name.
    package func rename(_ selector: PeerSelector, to name: PeerName) throws -> SavedHub {
        try change(selector) { known, hub in
            guard name != hub.name else { return hub }
            if let other = known.hubs.first(where: { $0.name == name }) {
                throw PeerSelectorError.nameTaken(name: name.description, by: other.fingerprint)
            }
            guard !known.added.contains(where: { $0.name == name }) else {
                throw HubChoiceError.nameTaken(name)
            }
            switch hub {
            case .paired(var hub):
                hub.name = name
                known.insert(hub)
            case .added(let hub):
                known.rename(added: hub.name, to: name)
            }
            return hub
        }
    }

    /// Forgets a hub. Its name counts to the byte.
    ///
    /// A paired hub still knows this computer, until its owner revokes it there.
    package func forget(_ selector: PeerSelector) throws -> SavedHub {
        try change(selector, .exact) { known, hub in
            switch hub {
            case .paired(let hub): known.forget(hub.fingerprint)
            case .added(let hub): known.forgetAdded(hub.name)
            }
            return hub
        }
    }

    private static func hub(
        _ selector: PeerSelector, _ matching: PeerSelector.Matching, in known: KnownHubs
    ) throws -> SavedHub {
        let hubs = known.hubs.map(SavedHub.paired) + known.added.map(SavedHub.added)
        // For a hub that is paired and also added, the fingerprint means the paired entry: it has shown its
        // key.
        let paired = Set(known.hubs.map(\.fingerprint))
        let peers = hubs.map { hub in
            guard case .added(let added) = hub else { return PeerSelector.Peer(hub.name, hub.fingerprint) }
            return PeerSelector.Peer(added.name, added.id.flatMap { paired.contains($0) ? nil : $0 })
        }
        return hubs[
            try selector.index(in: peers, kind: "hub", list: "hubpair hubs", matching: matching)]
    }

    private func change<Result>(
        _ selector: PeerSelector, _ matching: PeerSelector.Matching = .forgiving,
        _ body: (inout KnownHubs, SavedHub) throws -> Result
    ) throws -> Result {
        // Without a directory no hub is known; then it is this line that says so.
        _ = try ManageHubs.hub(selector, matching, in: configuration.knownHubs())
        return try KnownHubsFile(in: configuration).change { known, _ in
            try body(&known, ManageHubs.hub(selector, matching, in: known))
        }
    }
}
