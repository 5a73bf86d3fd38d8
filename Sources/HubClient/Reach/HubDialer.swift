import Addresses
import FoundationEssentials
import Pairing
import Synchronization

/// Connects to a hub by what is known of it: a code, the keyfile, or where a person says that it is.
struct HubDialer: Sendable {
    let configuration: DeviceConfiguration
    let connector: HubConnector

    /// How long a known address may keep us waiting before the network is asked.
    private static let patience = Duration.milliseconds(300)

    /// The hub of a code. One with a pin may be tried anywhere, since the handshake checks it; a typed code goes
    /// only where it is told to, or to the only hub there is.
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

    /// The hub of a code once more, when its key has been seen: perhaps at an address of another kind, and nowhere that
    /// the code would not have led to.
    func connect(
        again pin: Pin, code: ScannedCode, place: HubPlace?, kind: AddressKind, deadline: Duration
    ) async throws -> HubConnection {
        var hint: PairingCode.AddressHint?
        if case .pairing(let code) = code { hint = code.addressHint }
        return try await connect(pin, hint: hint, place: place, kind: kind, deadline: deadline)
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
            // The network is asked only if that keeps us waiting.
            return try await connect(
                pin, addresses, search: .fingerprint(pin.fingerprint),
                after: addresses.isEmpty ? .zero : HubDialer.patience, kind: kind, deadline: deadline)
        }
    }

    /// A hub that this device is paired with: where it was last, or where it announces itself now. A new address
    /// is remembered, but for a link-local one in the place of one that is good for longer.
    func connect(
        to hub: KnownHub, deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        let connection = try await reach(hub, deadline: deadline)
        if hub.isPending { try await checkApproval(of: hub, over: connection) }
        return connection
    }

    private func reach(_ hub: KnownHub, deadline: Duration) async throws -> HubConnection {
        let last = hub.address.flatMap(HubAddress.init)
        // The network is asked only if the last address keeps us waiting, or fails.
        let connection = try await connect(
            hub.pin, last.map { [$0] } ?? [], search: .fingerprint(hub.fingerprint),
            after: last == nil ? .zero : HubDialer.patience, or: last == nil ? nil : HubLookup.EarlyFailure(),
            deadline: deadline)
        guard hub.address != connection.address.description, last?.isName != true else { return connection }
        if connection.address.isLasting || last?.isLasting != true {
            try remember(connection)
            return connection
        }
        // Whoever answered first did so at a link-local address; another one is worth a moment, and the old one more than
        // none.
        guard
            let better = try? await connect(
                hub.pin, [], search: .fingerprint(hub.fingerprint), kind: .lasting, deadline: .seconds(1))
        else { return connection }
        try remember(better)
        return better
    }

    /// - Parameter early: notes addresses that failed, which begins the search and makes it short: a machine that
    ///   refuses is there, so most likely the hub is down. Without it the search takes as long as it needs.
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

    /// Where a typed code may go: to the address that was named, or to the one hub that is announced.
    private func connectWithoutPin(_ place: HubPlace?) async throws -> HubConnection {
        let target: HubLookup.Target
        switch place {
        case .address(let address): return try await connector.connect(to: [address], expecting: .any)
        case .name(let name): target = Fingerprint(forgiving: name).map { .fingerprint($0) } ?? .name(name)
        case nil: target = .any
        }
        // An id that is announced twice is one hub, and whoever has copied it fails in the handshake.
        var found: [Fingerprint: [HubLookup.Candidate]] = [:]
        for try await candidate in HubLookup(target: target).candidates {
            found[candidate.id, default: []].append(candidate)
        }
        guard let (id, candidates) = found.first else {
            // A host's name without a dot.
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
            // It may have been forgotten meanwhile.
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
