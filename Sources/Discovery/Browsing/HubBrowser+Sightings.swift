// Apart from the settings, so that they do not depend on the session that reads them.
extension HubBrowser {
    /// What is seen from now on. It does not end by itself: break out of the loop or cancel the task, and
    /// everything (thread, descriptors, avahi's objects) is freed. Each iteration is a browse of its own.
    public var sightings: SearchResults<Sighting> {
        SearchResults(maximumUnread: HubBrowser.maximumUnread) { output, ended throws(DiscoveryError) in
            try BrowseSession(self, output: output, ended: ended)
        }
    }

    /// The hubs that are seen within `time`, in the order in which they were seen: for a program that wants
    /// one list. It always takes that long; a second is enough where nothing is lost, two seconds cover a
    /// packet that is lost once (RFC 6762 § 5.2).
    ///
    ///     for hub in try await HubBrowser().hubs(for: .seconds(2)) { print(hub.name.debugDescription) }
    ///
    /// What a hub says of itself is a claim. Only pairing, or a TLS handshake with its key, proves it.
    ///
    /// - Throws: ``DiscoveryError`` if the search cannot begin or ends early, `CancellationError`.
    public func hubs(for time: Duration) async throws -> [DiscoveredHub] {
        let listing = try await Deadline(in: time).collect {
            var listing = HubListing(networks: LocalNetwork.current())
            let start = ContinuousClock.now
            for try await sighting in sightings {
                _ = listing.apply(sighting, at: start.duration(to: .now))
            }
            return listing
        }
        try Task.checkCancellation()
        return listing.hubs
    }
}
