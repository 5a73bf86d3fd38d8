import Addresses
import FoundationEssentials
package import Home
package import Identity
import Pairing
import PinnedTLS

/// The hubs that this computer may use, and connections to them. The user need not remember addresses: one
/// hub is the default, and one that has moved is found by its key.
package struct UseHub: Sendable {
    private let configuration: DeviceConfiguration
    /// For paired hubs; nil if this computer has no key.
    private let dialer: HubDialer?
    private let askWays: AskWays
    /// The fingerprint that identifies this computer to paired hubs; nil if it has no key.
    package let device: Fingerprint?

    package init(configuration: DeviceConfiguration) throws {
        self.configuration = configuration
        askWays = AskWays(configuration: configuration)
        if let credentials = DeviceIdentity.credentials(from: configuration),
            let connector = try? HubConnector(credentials: credentials)
        {
            device = credentials.pin.fingerprint
            dialer = HubDialer(configuration: configuration, connector: connector)
            return
        }
        let identity = try DeviceIdentity.load(from: configuration)
        device = identity?.pin.fingerprint
        dialer = try identity.map {
            HubDialer(configuration: configuration, connector: try HubConnector(identity: $0))
        }
    }

    /// Remembers what a hub's appliances are called, for completion in a shell, and its rooms, unless nil.
    package func noteNames(of devices: [ControlledDevice], rooms: [String]? = nil, hub: SavedHub) {
        ApplianceNames(configuration: configuration).note(devices, rooms: rooms, of: hub)
    }

    /// The same for its rooms or rules.
    package func note(
        _ names: [String], as kind: ApplianceNames.Kind, hub: SavedHub, adding: Bool = false
    ) {
        ApplianceNames(configuration: configuration).note(names, as: kind, of: hub, adding: adding)
    }

    /// What a hub's appliances were called when they were last noted.
    package func names(of hub: SavedHub) -> [String] {
        ApplianceNames(configuration: configuration).names(of: hub)
    }

    /// How a hub was when it was last looked at; nil if nobody has noted it.
    package func memory(of hub: SavedHub) -> ApplianceNames.Memory? {
        ApplianceNames(configuration: configuration).memory(of: hub)
    }

    /// The hubs of 'hubs select' that can be used; none if there is none.
    package func selected() throws -> [SavedHub] {
        let known = try configuration.knownHubs()
        return known.selected.compactMap { fingerprint in
            known.hubs.first { $0.fingerprint == fingerprint }.map(SavedHub.paired)
        }
    }

    /// Every hub that can be used, in the keyfile's order, stock ones last.
    package func all() throws -> [SavedHub] {
        let known = try configuration.knownHubs()
        return UseHub.usable(known)
    }

    /// The selected hub, and whether it is the default. Without a selector, the default or the only hub.
    package func find(_ selector: PeerSelector?) throws -> SavedHub {
        if let selector {
            let hub = try ManageHubs(configuration: configuration).find(selector)
            guard hub.isUsable else { throw HubChoiceError.notPaired(hub.name) }
            return hub
        }
        let known = try configuration.knownHubs()
        let hubs = UseHub.usable(known)
        let isDefault = { (hub: SavedHub) in
            switch hub {
            case .paired(let hub): hub.fingerprint == known.defaultHub
            case .added(let hub): hub.name == known.defaultAdded
            }
        }
        guard !hubs.isEmpty else { throw HubChoiceError.noHub }
        if let hub = hubs.first(where: isDefault) { return hub }
        guard hubs.count == 1 else { throw HubChoiceError.noDefault(hubs.map(\.name)) }
        return hubs[0]
    }

    /// The default hub, or the only one; nil if this computer knows none, or several and no default.
    func first() throws -> SavedHub? {
        do {
            return try find(nil)
        } catch HubChoiceError.noHub, HubChoiceError.noDefault {
            return nil
        }
    }

    /// Stores that the user accepts unprotected connections to a stock hub.
    package func allowInsecure(_ hub: SavedHub) throws {
        guard case .added(let hub) = hub, !hub.isInsecureAllowed else { return }
        try ManageHubs(configuration: configuration).allowInsecure(hub)
    }

    /// Opens a connection. A paired hub's key is checked in the handshake, and its new address is stored. A
    /// hub that had not approved this computer is first asked for its approval.
    ///
    /// - Parameters:
    ///   - isInsecureAllowed: true if the user accepts an unprotected connection this time.
    ///   - deadline: the maximum time for connecting.
    package func connect(
        to hub: SavedHub, isInsecureAllowed: Bool = false, deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        switch hub {
        case .paired(let hub):
            guard let dialer, let device else {
                throw DeviceIdentityError.missing(path: "\(configuration.path)/\(DeviceIdentity.keyFileName)")
            }
            let connection = try await dialer.connect(to: hub, deadline: deadline)
            if hub.isPending { try await checkApproval(of: device, by: hub, over: connection) }
            try await askWays.run(connection)
            return connection
        case .added(let hub) where hub.kind == .hubpair: throw HubChoiceError.notPaired(hub.name)
        case .added(let hub):
            guard isInsecureAllowed || hub.isInsecureAllowed else {
                throw HubChoiceError.unprotected(hub.name)
            }
            guard let address = HubAddress(hub.address) else {
                throw HubConnectionError(address: hub.address, reason: .noAddress)
            }
            // A stock hub generates a new key at every start, and one of 2018 may not support TLS 1.3.
            return try await HubConnector(allowsTLS12: true).connect(
                to: [address], expecting: .any, deadline: deadline)
        }
    }

    /// Asks a hub that had not approved this computer. An approval is stored; without one this throws.
    private func checkApproval(
        of device: Fingerprint, by hub: KnownHub, over connection: HubConnection
    ) async throws {
        let failure: any Error
        switch try await ApprovalRequest(device: device, connection: connection).run() {
        case .status(.approved):
            try PairFiles(configuration: configuration).noteApproval(of: hub.pin, now: Date())
            return
        // The next request shows whether the device is approved.
        case .busy: return
        case .status(.pending): failure = HubChoiceError.pending(hub.name, device: device)
        case .status(.revoked), .status(.expired): failure = PairError.revoked
        case .unknown, .noHub: failure = HubChoiceError.notPaired(hub.name)
        }
        connection.close()
        throw failure
    }

    private static func usable(_ known: KnownHubs) -> [SavedHub] {
        (known.hubs.map(SavedHub.paired) + known.added.map(SavedHub.added)).filter(\.isUsable)
    }
}
