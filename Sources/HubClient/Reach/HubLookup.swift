import Addresses
import Discovery
import Identity

/// Finds hubs to connect to, whose addresses are not known, by mDNS announcements and replies to UDP probes.
/// ``SearchHubs`` is the other search: it makes the table of `list`.
///
/// What is found are unproven claims from the network; the handshake checks the pin.
package struct HubLookup: Sendable {
    /// Which hubs to look for.
    enum Target: Equatable, Sendable {
        /// Hubs that claim this fingerprint.
        case fingerprint(Fingerprint)
        /// Those with a name that this fits, in any case or as its beginning, that announce a fingerprint.
        case name(String)
        /// Every hub that announces a fingerprint, and so supports pairing.
        case any
    }

    /// The maximum number of addresses used from one announcement: one with a copied `id` may hold many that
    /// do not work.
    private static let addressesOfOne = 4

    /// How long to listen once the network is quiet. A lost packet is sent again after a second (RFC 6762 §
    /// 5.2).
    private static let patience = Duration.seconds(1)

    let target: Target

    /// All hubs that announce a fingerprint.
    package init() { self.init(.any) }

    init(_ target: Target) { self.target = target }

    /// The hubs as they are found; one is repeated when its addresses change. The stream ends once the
    /// network is quiet.
    var found: AsyncThrowingStream<FoundHub, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                async let probed: Void = probe(continuation)
                do {
                    try await browse(continuation)
                    await probed
                    continuation.finish()
                } catch {
                    await probed
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
                        for try await hub in found { continuation.yield(hub.addresses) }
                        return continuation.finish()
                    }
                    let time = try await failure.wait(atMost: delay)
                    try await Deadline(in: time).run {
                        for try await hub in found { continuation.yield(hub.addresses) }
                    }
                } catch {
                    failed(error)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Multicast DNS, until it has settled and `patience` is over.
    private func browse(_ found: AsyncThrowingStream<FoundHub, any Error>.Continuation) async throws {
        let (settled, settle) = AsyncStream<Void>.makeStream()
        // Ends when the time is over or the daemon is lost.
        try await first(
            of: {
                for await _ in settled { break }
                try await Task.sleep(for: HubLookup.patience)
            },
            or: {
                var listing = HubListing(networks: LocalNetwork.current())
                let start = ContinuousClock.now
                func take(_ sighting: Sighting) {
                    for change in listing.apply(sighting, at: start.duration(to: .now)) {
                        switch change {
                        case .added(let hub), .changed(let hub): offer(hub, found)
                        case .removed, .rejected, .flooded, .overflowed: break
                        }
                    }
                    if sighting == .settled { settle.yield() }
                }
                let browser = HubBrowser(through: .automatic, follows: false)
                for try await sighting in browser.sightings { take(sighting) }
            })
    }

    /// Sends UDP probes and waits for as long as replies may take. Errors are ignored, because mDNS runs in
    /// parallel.
    private func probe(_ found: AsyncThrowingStream<FoundHub, any Error>.Continuation) async {
        _ = try? await Deadline(in: HubProber.answerTime).run {
            for try await answer in HubProber().replies {
                offer(
                    answer.reply.pin.fingerprint, name: answer.reply.name.description,
                    [HubAddress(answer.address, port: answer.reply.port)], found)
            }
        }
    }

    private func offer(
        _ hub: DiscoveredHub, _ found: AsyncThrowingStream<FoundHub, any Error>.Continuation
    ) {
        guard let id = hub.id else { return }
        let addresses = hub.addresses.prefix(HubLookup.addressesOfOne).map { HubAddress($0, port: hub.port) }
        // Who knows the key before looks for that.
        if let was = hub.txt.formerFingerprint, case .fingerprint(was) = target {
            return offer(was, name: hub.name, addresses, found)
        }
        offer(id, name: hub.name, addresses, found)
    }

    private func offer(
        _ id: Fingerprint, name: String, _ addresses: [HubAddress],
        _ found: AsyncThrowingStream<FoundHub, any Error>.Continuation
    ) {
        switch target {
        case .fingerprint(let fingerprint): guard id == fingerprint else { return }
        case .name(let wanted): guard PeerSelector.rank(wanted, of: name) != nil else { return }
        case .any: break
        }
        found.yield(FoundHub(id: id, name: name, addresses: addresses))
    }
}
