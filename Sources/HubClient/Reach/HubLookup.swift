import Discovery
import Identity

/// Finds a hub whose address is not known, by mDNS announcements and replies to UDP probes.
///
/// The candidates are unproven claims from the network. The handshake checks the pin.
struct HubLookup: Sendable {
    /// Which hubs are looked for.
    enum Target: Equatable, Sendable {
        /// Those that say that they have this fingerprint.
        case fingerprint(Fingerprint)
        /// Those with this name, to the byte, that announce a fingerprint.
        case name(String)
        /// Every hub that announces a fingerprint, and so can pair.
        case any
    }

    /// A hub that claims to be the target.
    struct Candidate: Hashable, Sendable {
        let id: Fingerprint
        /// From the network: escape it.
        let name: String
        /// The best first.
        let addresses: [HubAddress]
    }

    /// The most addresses that are taken from one announcement: one with a copied `id` may hold many that
    /// lead nowhere.
    private static let addressesOfOne = 4

    let target: Target
    /// How long to listen once the network is quiet. A lost packet is sent again after a second (RFC 6762 §
    /// 5.2).
    var patience = Duration.seconds(1)

    /// The candidates as they are found; a hub comes again when its addresses change. It ends once the
    /// network is quiet.
    var candidates: AsyncThrowingStream<Candidate, any Error> {
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

    /// The failure of a known address, which begins the search for others early.
    final class EarlyFailure: Sendable {
        private let (failures, failed) = AsyncStream<HubConnectionError>.makeStream()

        /// The address has failed.
        func note(_ error: HubConnectionError) {
            failed.yield(error)
            failed.finish()
        }

        /// Returns after `delay`, or as soon as the address has failed.
        ///
        /// - Returns: how long the search may take if it finds nothing. If the address is silent, packets may
        ///   be lost, and the repetition of the questions is waited for. If it refuses, the network works.
        fileprivate func wait(atMost delay: Duration) async throws -> Duration {
            let failure = try await Deadline(in: delay).run { [failures] () -> HubConnectionError? in
                for await failure in failures { return failure }
                return nil
            }
            try Task.checkCancellation()
            return failure??.reason == .refused ? HubProber.answerTime : QuietRule.repetition
        }
    }

    /// The addresses of the candidates, in a stream that ends without an error; `failed` is called with it.
    func addresses(
        after delay: Duration = .zero, or failure: EarlyFailure? = nil,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> AsyncStream<[HubAddress]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                do {
                    guard let failure else {
                        try await Task.sleep(for: delay)
                        for try await candidate in candidates { continuation.yield(candidate.addresses) }
                        return continuation.finish()
                    }
                    let time = try await failure.wait(atMost: delay)
                    try await Deadline(in: time).run {
                        for try await candidate in candidates { continuation.yield(candidate.addresses) }
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
    private func browse(_ found: AsyncThrowingStream<Candidate, any Error>.Continuation) async throws {
        let (settled, settle) = AsyncStream<Void>.makeStream()
        // The time is over, or the daemon is gone.
        try await first(
            of: {
                for await _ in settled { break }
                try await Task.sleep(for: patience)
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
                for try await sighting in HubBrowser(through: .either).sightings { take(sighting) }
            })
    }

    /// UDP probes, for as long as an answer may take. Without them there is still mDNS.
    private func probe(_ found: AsyncThrowingStream<Candidate, any Error>.Continuation) async {
        _ = try? await Deadline(in: HubProber.answerTime).run {
            for try await answer in HubProber().replies {
                offer(
                    answer.reply.pin.fingerprint, name: answer.reply.name.description,
                    [HubAddress(answer.address, port: answer.reply.port)], found)
            }
        }
    }

    private func offer(
        _ hub: DiscoveredHub, _ found: AsyncThrowingStream<Candidate, any Error>.Continuation
    ) {
        guard let id = hub.id else { return }
        let addresses = hub.addresses.prefix(HubLookup.addressesOfOne).map { HubAddress($0, port: hub.port) }
        offer(id, name: hub.name, addresses, found)
    }

    private func offer(
        _ id: Fingerprint, name: String, _ addresses: [HubAddress],
        _ found: AsyncThrowingStream<Candidate, any Error>.Continuation
    ) {
        switch target {
        case .fingerprint(let fingerprint): guard id == fingerprint else { return }
        case .name(let wanted): guard name.utf8.elementsEqual(wanted.utf8) else { return }
        case .any: break
        }
        found.yield(Candidate(id: id, name: name, addresses: addresses))
    }
}
