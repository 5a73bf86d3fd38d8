import CAvahi
import Glibc

/// One browse of one service type: owns the avahi client and everything made from it.
///
/// Lifetime: avahi's callbacks get an unretained pointer to this actor (or to a `Resolution` that it
/// holds). So from `open` to `close` the actor holds itself, and `close` runs on the loop's thread: after
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
    private var instances: Set<ServiceInstance> = []
    private var hasFlooded = false
    // For BrowseSessionResolving.swift, too.
    private(set) var client: OpaquePointer?
    private(set) var isAllForNow = false
    var resolutions: [ServiceInstance: Resolution] = [:]
    var waiting: [Resolution] = []
    var deadlines: Task<Void, Never>?
    var hasSettled = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

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
        do throws(DiscoveryError) {
            try connect()
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
        if let client { avahi_client_free(client) }
        client = nil
        resolutions = [:]
        waiting = []
        ended(error)
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

    private func failure(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.disconnected ? .daemonLost : .avahi(code)
    }

    private func clientChanged(to state: AvahiClientState, code: Int32) {
        // The first callbacks come from within avahi_client_new; connect() looks at the state itself then.
        guard client != nil, state == AVAHI_CLIENT_FAILURE else { return }
        closeLater(failure(code))
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
        case AVAHI_BROWSER_FAILURE: closeLater(failure(code))
        default: break
        }
    }
}
