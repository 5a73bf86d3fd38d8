package import GatewayRules
package import Pairing

/// The owner's decisions about what the hub is called: what is added counts at once, also at a hub that
/// serves.
package struct AdministerNames {
    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// All names and addresses of the hub, as they are now.
    package func list() throws -> [HubNameRecord] {
        try HubNames.current(of: state).entries.map { entry in
            HubNameRecord(
                host: entry.host.text, origin: entry.origin.rawValue, interface: entry.interface,
                certificate: entry.leaf.map { $0 == .installed ? "installed" : "hub" })
        }
    }

    /// - Returns: the name, and false if the hub had it already.
    package func add(_ host: WebHost) throws -> (record: HubNameRecord, changed: Bool) {
        let isNew = try change { hosts, names throws(NameError) in
            guard !names.contains(host) else { return false }
            guard hosts.count < HubSettings.maximumHosts else { throw .tooMany }
            hosts.append(host.text)
            return true
        }
        let record = try list().first { $0.host == host.text }
        return (
            record ?? HubNameRecord(host: host.text, origin: HubNames.Origin.loopback.rawValue), isNew
        )
    }

    /// Takes a name back that was added.
    package func remove(_ host: WebHost) throws {
        _ = try change { hosts, names throws(NameError) in
            let before = hosts.count
            hosts.removeAll { WebHost($0) == host }
            guard hosts.count < before else {
                guard names.contains(host) else { throw .unknown(host) }
                throw .ownName(host, isCertified: names.sources.installed.contains(host.text))
            }
            return true
        }
    }

    private func change(
        _ body: (inout [String], HubNames) throws(NameError) -> Bool
    ) throws -> Bool {
        try state.open().withLock { directory in
            let settings = try HubState.hub(in: directory).settings
            let names = HubNames(.current(settings, in: directory))
            var hosts = settings.hosts
            guard try body(&hosts, names), hosts != settings.hosts,
                let bytes = try directory.read(HubSettings.fileName)
            else { return false }
            try directory.replace(
                HubSettings.fileName, with: settings.with(hosts: hosts).serialized(in: bytes))
            return true
        }
    }
}

extension WebHost {
    /// Without the brackets of an address.
    package var text: String {
        switch self {
        case .name(let name): name
        case .address(let address): "\(address)"
        }
    }
}
