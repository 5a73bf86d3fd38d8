// The one-shot query beside the browse: what it hints at is said at once, and needs no resolver when the browse
// confirms it.
extension BrowseSession {
    /// Resolvers wait this long for hints: each costs a round trip over the bus and the daemon's time, and a
    /// responder that answers a one-shot query does so within a few milliseconds.
    private static let grace = Duration.milliseconds(20)
    /// The most hints from one host, and in all: who sends more is no home hub.
    private static let maximumHintsPerHost = 256
    private static let maximumHints = 4_096

    func askOnce() {
        let output: OneShotQuery.Output = { [unowned self] hint, interface, family, source in
            self.assumeIsolated { $0.hinted(hint, on: interface, family, from: source) }
        }
        query = OneShotQuery(
            serviceType: browser.serviceType, networks: LocalNetwork.current(), poll: poll, output: output)
        query?.ask()
        questions = Task { await askAgain() }
    }

    private func askAgain() async {
        do {
            try await Task.sleep(for: BrowseSession.grace)
            mayResolve = true
            startResolving()
            try await Task.sleep(for: OneShotQuery.repetition - BrowseSession.grace)
            query?.ask()
            try await Task.sleep(for: OneShotQuery.patience)
            if query?.hasLosses == true { send(.lossy) }
        } catch {}  // closed
    }

    private func hinted(
        _ hint: ServiceHint, on interface: NetworkInterface, _ family: NetworkAddress.Family,
        from source: NetworkAddress
    ) {
        let addresses = hint.addresses.compactMap { NetworkAddress(bytes: $0, scope: interface.name) }
        guard isOpen, let address = addresses.first(where: { $0.family == family }) ?? addresses.first else {
            return
        }
        let instance = ServiceInstance(nameBytes: hint.name, interface: interface, family: family)
        let service = ResolvedService(
            instance: instance, host: hint.host, port: hint.port, address: address, txt: hint.txt)
        for other in addresses where other != address {
            send(.address(other, host: hint.host, interface: interface))
        }
        // Two servers may bear one name and one host name, and answer each for itself: both addresses count.
        if let known = hints[instance] {
            if known.address != address { send(.address(address, host: hint.host, interface: interface)) }
            return
        }
        guard hints.count < BrowseSession.maximumHints,
            hintCounts[source, default: 0] < BrowseSession.maximumHintsPerHost
        else { return }
        hintCounts[source, default: 0] += 1
        if resolutions[instance]?.isAnswered == true { return }
        hints[instance] = service
        guard instances.contains(instance) else { return send(.hinted(service)) }
        // The browse has seen it already: this is the answer that it waits for.
        send(.resolved(service))
        if browser.follows { setUnanswered(instance, false) } else { finish(instance) }
        startResolving()
    }
}
