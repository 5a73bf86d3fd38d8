import Discovery
import Identity

/// Finds where a hub is when its address is not known.
///
/// Every source of candidates joins here: mDNS announcements for now. What comes out is a claim of the network's;
/// the handshake checks the pin.
struct HubLookup: Sendable {
    /// Which hubs are looked for.
    enum Target: Equatable, Sendable {
        /// Those that announce this `id`.
        case fingerprint(Fingerprint)
        /// Those that announce this name, to the byte, and an `id`.
        case name(String)
        /// Every hub that announces an `id`, and so can pair.
        case any
    }

    /// The most addresses that are taken of one announcement, the best first; somebody who copies an `id`
    /// may announce many that lead nowhere.
    static let addressesOfOne = 4

    let target: Target
    /// How long to listen after the network has nothing more to say. A packet that was lost is sent again
    /// after a second (RFC 6762 § 5.2).
    var patience = Duration.seconds(1)

    /// The hubs that fit, as they are seen; a hub comes again when its addresses change.
    var hubs: AsyncThrowingStream<DiscoveredHub, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                var listing = HubListing(networks: LocalNetwork.current())
                let start = ContinuousClock.now
                var timer: Task<Void, any Error>?
                defer { timer?.cancel() }
                do {
                    for try await sighting in HubBrowser().sightings {
                        for change in listing.apply(sighting, at: start.duration(to: .now)) {
                            switch change {
                            case .added(let hub), .changed(let hub):
                                if matches(hub) { continuation.yield(hub) }
                            case .removed, .rejected, .flooded, .overflowed: break
                            }
                        }
                        if sighting == .settled {
                            timer = Task {
                                try await Task.sleep(for: patience)
                                continuation.finish()
                            }
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

    /// The same as addresses to try, in a stream that ends without an error; the caller hears of it through
    /// `failed`.
    func addresses(
        after delay: Duration = .zero, failed: @escaping @Sendable (any Error) -> Void
    ) -> AsyncStream<[HubAddress]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let task = Task {
                do {
                    try await Task.sleep(for: delay)
                    for try await hub in hubs { continuation.yield(HubLookup.addresses(of: hub)) }
                } catch {
                    failed(error)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The addresses of one hub to try, the best first.
    static func addresses(of hub: DiscoveredHub) -> [HubAddress] {
        hub.addresses.prefix(addressesOfOne).map { HubAddress($0, port: hub.port) }
    }

    private func matches(_ hub: DiscoveredHub) -> Bool {
        switch target {
        case .fingerprint(let fingerprint): hub.id == fingerprint
        case .name(let name): hub.id != nil && hub.key.name.elementsEqual(name.utf8)
        case .any: hub.id != nil
        }
    }
}
