import Addresses
import FoundationEssentials
import GatewayRules
package import Identity
import JSON
package import Pairing

/// The owner's decisions about which web services stand behind the hub: they count at once, also at a hub
/// that serves.
package struct ManageServices {
    private let state: HubState
    private let author: JournalEntry.Author?

    /// - Parameter author: the owner's device through which it is done; nil for the command line on the hub.
    package init(state: HubState, by author: JournalEntry.Author? = nil) {
        (self.state, self.author) = (state, author)
    }

    package func list() throws -> [WebService] {
        let directory = try state.open()
        _ = try HubState.hub(in: directory)
        return try HubState.services(in: directory).services
    }

    /// Adds a service, or changes the one of this name.
    ///
    /// - Parameters:
    ///   - port: the hub's port for it; nil: the one that it has, else the first free one after the hub's.
    ///   - isFree: whether a port may be had on this machine.
    ///   - settle: sets the rest; the service is as it was before, or new.
    /// - Returns: the service, and the one before.
    package func put(
        _ name: PeerName, _ upstream: Upstream, port: UInt16?, isFree: (UInt16) -> Bool = { _ in true },
        _ settle: (inout WebService) -> Void
    ) throws -> (service: WebService, before: WebService?) {
        try change { services, hub, facts in
            let before = services.services.first { $0.name == name }
            guard before != nil || services.services.count < WebServices.maximumCount else {
                throw ServiceError.tooMany
            }
            let taken = services.services.filter { $0.name != name }
            guard port != hub.port, !taken.contains(where: { $0.port == port }) else {
                throw ServiceError.portTaken(port ?? hub.port, by: taken.first { $0.port == port }?.name)
            }
            let ports = Set(taken.map(\.port) + [hub.port])
            let others = (hub.port...(UInt16.max)).dropFirst().prefix(200)
            guard
                let chosen = port ?? before?.port
                    ?? others.first(where: { !ports.contains($0) && isFree($0) })
            else { throw ServiceError.noPort }
            let own = LocalNetwork.current().map(\.address)
            for each in ports.union([chosen])
            where upstream.isHub(onPort: each, listen: hub.listen, own: own) {
                throw ServiceError.upstreamIsHub(upstream.text)
            }
            var service = WebService(port: chosen, name: name, upstream: upstream)
            if let before {
                (service.rights, service.host, service.told) = (before.rights, before.host, before.told)
                (service.maximumBody, service.kind) = (before.maximumBody, before.kind)
                service.isAnnounced = before.isAnnounced
            }
            settle(&service)
            services.put(service)
            var fact = JournalEntry.Fact(before == nil ? .made : .changed, of: service)
            fact.role = service.rights.role.rawValue
            if let before, before.rights.role != service.rights.role {
                fact.before = before.rights.role.rawValue
            }
            facts.append(fact)
            return (service, before)
        }
    }

    /// Lets devices use a service whatever their role, or not; those that have left the hub are forgotten.
    ///
    /// - Parameter text: its name or port.
    /// - Returns: the service, and for each device whether that is a change. All of them change, or none.
    package func set(
        _ text: String, for selectors: [PeerSelector], mayUse: Bool
    ) throws -> (service: WebService, devices: [(device: ApprovedDevice, changed: Bool)]) {
        // The register first: its lock is the same.
        let all = try AdministerDevices(state: state).list()
        return try change { services, _, facts in
            guard var service = services.service(text) else { throw ServiceError.unknown(text) }
            let peers = all.map { PeerSelector.Peer($0.name, $0.fingerprint, status: $0.status.rawValue) }
            service.rights.keep { known in all.contains { $0.fingerprint == known } }
            let devices = try selectors.map { selector in
                let device = all[try selector.index(in: peers, kind: "device", list: "hubpair devices")]
                let isChanged = service.rights.set(device, mayUse: mayUse)
                if isChanged {
                    var fact = JournalEntry.Fact(.changed, of: service)
                    (fact.device, fact.name) = (device.fingerprint, device.name)
                    fact.state = .boolean(mayUse)
                    facts.append(fact)
                }
                return (device, isChanged)
            }
            guard
                max(service.rights.allowed.count, service.rights.denied.count)
                    <= WebServices.maximumExceptionCount
            else { throw ServiceError.tooManyExceptions }
            services.put(service)
            return (service, devices)
        }
    }

    /// - Parameter text: its name or port.
    /// - Returns: the service that was there.
    @discardableResult
    package func remove(_ text: String) throws -> WebService {
        try change { services, _, facts in
            guard let service = services.service(text) else { throw ServiceError.unknown(text) }
            services.remove(service)
            facts.append(JournalEntry.Fact(.removed, of: service))
            return service
        }
    }

    /// - Parameter body: changes the services, and says what the journal is to tell of it.
    private func change<Result>(
        _ body: (inout WebServices, HubSettings, inout [JournalEntry.Fact]) throws -> Result
    ) throws -> Result {
        try state.open().withLock { directory in
            let hub = try HubState.hub(in: directory).settings
            let before = try HubState.services(in: directory)
            var services = before
            var facts: [JournalEntry.Fact] = []
            let result = try body(&services, hub, &facts)
            guard services != before else { return result }
            try directory.replace(WebServices.fileName, with: services.serialized)
            Journal.note(facts, by: author, at: Date(), in: directory)
            return result
        }
    }
}

extension JournalEntry.Fact {
    fileprivate init(_ event: JournalEntry.Event, of service: WebService) {
        self.init(event)
        (kind, what) = (JournalEntry.serviceKind, service.name.description)
    }
}

/// Why the services of a hub stay as they are.
package enum ServiceError: Equatable, UserError {
    case tooMany
    case tooManyExceptions
    /// Another service has the port, or the hub itself.
    case portTaken(UInt16, by: PeerName?)
    /// No port is free soon after the hub's.
    case noPort
    case unknown(String)
    /// The server is the hub: every request would come back.
    case upstreamIsHub(String)

    package var description: String {
        switch self {
        case .tooMany: "a hub has at most \(WebServices.maximumCount) services"
        case .tooManyExceptions:
            "a service has at most \(WebServices.maximumExceptionCount) devices named for it"
        case .portTaken(let port, let name?): "the service \"\(name)\" has the port \(port)"
        case .portTaken(let port, nil): "the hub itself has the port \(port)"
        case .noPort: "no port after the hub's is free"
        case .unknown(let text): "this hub has no service \"\(text)\""
        case .upstreamIsHub(let url): "\(url) is a port of this hub"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .tooMany, .tooManyExceptions, .portTaken, .noPort, .upstreamIsHub: .usage
        case .unknown: .notFound
        }
    }

    package var hint: String? {
        switch self {
        case .tooMany: "take one away first: hubpair hub service remove NAME"
        case .tooManyExceptions: "give a role the service instead: hubpair hub service add --help"
        case .portTaken, .noPort: "say another one with --port"
        case .unknown: "'hubpair hub service' lists them"
        case .upstreamIsHub:
            "give the address at which the service itself listens, like http://127.0.0.1:3000"
        }
    }
}
