package import Discovery
package import Pairing

/// Finds the hubs on the local network, and says what this device knows of each.
package struct FindHubs: Sendable {
    /// How sure it is that a hub is what it says.
    package enum Standing: String, Sendable, CaseIterable {
        /// Nothing but its own word.
        case claimed
        /// It bears the name of a hub that this device is paired with, and another identity.
        case impostor
    }

    /// A hub on the network.
    package struct Found: Sendable {
        package let hub: DiscoveredHub
        package let standing: Standing
        /// True if this device is paired with a hub of the `id` that this one claims.
        package let isPaired: Bool

        init(_ hub: DiscoveredHub, known: [KnownHub]) {
            self.hub = hub
            isPaired = hub.id.map { id in known.contains { $0.fingerprint == id } } ?? false
            let appearance = Found.appearance(of: hub.name)
            let bearsKnownName = known.contains { Found.appearance(of: $0.name.description) == appearance }
            standing = hub.id != nil && !isPaired && bearsKnownName ? .impostor : .claimed
        }

        /// What a person takes two names for the same by: without case, white space at the ends, and characters
        /// that are not seen.
        private static func appearance(of name: String) -> String {
            let seen = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
            let words = String(String.UnicodeScalarView(seen)).split(whereSeparator: \.isWhitespace)
            return words.joined(separator: " ").lowercased()
        }
    }

    /// What happens while it searches.
    package enum Event: Sendable {
        /// The table has changed.
        case changed([Found])
        /// A hub whose row has been quiet for ``quiet``: its addresses are all there, as far as can be known.
        case complete(Found)
        /// Something announces itself as a hub but cannot be one: in words. A flood of these may be cut.
        case unusable(String)
        /// The list may lack hubs: in words.
        case incomplete(String)
    }

    /// A host answers within 20–120 ms (RFC 6762 § 6), and for each address family and interface by itself.
    package static let quiet = Duration.milliseconds(150)
    /// The finest step of time that a reader of the table notices.
    private static let tick = Duration.milliseconds(25)

    private let browser: HubBrowser
    private let known: [KnownHub]
    private let time: Duration?

    /// - Parameter time: search this long; nil: until the network has nothing more to say, which is when the
    ///   daemon expects no more answers and every hub has told its address, or failed to.
    package init(browser: HubBrowser = HubBrowser(), known: KnownHubs, time: Duration?) {
        self.browser = browser
        self.known = known.hubs
        self.time = time
    }

    /// Searches, and reports what happens as it happens.
    ///
    /// - Returns: the hubs that are there at the end, impostors first, then by name.
    package func run(_ report: (Event) throws -> Void) async throws -> [Found] {
        let start = ContinuousClock.now
        let (steps, continuation) = AsyncThrowingStream<Step, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(HubBrowser.maximumUnread))
        let tasks = [
            Task {
                do {
                    for try await sighting in browser.sightings {
                        if case .dropped = continuation.yield(.sighting(sighting)) {
                            throw DiscoveryError.overrun
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            },
            Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: FindHubs.tick)
                    continuation.yield(.tick)
                }
            },
        ]
        defer { for task in tasks { task.cancel() } }

        var listing = HubListing(networks: LocalNetwork.current())
        var fresh: [DiscoveredHub.Key: (Found, since: Duration)] = [:]
        var isStale = false
        var lastReport = Duration.zero - FindHubs.tick
        search: for try await step in steps {
            let now = start.duration(to: .now)
            switch step {
            case .sighting(.settled):
                if time == nil { break search }
            case .sighting(.flooded):
                try report(.incomplete("a host floods the network with services; hubs may be missing"))
            case .sighting(.unresolved(let instance, _))
            where !listing.hubs.contains(where: { $0.name == instance.name }):
                try report(.unusable("\(instance.name) is announced, but does not tell its address"))
            case .sighting(let sighting):
                let changes = listing.apply(sighting, at: now)
                for change in changes {
                    switch change {
                    case .added(let hub), .changed(let hub): fresh[hub.key] = (Found(hub, known: known), now)
                    case .removed(let hub): fresh[hub.key] = nil
                    case .rejected(let service, let error):
                        try report(.unusable("\(service.instance.name) at \(service.host): \(error)"))
                    case .overflowed:
                        try report(.incomplete("more hubs are announced than can be; some are left out"))
                    }
                }
                isStale = isStale || !changes.isEmpty
            case .tick:
                if let time, now >= time { break search }
                for (key, entry) in fresh where now - entry.since >= FindHubs.quiet {
                    fresh[key] = nil
                    try report(.complete(entry.0))
                }
            }
            // At once, but under a flood not for every one of thousands.
            if isStale, now - lastReport >= FindHubs.tick {
                try report(.changed(sorted(listing)))
                isStale = false
                lastReport = now
            }
        }
        for entry in fresh.values.sorted(by: { $0.since < $1.since }) { try report(.complete(entry.0)) }
        return sorted(listing)
    }

    private enum Step: Sendable {
        case sighting(Sighting)
        case tick
    }

    private func sorted(_ listing: HubListing) -> [Found] {
        listing.hubs.map { Found($0, known: known) }.sorted {
            if $0.standing != $1.standing { return $0.standing == .impostor }
            return ($0.hub.name, $0.hub.host, $0.hub.port) < ($1.hub.name, $1.hub.host, $1.hub.port)
        }
    }
}
