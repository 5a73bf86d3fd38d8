import FoundationEssentials
package import Identity
import Pairing
import PinnedTLS

/// Finds the hubs that this device may use and opens connections to them, so that nobody has to remember anything:
/// the hub used last is the default, and one that has moved is found again by its key.
package struct ReachHubs: Sendable {
    private let configuration: DeviceConfiguration
    /// To paired hubs; nil if this device has no key.
    private let finder: HubFinder?
    /// By which paired hubs know this device; nil if it has no key.
    package let device: Fingerprint?

    package init(configuration: DeviceConfiguration) throws {
        self.configuration = configuration
        if let credentials = DeviceIdentity.credentials(from: configuration),
            let connector = try? HubConnector(credentials: credentials)
        {
            device = credentials.pin.fingerprint
            finder = HubFinder(configuration: configuration, connector: connector)
            return
        }
        let identity = try DeviceIdentity.load(from: configuration)
        device = identity?.pin.fingerprint
        finder = try identity.map {
            HubFinder(configuration: configuration, connector: try HubConnector(identity: $0))
        }
    }

    /// Every hub that can be used, in the keyfile's order, stock ones last.
    package func all() throws -> [UsableHub] {
        let known = try configuration.knownHubs()
        return ReachHubs.usable(known)
    }

    /// The hub that is meant, and whether it is the default; without a selector the default, or the only one there is.
    package func find(_ selector: PeerSelector?) throws -> (hub: UsableHub, isDefault: Bool) {
        let known = try configuration.knownHubs()
        let hubs = ReachHubs.usable(known)
        let isDefault = { (hub: UsableHub) in
            switch hub {
            case .paired(let hub): hub.fingerprint == known.defaultHub
            case .stock(let hub): hub.name == known.defaultAdded
            }
        }
        if let selector {
            switch try ManageHubs(configuration: configuration).find(selector) {
            case .added(let hub) where hub.kind == .hubpair: throw UseHubError.notPaired(hub.name)
            case .added(let hub): return (.stock(hub), isDefault(.stock(hub)))
            case .paired(let hub): return (.paired(hub), isDefault(.paired(hub)))
            }
        }
        guard !hubs.isEmpty else { throw NoHubError.notPaired }
        if let hub = hubs.first(where: isDefault) { return (hub, true) }
        guard hubs.count == 1 else { throw NoHubError.noDefault }
        return (hubs[0], false)
    }

    /// Makes a hub the default. The file is written only if it was not.
    package func use(_ hub: UsableHub) throws {
        let manage = ManageHubs(configuration: configuration)
        switch hub {
        case .paired(let hub): _ = try manage.use(PeerSelector(hub.fingerprint.description))
        case .stock(let hub): _ = try manage.use(PeerSelector(hub.name.description))
        }
    }

    /// Notes that the user takes an unprotected connection to a stock hub.
    package func allowInsecure(_ hub: UsableHub) throws {
        guard case .stock(let hub) = hub, !hub.isInsecureAllowed else { return }
        try ManageHubs(configuration: configuration).allowInsecure(hub)
    }

    /// Opens a connection. A paired hub's key is checked in the handshake; a new address of it is remembered.
    ///
    /// - Parameters:
    ///   - isInsecureAllowed: the user has just said so.
    ///   - deadline: the longest that it may take.
    package func connect(
        to hub: UsableHub, isInsecureAllowed: Bool = false, deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        switch hub {
        case .paired(let hub):
            guard let finder else {
                throw DeviceIdentityError.missing(path: "\(configuration.path)/\(DeviceIdentity.keyFileName)")
            }
            return try await finder.connect(to: hub, deadline: deadline)
        case .stock(let hub):
            guard isInsecureAllowed || hub.isInsecureAllowed else { throw UseHubError.unprotected(hub.name) }
            guard let address = HubAddress(hub.address) else {
                throw HubConnectionError(address: hub.address, reason: .noAddress)
            }
            // A stock hub makes a new key at every start, and one of 2018 may know no TLS 1.3.
            return try await HubConnector(allowsTLS12: true).connect(
                to: [address], expecting: .any, deadline: deadline)
        }
    }

    private static func usable(_ known: KnownHubs) -> [UsableHub] {
        known.hubs.map(UsableHub.paired) + known.added.filter { $0.kind == .stock }.map(UsableHub.stock)
    }
}

/// Why a hub that is known may not be used.
package enum UseHubError: Equatable, UserError {
    /// A stock hub, and the user has not said that this is all right.
    case unprotected(PeerName)
    /// It was added by its address, and could be paired with.
    case notPaired(PeerName)
    /// It has no key that a device could be paired with.
    case stock(PeerName)
    /// Its owner has not approved this device yet.
    case pending(PeerName, device: Fingerprint)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unprotected(let name):
            "\(name) is a stock hub: nobody can tell whether it is really the one that answers"
        case .notPaired(let name): "this device is not paired with \(name)"
        case .stock(let name): "\(name) is a stock hub, which no device can be paired with"
        case .pending(let name, _): "the owner of \(name) has not approved this device yet"
        }
    }

    package var kind: UserErrorKind { .notPermitted }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .unprotected:
            "to use it all the same, say --insecure once; 'hubpair setup' and 'serve' on the hub would protect it"
        case .notPaired: "on the hub: 'hubpair print' makes a code; on this device: 'hubpair pair' uses it"
        case .stock: "'hubpair home' can use it; 'hubpair setup' and 'serve' on the hub would protect it"
        case .pending(_, let device):
            "on the hub: compare the fingerprint and run 'hubpair devices approve \(device)'"
        }
    }
}
