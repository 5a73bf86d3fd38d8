// The one-shot query beside the browse: what it hints at is said at once, and needs no resolver when the browse
// confirms it.
extension BrowseSession {
    /// Resolvers wait this long for hints: each costs a round trip over the bus and the daemon's time, and a
    /// responder that answers a one-shot query does so within a few milliseconds.
    private static let grace = Duration.milliseconds(20)

    func askOnce() {
        let output: OneShotQuery.Output = { [unowned self] hint, interface, family, source in
            self.assumeIsolated { $0.hinted(hint, on: interface, family, from: source) }
        }
        query = OneShotQuery(
            serviceType: browser.serviceType, networks: LocalNetwork.current(), poll: loop.poll,
            output: output)
        query?.ask()
        questions = Task { await askAgain() }
    }

    private func askAgain() async {
        do {
            try await Task.sleep(for: BrowseSession.grace)
            book.hintsAreIn(at: .now)
            carryOut()
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
        for other in addresses where other != address {
            send(.address(other, host: hint.host, interface: interface))
        }
        book.hint(
            ResolvedService(
                instance: instance, host: hint.host, port: hint.port, address: address, txt: hint.txt),
            from: source, at: .now)
        carryOut()
    }
}
