import Addresses
import Discovery
package import Identity
import Pairing

/// Which hubs are looked for, to connect to them: their addresses are not known. The search
/// is ``SearchHubs``.
///
/// What is found are unproven claims from the network; the handshake checks the pin.
package enum SoughtHub: Equatable, Sendable {
    /// Hubs that claim this fingerprint.
    case fingerprint(Fingerprint)
    /// Those with a name that this fits, in any case or as its beginning, that announce a fingerprint.
    case name(String)
    /// Every hub that announces a fingerprint, and so supports pairing.
    case any

    /// The maximum number of addresses used from one announcement: one with a copied `id` may hold many that
    /// do not work.
    private static let addressesOfOne = 4

    /// What `hub` is found as; nil if it is not meant.
    private func match(_ hub: DiscoveredHub) -> FoundHub? {
        guard let id = hub.id else { return nil }
        var claimed = id
        switch self {
        case .fingerprint(let wanted):
            // Who knows the key before looks for that.
            guard id == wanted || hub.txt.formerFingerprint == wanted else { return nil }
            claimed = wanted
        case .name(let wanted): guard PeerSelector.rank(wanted, of: hub.name) != nil else { return nil }
        case .any: break
        }
        let addresses = hub.addresses.prefix(SoughtHub.addressesOfOne).map { HubAddress($0, port: hub.port) }
        return FoundHub(id: claimed, name: hub.name, addresses: addresses)
    }

    /// The hubs as they are found; one is repeated when its addresses change. The stream ends once the
    /// network is quiet.
    ///
    /// - Parameter isTried: what is found is connected to meanwhile, and the first that answers ends the
    ///   search. Until then none has been found: an address that works may come with the repeated question.
    private func found(isTried: Bool) -> AsyncThrowingStream<FoundHub, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                var options = SearchHubs.Options()
                options.wanted = { !isTried && match($0) != nil }
                var told: Set<FoundHub> = []
                do {
                    _ = try await SearchHubs(known: KnownHubs(), options: options).run { event in
                        guard case .table(let table) = event else { return }
                        for hub in table.rows.compactMap({ match($0.hub) }) where told.insert(hub).inserted {
                            continuation.yield(hub)
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Signals the failure of a known address, which starts the search early.
    final class EarlyFailure: Sendable {
        private let (failures, failed) = AsyncStream<HubConnectionError>.makeStream()

        /// Reports the failure of the address.
        func note(_ error: HubConnectionError) {
            failed.yield(error)
            failed.finish()
        }

        /// Returns after `delay`, or as soon as the address has failed.
        ///
        /// - Returns: the maximum duration of the search if it finds nothing. If the address is silent,
        ///   packets may be lost, so the search waits for the repeated question. If it refuses, the network
        ///   works.
        fileprivate func wait(atMost delay: Duration) async throws -> Duration {
            let failure = try await Deadline(in: delay).run { [failures] () -> HubConnectionError? in
                for await failure in failures { return failure }
                return nil
            }
            try Task.checkCancellation()
            return failure??.reason == .refused ? HubProber.answerTime : EndRule.repetition
        }
    }

    /// The addresses of the hubs, in a stream that ends without an error; instead `failed` is called
    /// with it.
    func addresses(
        after delay: Duration = .zero, or failure: EarlyFailure? = nil,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> AsyncStream<[HubAddress]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                do {
                    guard let failure else {
                        try await Task.sleep(for: delay)
                        for try await hub in found(isTried: true) { continuation.yield(hub.addresses) }
                        return continuation.finish()
                    }
                    let time = try await failure.wait(atMost: delay)
                    try await Deadline(in: time).run {
                        for try await hub in found(isTried: true) { continuation.yield(hub.addresses) }
                    }
                } catch {
                    failed(error)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// All hubs that are found until the network is quiet.
    ///
    /// - Returns: each id once, however often it is announced: a copy of it fails in the handshake. Sorted by
    ///   their names. Of several that a name fits, those that it fits best.
    package func hubs() async throws -> [FoundHub] {
        var announced: [Fingerprint: [FoundHub]] = [:]
        for try await hub in found(isTried: false) { announced[hub.id, default: []].append(hub) }
        var hubs = announced.map { id, same in
            FoundHub(id: id, name: same.first?.name ?? "-", addresses: same.flatMap(\.addresses))
        }
        if case .name(let wanted) = self {
            let ranks = hubs.map { PeerSelector.rank(wanted, of: $0.name) ?? .max }
            hubs = zip(hubs, ranks).filter { $0.1 == ranks.min() }.map(\.0)
        }
        return hubs.sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }
    }
}

extension SoughtHub: CustomStringConvertible {
    package var description: String {
        switch self {
        case .fingerprint(let fingerprint): "the hub \(fingerprint)"
        case .name(let name): "a hub called \"\(name)\""
        case .any: "a hub that can pair"
        }
    }
}
