import Addresses
import Discovery
import FoundationEssentials
import Pairing
import Synchronization

/// Connects to a hub with the information from a code, the keyfile, or the user.
struct HubDialer: Sendable {
    let configuration: DeviceConfiguration
    let connector: HubConnector

    /// How long to wait for a known address before the network is searched.
    private static let patience = Duration.milliseconds(300)

    /// Connects to the hub of a code. If the code has a pin, any address may be tried, because the handshake
    /// checks the key. A typed code has none, so only the place that the user names, or the only hub on the
    /// network, is tried.
    func connect(code: ScannedCode, place: HubPlace?) async throws -> HubConnection {
        guard case .pairing(let code) = code else {
            return try await connectWithoutPin(place)
        }
        if case .name(let name) = place, let asked = Fingerprint(forgiving: name),
            asked != code.hub.fingerprint
        {
            throw HubLookupError.otherHub(asked: name, code: code.hub.fingerprint)
        }
        return try await connect(code.hub, hint: code.addressHint, place: place)
    }

    /// Connects again to a hub that was reached with the code, using only the places that the code and the
    /// user name.
    ///
    /// - Parameters:
    ///   - pin: the pin of the hub's key.
    ///   - kind: which addresses are tried.
    /// - Returns: nil if the hub cannot be reached this way for any reason; the caller still has the first
    ///   address.
    func reconnect(
        to pin: Pin, code: ScannedCode, place: HubPlace?, kind: AddressKind = .any
    ) async -> HubConnection? {
        var hint: PairingCode.AddressHint?
        if case .pairing(let code) = code { hint = code.addressHint }
        return try? await connect(pin, hint: hint, place: place, kind: kind, deadline: .seconds(3))
    }

    /// The address to store for the hub of a code: the one where it was reached, or, if that is link-local, a
    /// lasting address where it answers too.
    func lastingAddress(
        of connection: HubConnection, code: ScannedCode, place: HubPlace?
    ) async -> HubAddress {
        guard !connection.address.isLasting else { return connection.address }
        return await reconnect(to: connection.pin, code: code, place: place, kind: .lasting)?.address
            ?? connection.address
    }

    private func connect(
        _ pin: Pin, hint: PairingCode.AddressHint?, place: HubPlace?, kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        let hinted = hint.flatMap { hint in
            NetworkAddress(bytes: hint.ipv4).map { HubAddress($0, port: hint.port) }
        }
        let isTried = hinted?.isOnOwnLink(among: LocalNetwork.current()) ?? false
        do {
            return try await connect(
                pin, isTried ? hinted.map { [$0] } ?? [] : [], place: place, kind: kind, deadline: deadline)
        } catch HubLookupError.notFound(let what) where !isTried {
            guard let hinted else { throw HubLookupError.notFound(what) }
            throw HubLookupError.notOnLink(what, address: hinted.description)
        }
    }

    private func connect(
        _ pin: Pin, _ addresses: [HubAddress], place: HubPlace?, kind: AddressKind, deadline: Duration
    ) async throws -> HubConnection {
        var addresses = addresses
        switch place {
        case .address(let address):
            return try await connector.connect(
                to: addresses + [address], expecting: .pin(pin), kind: kind, deadline: deadline)
        case .found(let hub):
            return try await connector.connect(
                to: addresses + hub.addresses, expecting: .pin(pin), kind: kind, deadline: deadline)
        case .name(let name) where Fingerprint(forgiving: name) == nil:
            return try await connect(pin, addresses, search: .name(name), kind: kind, deadline: deadline)
        case .name:
            return try await connect(
                pin, addresses, search: .fingerprint(pin.fingerprint), kind: kind, deadline: deadline)
        case nil:
            let known = try configuration.knownHubs().hubs.first { $0.pin == pin }
            if let address = known?.address.flatMap(HubAddress.init) { addresses.append(address) }
            return try await connect(
                pin, addresses, search: .fingerprint(pin.fingerprint),
                after: addresses.isEmpty ? .zero : HubDialer.patience, kind: kind, deadline: deadline)
        }
    }

