package import Pairing

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

    /// Forgets an added hub.
    ///
    /// - Returns: nil if none bears the name.
    package func forgetAdded(_ selector: PeerSelector) throws -> AddedHub? {
        try write { known in
            guard let hub = known.added.first(where: { selector.isName($0.name) }) else { return nil }
            known.forgetAdded(hub.name)
            return hub
        }
    }

    /// Makes an added hub the one that is used when none is named.
    ///
    /// - Returns: nil if none bears the name.
    package func useAdded(_ selector: PeerSelector) throws -> AddedHub? {
        try write { known in
            guard let hub = known.added.first(where: { selector.isName($0.name) }) else { return nil }
            known.use(added: hub.name)
            return hub
        }
    }

    /// The added hub that is used when none is named.
    package func defaultAdded() throws -> PeerName? { try configuration.knownHubs().defaultAdded }

    /// Gives an added hub another name.
    ///
    /// - Returns: nil if none bears the old one.
    package func renameAdded(_ selector: PeerSelector, to name: PeerName) throws -> AddedHub? {
        try write { known in
            guard let hub = known.added.first(where: { selector.isName($0.name) }) else { return nil }
            let isTaken = (known.hubs.map(\.name) + known.added.map(\.name)).contains(name)
            guard name == hub.name || !isTaken else { throw AddHubError.nameTaken(name) }
            known.rename(added: hub.name, to: name)
            return hub
        }
    }

    /// Notes that an added hub may be used although nothing protects the connection to it.
    package func allowInsecure(_ hub: AddedHub) throws { try write { $0.allowInsecure(hub.name) } }

    /// The hub that is meant, and whether it is the default; nil means the default, or the only one there is.
    package func find(_ selector: PeerSelector?) throws -> (hub: KnownHub, isDefault: Bool) {
        let known = try configuration.knownHubs()
        let index: Int
        if let selector {
            index = try selector.index(
                in: known.hubs.map { ($0.name, $0.fingerprint) }, kind: "hub", list: "hubpair hubs")
        } else {
            guard !known.hubs.isEmpty else { throw NoHubError.notPaired }
            guard
                let position = known.hubs.firstIndex(where: { $0.fingerprint == known.defaultHub })
                    ?? (known.hubs.count == 1 ? 0 : nil)
            else { throw NoHubError.noDefault }
            index = position
        }
        return (known.hubs[index], known.hubs[index].fingerprint == known.defaultHub)
    }

    /// Makes a hub the one that is used when none is named.
    package func use(_ selector: PeerSelector) throws -> KnownHub {
        try change(selector) { known, hub in known.use(hub.fingerprint) }
    }

    /// Gives a hub another name on this device. Two hubs of one name would be mistaken for each other.
    package func rename(_ selector: PeerSelector, to name: PeerName) throws -> KnownHub {
        try change(selector) { known, hub in
            if let other = known.hubs.first(where: { $0.name == name && $0.pin != hub.pin }) {
                throw PeerSelectorError.nameTaken(name: name.description, by: other.fingerprint)
            }
            guard !known.added.contains(where: { $0.name == name }) else { throw AddHubError.nameTaken(name) }
            hub.name = name
            known.insert(hub)
        }
    }

    /// Forgets a hub. The hub still knows this device, until its owner revokes it there.
    package func forget(_ selector: PeerSelector) throws -> KnownHub {
        try change(selector) { known, hub in known.forget(hub.fingerprint) }
    }

    private func change(
        _ selector: PeerSelector, _ body: (inout KnownHubs, inout KnownHub) throws -> Void
    ) throws -> KnownHub {
        try write { known in
            let index = try selector.index(
                in: known.hubs.map { ($0.name, $0.fingerprint) }, kind: "hub", list: "hubpair hubs")
            var hub = known.hubs[index]
            try body(&known, &hub)
            return hub
        }
    }

    /// Reads, changes and writes the keyfile as one step.
    private func write<Result>(_ body: (inout KnownHubs) throws -> Result) throws -> Result {
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
            if known != before { try directory.replace(KnownHubs.fileName, with: known.serialized) }
            return result
        }
    }
}
