import CAvahi
import Glibc

/// One browse of one service type: owns the avahi client and everything made from it.
///
/// Lifetime: avahi's callbacks get an unretained pointer to this actor (or to a `Resolution` or `HostWatch` that
/// it holds). So from `open` to `close` the actor holds itself, and `close` runs on the loop's thread: after
/// it has freed the client no callback can come. Whoever calls `open` must see to it that `close` is called.
actor BrowseSession {
    /// Takes a sighting; false if it has no room.
    typealias Output = @Sendable (Sighting) -> Bool

    private enum State { case new, open(BrowseSession), closed }

    private let loop: AvahiLoop
    let browser: HubBrowser
    private let output: Output
    private let ended: @Sendable (DiscoveryError?) -> Void

    private var state = State.new
    private var isClosing = false
    private var isReconnecting = false
    private var hasFlooded = false
    private var hasSettled = false
    private var isAllForNow = false
    private(set) var client: OpaquePointer?
    private(set) var instances: Set<ServiceInstance> = []
    // Seen before the daemon went away, and not again since.
    private var staleInstances: Set<ServiceInstance> = []

    // For BrowseSessionResolving.swift.
    var resolutions: [ServiceInstance: Resolution] = [:]
    var waiting = WaitingResolutions()
    var mayResolve = false
    var unanswered: Set<ServiceInstance> = []
    var deadlines: Task<Void, Never>?
    // For BrowseSessionHints.swift.
    var query: OneShotQuery?
    var hints: [ServiceInstance: ResolvedService] = [:]
    var hintCounts: [NetworkAddress: Int] = [:]
    var questions: Task<Void, Never>?
    // For BrowseSessionHosts.swift.
    var hosts: [HostWatch.Key: HostWatch] = [:]
    var staleAddresses: [HostWatch.Key: Set<NetworkAddress>] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var poll: UnsafePointer<AvahiPoll> { loop.poll }
    var isOpen: Bool { if case .open = state { !isClosing } else { false } }

    init(
        _ browser: HubBrowser, output: @escaping Output, ended: @escaping @Sendable (DiscoveryError?) -> Void
    ) throws(DiscoveryError) {
        loop = try AvahiLoop()
        self.browser = browser
        self.output = output
        self.ended = ended
    }

    func open() {
        guard case .new = state else { return }
        state = .open(self)
        // Before the daemon is asked: the answers arrive while the bus is still being talked to.
        if browser.asksOnce { askOnce() } else { mayResolve = true }
        do throws(DiscoveryError) {
            try connect()
            send(.began)
        } catch {
            close(error)
        }
    }

    /// Frees all that avahi holds for this browse and ends the output. Never from within a callback: avahi
    /// goes on using the client after the callback returns.
    func close(_ error: DiscoveryError? = nil) {
        if case .closed = state { return }
        state = .closed
        deadlines?.cancel()
        questions?.cancel()
        query?.close()
        query = nil
        disconnect()
        ended(error)
    }

    private func disconnect() {
        if let client { avahi_client_free(client) }
        client = nil
        // The client's end was that of everything made from it.
        resolutions = [:]
        waiting = WaitingResolutions()
        hosts = [:]
    }

    private func connect() throws(DiscoveryError) {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        var code: Int32 = 0
        // NO_FAIL tells "no daemon" (a client that is still connecting) from "no bus" (no client).
        client = avahi_client_new(
            loop.poll, AVAHI_CLIENT_NO_FAIL,
            { client, state, pointer in
                let code = AvahiCode.last(of: client)
                BrowseSession.at(pointer)?.assumeIsolated { $0.clientChanged(to: state, code: code) }
            }, pointer, &code)
        guard let client else {
            throw code == AvahiCode.noDaemon || code == AvahiCode.dbusError ? .noBus : .avahi(code)
        }
        switch avahi_client_get_state(client) {
        case AVAHI_CLIENT_CONNECTING: throw .noDaemon
        case AVAHI_CLIENT_FAILURE: throw failure(AvahiCode.last(of: client))
        default: break
        }
        // USE_MULTICAST: a question never goes to a DNS server outside.
        let services = avahi_service_browser_new(
            client, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), browser.serviceType, nil,
            AVAHI_LOOKUP_USE_MULTICAST,
            { services, interface, family, event, name, _, domain, _, pointer in
                let code = AvahiCode.last(of: services.flatMap { avahi_service_browser_get_client($0) })
                let instance = ServiceInstance(name: name, interface: interface, family: family)
                let domain = boundedBytes(domain)
                BrowseSession.at(pointer)?.assumeIsolated {
                    $0.browsed(event, instance: instance, domain: domain, code: code)
                }
            }, pointer)
        guard services != nil else { throw failure(AvahiCode.last(of: client)) }
    }

    func failure(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.disconnected || code == AvahiCode.noDaemon ? .daemonLost : .avahi(code)
    }

    private func clientChanged(to state: AvahiClientState, code: Int32) {
        // The first callbacks come from within avahi_client_new; connect() looks at the state itself then.
        guard client != nil, state == AVAHI_CLIENT_FAILURE else { return }
        reconnectLater(failure(code))
    }

    private func closeLater(_ error: DiscoveryError) {
        guard !isClosing else { return }
        isClosing = true
        Task { close(error) }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> BrowseSession? {
        pointer.map { Unmanaged<BrowseSession>.fromOpaque($0).takeUnretainedValue() }
    }

    func send(_ sighting: Sighting) {
        if !output(sighting) { closeLater(.overrun) }
    }

    private func browsed(
        _ event: AvahiBrowserEvent, instance: ServiceInstance?, domain: [UInt8], code: Int32
    ) {
        switch event {
        case AVAHI_BROWSER_NEW:
            guard let instance else { return }
            if staleInstances.remove(instance) == nil {
                guard !instances.contains(instance) else { return }
                guard instances.count < HubBrowser.maximumInstances else {
                    if !hasFlooded { send(.flooded) }
                    hasFlooded = true
                    settle()
                    return
                }
                instances.insert(instance)
            }
            announced(instance, domain: domain)
        case AVAHI_BROWSER_REMOVE:
            guard let instance else { return }
            staleInstances.remove(instance)
            remove(instance)
        case AVAHI_BROWSER_ALL_FOR_NOW:
            isAllForNow = true
            settle()
        case AVAHI_BROWSER_FAILURE:
            let error = failure(code)
            if error == .daemonLost { reconnectLater(error) } else { closeLater(error) }
        default: break
        }
    }

    private func remove(_ instance: ServiceInstance) {
        guard instances.remove(instance) != nil else { return }
        hints[instance] = nil
        finish(instance)
        send(.gone(instance))
        startResolving()
    }

    /// Says so when all is answered that can be. A flood is not waited for.
    func settle() {
        guard isAllForNow, !hasSettled, unanswered.isEmpty || hasFlooded else { return }
        hasSettled = true
        send(.settled)
    }
}

