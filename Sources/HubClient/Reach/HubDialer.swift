import Addresses
import Discovery
import FoundationEssentials
import Pairing
import Synchronization

/// Connects to a hub with the information from a code, the keyfile, or the user.
struct HubDialer: Sendable {
    let configuration: DeviceConfiguration
    let connector: HubConnector
    /// The addresses that searches have found, for another connection to the same hub: what one search hears
    /// the next one may not, when a part of the network is cut off.
    private let found = Found()

    init(configuration: DeviceConfiguration, connector: HubConnector) {
        (self.configuration, self.connector) = (configuration, connector)
    }

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
            throw SoughtHubError.otherHub(asked: name, code: code.hub.fingerprint)
        }
        if case .hub(let asked, _) = place, asked != code.hub.fingerprint {
            throw SoughtHubError.otherHub(asked: "\(asked)", code: code.hub.fingerprint)
        }
        return try await connect(code.hub, hint: code.addressHint, place: place)
    }

    /// Connects again to a hub that was reached with the code, using only the places that the code and the
    /// user name, and those that were found before.
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

    /// The default hub, if this address is its last one, and another key answers there now also to who asks
    /// for that hub by its fingerprint, as a relay is asked: most likely it was set up again.
    ///
    /// - Returns: nil also if that cannot be found out: the hub that was paired with is stored all the same.
    func hub(replacedBy pin: Pin, at address: HubAddress) async -> KnownHub? {
        guard let known = try? configuration.knownHubs(), !known.hubs.contains(where: { $0.pin == pin }),
            let hub = known.hubs.first(where: { $0.fingerprint == known.defaultHub }),
            hub.address == address.description
        else { return nil }
        do {
            try await connector.connect(
                to: [address], expecting: .pin(hub.pin), relays: [address], deadline: .seconds(3)
            ).close()
        } catch let error as HubConnectionError {
            if case .otherKey = error.reason { return hub }
        } catch {}
        return nil
    }

    private func connect(
        _ pin: Pin, hint: PairingCode.AddressHint?, place: HubPlace?, kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        // A name of the local network is what the search asks for anyway; a resolver may take seconds to say
        // that it does not know it.
        let isSearched = hint?.host.hasSuffix(".local") ?? true
        let hinted = isSearched ? nil : hint.flatMap { HubAddress($0.description) }
        let isTried = hinted?.isOnOwnLink(among: LocalNetwork.current()) ?? false
        do {
            return try await connect(
                pin, isTried ? hinted.map { [$0] } ?? [] : [], place: place, kind: kind, deadline: deadline)
        } catch SoughtHubError.notFound(let what) where !isTried {
            guard let hinted else { throw SoughtHubError.notFound(what) }
            throw SoughtHubError.notOnLink(what, address: hinted.description)
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
        case .hub(_, let address):
            return try await connector.connect(
                to: addresses + [address], expecting: .pin(pin), relays: [address], kind: kind,
                deadline: deadline)
        case .found(let hub):
            return try await connector.connect(
                to: addresses + hub.addresses, expecting: .pin(pin), kind: kind, deadline: deadline)
        case .name(let name) where Fingerprint(forgiving: name) == nil:
            return try await connect(pin, addresses, search: .name(name), kind: kind, deadline: deadline)
        case .name:
            return try await connect(
                pin, addresses, search: .fingerprint(pin.fingerprint), kind: kind, deadline: deadline)
        case nil:
            if let known = try configuration.knownHubs().hubs.first(where: { $0.pin == pin }) {
                let plan = WayPlan(known.ways)
                addresses += plan.now
                return try await connect(
                    pin, addresses, search: .fingerprint(pin.fingerprint),
                    after: addresses.isEmpty ? .zero : HubDialer.patience, beside: plan, kind: kind,
                    deadline: deadline)
            }
            return try await connect(
                pin, addresses, search: .fingerprint(pin.fingerprint),
                after: addresses.isEmpty ? .zero : HubDialer.patience, kind: kind, deadline: deadline)
        }
    }

    /// Connects to a hub of the keyfile, over one of the ways that are known, or where it announces itself
    /// now. What worked is stored, unless it is link-local and there are lasting ways.
    func connect(to hub: KnownHub, deadline: Duration) async throws -> HubConnection {
        let plan = WayPlan(hub.ways)
        let isKnown = !plan.now.isEmpty
        let connection = try await connect(
            hub.pin, plan.now, search: .fingerprint(hub.fingerprint),
            after: isKnown ? HubDialer.patience : .zero, or: isKnown ? SoughtHub.EarlyFailure() : nil,
            beside: plan, deadline: deadline)
        try FollowKey(configuration: configuration).run(connection, pinned: hub.pin)
        let hasLasting = hub.ways.contains { !$0.isAway && HubAddress($0.address)?.isLasting == true }
        if connection.way.isLasting || !hasLasting || plan.now.contains(connection.way) {
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
        _ pin: Pin, _ addresses: [HubAddress], search target: SoughtHub, after delay: Duration = .zero,
        or early: SoughtHub.EarlyFailure? = nil, beside plan: WayPlan? = nil, kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline
    ) async throws -> HubConnection {
        let failure = Failure()
        let search = target.addresses(after: delay, or: early) { error in
            failure.error.withLock { $0 = error }
        }
        do {
            return try await connector.connect(
                to: addresses + found.of(pin), and: noting(search, of: pin, then: plan?.later ?? []),
                expecting: .pin(pin), relays: plan?.relays ?? [], kind: kind, deadline: deadline
            ) { early?.note($0) }
        } catch let error as HubConnectionError where error.reason == .noAddress {
            if let error = failure.error.withLock({ $0 }) { throw error }
            throw SoughtHubError.notFound(target.description)
        }
    }

    /// What a search finds, noted, and the ways that are tried when it has had its time.
    private func noting(
        _ search: AsyncStream<[HubAddress]>, of pin: Pin, then later: [HubAddress]
    ) -> AsyncStream<[HubAddress]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task { [found] in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await addresses in search {
                            found.note(addresses, of: pin)
                            continuation.yield(addresses)
                        }
                    }
                    if !later.isEmpty {
                        group.addTask {
                            try? await Task.sleep(for: WayPlan.homeTime)
                            continuation.yield(later)
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Connects to the place that a typed code allows: the address that was named, or the only announced hub.
    private func connectWithoutPin(_ place: HubPlace?) async throws -> HubConnection {
        let target: SoughtHub
        switch place {
        case .address(let address): return try await connector.connect(to: [address], expecting: .any)
        case .hub(let fingerprint, let address):
            return try await connector.connect(
                to: [address], expecting: .fingerprint(fingerprint), relays: [address])
        case .name(let name): target = Fingerprint(forgiving: name).map { .fingerprint($0) } ?? .name(name)
        case .found(let hub):
            return try await connector.connect(to: hub.addresses, expecting: .fingerprint(hub.id))
        case nil: target = .any
        }
        let hubs = try await target.hubs()
        guard let hub = hubs.first else {
            // It may be a host name without a dot.
            if case .name(let name) = place, let address = HubAddress(name) {
                return try await connector.connect(to: [address], expecting: .any)
            }
            throw SoughtHubError.notFound(target.description)
        }
        guard hubs.count == 1 else {
            throw SoughtHubError.several(hubs.map { "\($0.name) (\($0.id))" })
        }
        return try await connector.connect(to: hub.addresses, expecting: .fingerprint(hub.id))
    }

    /// Why the search ended early, if it did.
    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    private func remember(_ connection: HubConnection) throws {
        let success = KnownWay.Success(time: Date(), network: NetworkMark.of(LocalNetwork.current()))
        // Mostly nothing is new: then the file is not locked.
        let known = try configuration.knownHubs().hubs.first { $0.pin == connection.pin }
        guard var new = known else { return }
        new.note(connection, worked: success)
        guard new != known else { return }
        try KnownHubsFile(in: configuration).change { known, _ in
            // The user may have removed the hub meanwhile.
            guard var hub = known.hubs.first(where: { $0.pin == connection.pin }) else { return }
            hub.note(connection, worked: success)
            known.insert(hub)
        }
    }

    /// The addresses of hubs that searches have found, at most 32 of each.
    private final class Found: Sendable {
        private static let maximumCount = 32
        private let addresses = Mutex<[Pin: [HubAddress]]>([:])

        func note(_ new: [HubAddress], of pin: Pin) {
            addresses.withLock { addresses in
                for address in new where !(addresses[pin]?.contains(address) ?? false) {
                    guard addresses[pin]?.count ?? 0 < Found.maximumCount else { return }
                    addresses[pin, default: []].append(address)
                }
            }
        }

        func of(_ pin: Pin) -> [HubAddress] { addresses.withLock { $0[pin] ?? [] } }
    }
}

extension KnownHub {
    fileprivate mutating func note(_ connection: HubConnection, worked success: KnownWay.Success) {
        note("\(connection.way)", isLasting: connection.way.isLasting, worked: success)
    }
}

extension WayPlan {
    /// The plan for this computer, now.
    fileprivate init(_ ways: [KnownWay]) {
        let networks = LocalNetwork.current()
        self.init(ways, on: networks, mark: NetworkMark.of(networks))
    }
}

extension HubAddress {
    /// ``HubAddressRules/isOnOwnLink(_:)``; a name is what a person has said.
    func isOnOwnLink(among networks: [LocalNetwork]) -> Bool {
        guard case .address(let address) = host else { return true }
        return HubAddressRules(networks: networks).isOnOwnLink(address)
    }
}
