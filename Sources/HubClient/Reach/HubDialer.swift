import Addresses
import Pairing
import Synchronization

/// Connects to a hub by what is known of it: a code, the keyfile, or the place that the user names.
struct HubDialer: Sendable {
    let configuration: DeviceConfiguration
    let connector: HubConnector

    /// The network is asked if a known address has not answered after this long.
    private static let patience = Duration.milliseconds(300)

    /// Connects to the hub of a code. If the code has a pin, any address may be tried, because the handshake
    /// checks the key. A typed code has none, and goes only to the place that the user names, or to the only
    /// hub there is.
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

    /// Connects again to a hub that the code has led to, only to places that the code and the user name.
    ///
    /// - Parameters:
    ///   - pin: of the key that the hub has shown.
    ///   - kind: of the addresses that are tried.
    /// - Returns: nil if the hub cannot be reached so, for whatever reason: the caller has an address where
    ///   it was.
    func reconnect(
        to pin: Pin, code: ScannedCode, place: HubPlace?, kind: AddressKind = .any
    ) async -> HubConnection? {
        var hint: PairingCode.AddressHint?
        if case .pairing(let code) = code { hint = code.addressHint }
        return try? await connect(pin, hint: hint, place: place, kind: kind, deadline: .seconds(3))
    }

    /// The address to look for the hub of a code next time: the one where it was reached, or in the place of
    /// a link-local one another where it answers too.
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
        var addresses: [HubAddress] = []
        if let hint, let address = NetworkAddress(bytes: hint.ipv4) {
            addresses.append(HubAddress(address, port: hint.port))
        }
        switch place {
        case .address(let address):
            return try await connector.connect(
                to: addresses + [address], expecting: .pin(pin), kind: kind, deadline: deadline)
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
    /// is remembered, but not a link-local one in the place of a lasting one.
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
        // The first answer came from a link-local address. A lasting one is worth another second; without it
        // the old one is kept.
        guard
            let better = try? await connect(
                hub.pin, [], search: .fingerprint(hub.fingerprint), kind: .lasting, deadline: .seconds(1))
        else { return connection }
        try remember(better)
        return better
    }

    /// - Parameter early: notes addresses that failed, which begins the search and makes it short: a machine
    ///   that refuses is there, so most likely the hub is down. Without it the search takes as long as it
    ///   needs.
    private func connect(
        _ pin: Pin, _ addresses: [HubAddress], search target: HubLookup.Target, after delay: Duration = .zero,
        or early: HubLookup.EarlyFailure? = nil, kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        let failure = Failure()
        let more = HubLookup(target: target).addresses(after: delay, or: early) { error in
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

    /// Connects where a typed code may go: to the address that was named, or to the only hub that is
    /// announced.
    private func connectWithoutPin(_ place: HubPlace?) async throws -> HubConnection {
        let target: HubLookup.Target
        switch place {
        case .address(let address): return try await connector.connect(to: [address], expecting: .any)
        case .name(let name): target = Fingerprint(forgiving: name).map { .fingerprint($0) } ?? .name(name)
        case nil: target = .any
        }
        // An id that is announced twice counts as one hub: a copy of it fails in the handshake.
        var found: [Fingerprint: [HubLookup.Candidate]] = [:]
        for try await candidate in HubLookup(target: target).candidates {
            found[candidate.id, default: []].append(candidate)
        }
        guard let (id, candidates) = found.first else {
            // It may be a host name without a dot.
            if case .name(let name) = place, let address = HubAddress(name) {
                return try await connector.connect(to: [address], expecting: .any)
            }
            throw HubLookupError.notFound(target.description)
        }
        guard found.count == 1 else {
            throw HubLookupError.several(
                found.map { "\($0.value.first?.name ?? "-") (\($0.key))" }.sorted())
        }
        return try await connector.connect(
            to: candidates.flatMap(\.addresses), expecting: .fingerprint(id))
    }

    /// Why the search ended early, if it did.
    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    private func remember(_ connection: HubConnection) throws {
        try KnownHubsFile(in: configuration).change { known, _ in
            // The user may have forgotten it meanwhile.
            guard var hub = known.hubs.first(where: { $0.pin == connection.pin }) else { return }
            hub.address = connection.address.description
            known.insert(hub)
        }
    }
}

extension HubAddress {
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