// A client that has lost its daemon never recovers (and says no goodbyes): a new one takes its place.
extension BrowseSession {
    /// How long a new daemon has to see again what the old one saw: past the repetition of its first question,
    /// one second later (RFC 6762 § 5.2), and the one after that, two seconds later.
    private static let timeToSeeAgain = Duration.milliseconds(3_500)

    private func reconnectLater(_ error: DiscoveryError) {
        guard isOpen, !isReconnecting else { return }
        isReconnecting = true
        Task { await reconnect(error) }
    }

    private func reconnect(_ error: DiscoveryError) async {
        guard isOpen else { return }
        staleInstances = instances
        for (key, host) in hosts { staleAddresses[key, default: []].formUnion(host.addresses.keys) }
        disconnect()
        if !unanswered.isEmpty {
            unanswered = []
            send(.pending(0))
        }
        send(.interrupted(error))
        var pause = Duration.milliseconds(50)
        while isOpen, client == nil {
            do throws(DiscoveryError) {
                try connect()
            } catch {
                disconnect()
                switch error {
                case .noBus, .noDaemon, .daemonLost: break
                default: return close(error)
                }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(1))
            }
        }
        isReconnecting = false
        guard isOpen else { return }
        send(.resumed)
        try? await Task.sleep(for: BrowseSession.timeToSeeAgain)
        guard isOpen, !isReconnecting else { return }
        for instance in staleInstances { remove(instance) }
        staleInstances = []
        for (key, addresses) in staleAddresses {
            for address in addresses { send(.addressGone(address, host: key.host, interface: key.interface)) }
        }
        staleAddresses = [:]
    }
}