    /// Connects to a hub of the keyfile, at its last address or where it announces itself now. A new address
    /// is stored, unless it is link-local and the old one is lasting.
    func connect(to hub: KnownHub, deadline: Duration) async throws -> HubConnection {
        let last = hub.address.flatMap(HubAddress.init)
        let connection = try await connect(
            hub.pin, last.map { [$0] } ?? [], search: .fingerprint(hub.fingerprint),
            after: last == nil ? .zero : HubDialer.patience, or: last == nil ? nil : HubLookup.EarlyFailure(),
            deadline: deadline)
        guard hub.address != connection.address.description, last?.isName != true else { return connection }
        if connection.address.isLasting || last?.isLasting != true {
            try remember(connection)
            return connection
        }
        // The hub was reached at a link-local address first. Spend up to another second on a lasting one;
        // otherwise keep the old address.
        guard
            let better = try? await connect(
                hub.pin, [], search: .fingerprint(hub.fingerprint), kind: .lasting, deadline: .seconds(1))
        else { return connection }
        try remember(better)
        return better
    }

    /// - Parameter early: reports that a known address has failed, which starts the search early and shortens
    ///   it: a machine that refuses connections is up, so most likely the hub is not running. Without it the
    ///   search is not shortened.
    private func connect(
        _ pin: Pin, _ addresses: [HubAddress], search target: HubLookup.Target, after delay: Duration = .zero,
        or early: HubLookup.EarlyFailure? = nil, kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        let failure = Failure()
        let more = HubLookup(target).addresses(after: delay, or: early) { error in
            failure.error.withLock { $0 = error }
        }
        do {
            return try await connector.connect(
                to: addresses, and: more, expecting: .pin(pin), kind: kind, deadline: deadline
            ) { early?.note($0) }
        } catch let error as HubConnectionError where error.reason == .noAddress {
            if let error = failure.error.withLock({ $0 }) { throw error }
            throw HubLookupError.notFound(target.description)
        }
    }

    /// Connects to the place that a typed code allows: the address that was named, or the only announced hub.
    private func connectWithoutPin(_ place: HubPlace?) async throws -> HubConnection {
        let target: HubLookup.Target
        switch place {
        case .address(let address): return try await connector.connect(to: [address], expecting: .any)
        case .name(let name): target = Fingerprint(forgiving: name).map { .fingerprint($0) } ?? .name(name)
        case .found(let hub):
            return try await connector.connect(to: hub.addresses, expecting: .fingerprint(hub.id))
        case nil: target = .any
        }
        let found = try await HubLookup(target).hubs()
        guard let hub = found.first else {
            // It may be a host name without a dot.
            if case .name(let name) = place, let address = HubAddress(name) {
                return try await connector.connect(to: [address], expecting: .any)
            }
            throw HubLookupError.notFound(target.description)
        }
        guard found.count == 1 else {
            throw HubLookupError.several(found.map { "\($0.name) (\($0.id))" })
        }
        return try await connector.connect(to: hub.addresses, expecting: .fingerprint(hub.id))
    }

    /// Why the search ended early, if it did.
    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    private func remember(_ connection: HubConnection) throws {
        try KnownHubsFile(in: configuration).change { known, _ in
            // The user may have removed the hub meanwhile.
            guard var hub = known.hubs.first(where: { $0.pin == connection.pin }) else { return }
            hub.address = connection.address.description
            known.insert(hub)
        }
    }
}

extension HubAddress {
    /// ``HubAddressRules/isOnOwnLink(_:)``; a name is what a person has said.
    func isOnOwnLink(among networks: [LocalNetwork]) -> Bool {
        guard case .address(let address) = host else { return true }
        return HubAddressRules(networks: networks).isOnOwnLink(address)
    }

    fileprivate var isName: Bool { if case .name = host { true } else { false } }
}

extension HubLookup.Target: CustomStringConvertible {
    var description: String {
        switch self {
        case .fingerprint(let fingerprint): "the hub \(fingerprint)"
        case .name(let name): "a hub called \"\(name)\""
        case .any: "a hub that can pair"
        }
    }
}
