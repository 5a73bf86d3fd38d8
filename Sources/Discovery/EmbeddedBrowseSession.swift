import CAvahi
import CAvahiCore

/// One browse of an ``EmbeddedBrowser``: owns the stack and everything made from it.
///
/// From `open` to `close` the actor holds itself, and `close` runs on the loop's thread: after it has freed the stack
/// no callback can come. Whoever calls `open` must see to it that `close` is called.
actor EmbeddedBrowseSession {
    /// Takes a sighting; false if it has no room.
    typealias Output = @Sendable (Sighting) -> Bool

    private enum State { case new, open(EmbeddedBrowseSession), closed }

    /// One question for the address of one instance; avahi's callback points to it.
    private final class Resolution {
        let instance: ServiceInstance
        let domain: [UInt8]
        // Unowned, because the session holds it and outlives it.
        unowned let session: EmbeddedBrowseSession
        var resolver: OpaquePointer?
        var deadline = ContinuousClock.now
        /// Reported as timed out. avahi goes on asking for some seconds; a late answer still counts.
        var isLate = false

        init(_ instance: ServiceInstance, domain: [UInt8], session: EmbeddedBrowseSession) {
            self.instance = instance
            self.domain = domain
            self.session = session
        }
    }

    /// The most resolvers at a time; the rest waits.
    private static let maximumResolvers = 256

    private let loop: AvahiLoop
    private let browser: EmbeddedBrowser
    private let output: Output
    private let ended: @Sendable (DiscoveryError?) -> Void

    private var state = State.new
    private var isClosing = false
    private var server: EmbeddedServer?
    private var instances: Set<ServiceInstance> = []
    private var resolutions: [ServiceInstance: Resolution] = [:]
    private var waiting: [Resolution] = []
    private var deadlines: Task<Void, Never>?
    private var hasFlooded = false
    private var isAllForNow = false
    private var hasSettled = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        _ browser: EmbeddedBrowser, output: @escaping Output,
        ended: @escaping @Sendable (DiscoveryError?) -> Void
    ) throws(DiscoveryError) {
        loop = try AvahiLoop()
        self.browser = browser
        self.output = output
        self.ended = ended
    }

    func open() {
        guard case .new = state else { return }
        state = .open(self)
        do throws(DiscoveryError) {
            try browse()
            send(.began)
        } catch {
            close(error)
        }
    }

    /// Frees all that avahi holds for this browse and ends the output. Never from within a callback.
    func close(_ error: DiscoveryError? = nil) {
        if case .closed = state { return }
        state = .closed
        deadlines?.cancel()
        server?.close()  // with its browsers and resolvers
        server = nil
        resolutions = [:]
        waiting = []
        ended(error)
    }

    private func browse() throws(DiscoveryError) {
        let server = try EmbeddedServer(on: loop) { [unowned self] error in
            assumeIsolated { $0.closeLater(error) }
        }
        self.server = server
        // USE_MULTICAST: a question never goes to a DNS server outside.
        let services = server.core.avahi_s_service_browser_new(
            server.server, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), browser.serviceType, nil,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, family, event, name, _, domain, _, pointer in
                guard let pointer else { return }
                let session = Unmanaged<EmbeddedBrowseSession>.fromOpaque(pointer).takeUnretainedValue()
                let instance = ServiceInstance(name: name, interface: interface, family: family)
                let domain = boundedBytes(domain)
                session.assumeIsolated { $0.browsed(event, instance: instance, domain: domain) }
            }, Unmanaged.passUnretained(self).toOpaque())
        guard services != nil else { throw server.failure }
    }

    private func closeLater(_ error: DiscoveryError) {
        guard !isClosing else { return }
        isClosing = true
        Task { close(error) }
    }

    private func send(_ sighting: Sighting) {
        if !output(sighting) { closeLater(.overrun) }
    }

    private func browsed(_ event: AvahiBrowserEvent, instance: ServiceInstance?, domain: [UInt8]) {
        switch event {
        case AVAHI_BROWSER_NEW:
            guard let instance, !instances.contains(instance) else { return }
            guard instances.count < HubBrowser.maximumInstances else {
                if !hasFlooded { send(.flooded) }
                hasFlooded = true
                return
            }
            instances.insert(instance)
            waiting.append(Resolution(instance, domain: domain, session: self))
            startResolving()
        case AVAHI_BROWSER_REMOVE:
            guard let instance, instances.remove(instance) != nil else { return }
            waiting.removeAll { $0.instance == instance }
            finish(instance)
            send(.gone(instance))
            startResolving()
        case AVAHI_BROWSER_ALL_FOR_NOW:
            isAllForNow = true
            settle()
        case AVAHI_BROWSER_FAILURE: if let server { closeLater(server.failure) }
        default: break
        }
    }

    private func startResolving() {
        while resolutions.count < EmbeddedBrowseSession.maximumResolvers, !waiting.isEmpty {
            let resolution = waiting.removeFirst()
            let instance = resolution.instance
            resolution.deadline = .now + browser.resolveDeadline
            resolutions[instance] = resolution
            resolution.resolver = resolver(for: resolution)
            guard let resolver = resolution.resolver else {
                resolutions[instance] = nil
                send(.unresolved(instance, error))
                continue
            }
            // Apart from the making, since answers from the cache come from within.
            server?.core.avahi_s_service_resolver_start(resolver)
        }
        if deadlines == nil, !resolutions.isEmpty { deadlines = Task { await watchDeadlines() } }
        settle()
    }

    private var error: ResolveError {
        let code = server?.error ?? AvahiCode.failure
        return .avahi(code: code, text: avahiText(code))
    }

    private func resolver(for resolution: Resolution) -> OpaquePointer? {
        let instance = resolution.instance
        return server?.core.avahi_s_service_resolver_prepare(
            server?.server, Int32(bitPattern: instance.interface.index),
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6),
            cString(instance.nameBytes), browser.serviceType, cString(resolution.domain),
            // Over IPv4 avahi sends AAAA records too, and a resolver takes the first that comes: asked for any, the
            // IPv4 address would be missing now and then.
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_UNSPEC),
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, _, _, event, _, _, _, host, address, port, txt, _, pointer in
                guard let pointer else { return }
                let resolution = Unmanaged<Resolution>.fromOpaque(pointer).takeUnretainedValue()
                let instance = resolution.instance
                var service: ResolvedService?
                if event == AVAHI_RESOLVER_FOUND,
                    let address = address.flatMap({ NetworkAddress($0.pointee, on: instance.interface) })
                {
                    service = ResolvedService(
                        instance: instance, host: String(decoding: boundedBytes(host), as: UTF8.self),
                        port: port, address: address, txt: TXTRecord(strings: AvahiStrings(first: txt)))
                }
                let answer = service
                resolution.session.assumeIsolated { $0.answered(instance, answer) }
            }, Unmanaged.passUnretained(resolution).toOpaque())
    }

    private func answered(_ instance: ServiceInstance, _ service: ResolvedService?) {
        let isLate = resolutions[instance]?.isLate ?? false
        let error = error
        finish(instance)
        if let service {
            send(.resolved(service))
        } else if !isLate {
            send(.unresolved(instance, error))  // one that was reported as timed out needs no second report
        }
        startResolving()
    }

    /// Frees the resolver of `instance`; avahi allows that within its own callback.
    private func finish(_ instance: ServiceInstance) {
        guard let resolution = resolutions.removeValue(forKey: instance) else { return }
        if let resolver = resolution.resolver { server?.core.avahi_s_service_resolver_free(resolver) }
    }

    private func watchDeadlines() async {
        while let next = resolutions.values.lazy.filter({ !$0.isLate }).map(\.deadline).min() {
            do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
            for resolution in resolutions.values where !resolution.isLate && resolution.deadline <= .now {
                resolution.isLate = true
                send(.unresolved(resolution.instance, .timedOut))
            }
            settle()
        }
        deadlines = nil
    }

    private func settle() {
        guard isAllForNow, !hasSettled, waiting.isEmpty, resolutions.values.allSatisfy(\.isLate) else {
            return
        }
        hasSettled = true
        send(.settled)
    }
}
