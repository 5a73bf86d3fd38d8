import CAvahi

/// A browse through avahi-daemon. Owns the client and everything made from it.
///
/// All calls must come from the loop's thread. Events arrive on that thread too, some from within `init` and
/// ``ask(_:domain:)``; an event handler may call only ``free(_:)``. The last reference must be dropped on
/// that thread, and not within a callback: avahi uses the client after the callback returns.
///
/// A client that has lost its daemon never recovers and reports no removed services; it reports
/// ``BrowsingEvent/lost(_:)``.
final class DaemonBrowsing {
    /// avahi-daemon allows 1,024 objects per client; the rest is for hosts.
    static let maximumQuestions = 400
    /// The maximum number of hosts whose addresses are followed. Each takes two objects of the daemon.
    private static let maximumHosts = 280

    private let avahi: hubpair_avahi_client
    private let serviceType: String
    private let follows: Bool
    private let changed: (BrowsingEvent) -> Void
    private var client: OpaquePointer?
    private typealias Resolution = DaemonObject<ServiceInstance>
    private var resolutions: [ServiceInstance: Resolution] = [:]
    /// Freed only when their places are needed: each costs a round trip over the bus, which the answers of
    /// others wait for. They may answer again; nobody asks then.
    private var ended: [Resolution] = []
    /// A resolver reports a single address, and two servers may use the same host name.
    private typealias HostWatch = DaemonObject<HostAddresses.Host>
    private var hosts: [HostAddresses.Host: HostWatch] = [:]
    private var hostOrder = Queue<HostAddresses.Host>()

    init(
        on loop: EventLoopThread, serviceType: String, follows: Bool,
        changed: @escaping (BrowsingEvent) -> Void
    ) throws(DiscoveryError) {
        avahi = try AvahiClient.load()
        (self.follows, self.serviceType, self.changed) = (follows, serviceType, changed)
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        var code: Int32 = 0
        // NO_FAIL distinguishes "no daemon" (the client keeps connecting) from "no bus" (no client is made).
        client = avahi.avahi_client_new(
            loop.poll, AVAHI_CLIENT_NO_FAIL,
            { client, state, pointer in
                let (code, stack) = (AvahiClient.error(of: client), object(at: pointer) as DaemonBrowsing?)
                stack?.clientChanged(to: state, code: code)
            }, pointer, &code)
        guard let client else { throw .withoutClient(code) }
        switch avahi.avahi_client_get_state(client) {
        case AVAHI_CLIENT_CONNECTING: throw .noDaemon
        case AVAHI_CLIENT_FAILURE: throw .daemon(AvahiClient.error(of: client))
        default: break
        }
        // USE_MULTICAST: a question is never sent to a unicast DNS server.
        let services = avahi.avahi_service_browser_new(
            client, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), serviceType, nil,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, family, event, name, _, domain, _, pointer in
                guard let stack: DaemonBrowsing = object(at: pointer) else { return }
                let instance = ServiceInstance(
                    name: name, of: stack.serviceType, interface: interface, family: family)
                stack.browsed(event, instance, domain: boundedBytes(domain))
            }, pointer)
        guard services != nil else { throw .daemon(AvahiClient.error(of: client)) }
    }

    /// Starts to resolve an instance; reports `.unresolved` if that is not possible.
    func ask(_ instance: ServiceInstance, domain: [UInt8]) {
        guard let client else { return }
        // avahi allows this within a resolver's own callback.
        while resolutions.count + ended.count >= DaemonBrowsing.maximumQuestions, !ended.isEmpty {
            for resolver in ended.removeFirst().handles { _ = avahi.avahi_service_resolver_free(resolver) }
        }
        let resolution = Resolution(instance, stack: self)
        resolutions[instance] = resolution
        let resolver = avahi.avahi_service_resolver_new(
            client, Int32(bitPattern: instance.interface.index),
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6),
            cString(instance.nameBytes), serviceType, cString(domain),
            Int32(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_USE_MULTICAST,
            { _, _, _, event, _, _, _, host, address, port, txt, _, pointer in
                guard let resolution: Resolution = object(at: pointer) else { return }
                let (instance, stack) = (resolution.subject, resolution.stack)
                guard stack.resolutions[instance] === resolution else { return }
                let service = ResolvedService(
                    instance, event, host: host, address: address, port: port, txt: txt)
                stack.answered(instance, service)
            }, resolution.pointer)
        guard let resolver else { return answered(instance, nil) }
        resolution.handles = [resolver]
    }

    /// Stops resolving an instance; does nothing if it is not being resolved.
    func free(_ instance: ServiceInstance) {
        if let resolution = resolutions.removeValue(forKey: instance) { ended.append(resolution) }
    }

    // Frees everything that was made from the client, too.
    deinit { if let client { avahi.avahi_client_free(client) } }

    private func clientChanged(to state: AvahiClientState, code: Int32) {
        // The first callbacks arrive within avahi_client_new; init checks the state itself after that call.
        guard client != nil, state == AVAHI_CLIENT_FAILURE else { return }
        changed(.lost(.daemon(code)))
    }

    private func browsed(_ event: AvahiBrowserEvent, _ instance: ServiceInstance?, domain: [UInt8]) {
        switch event {
        case AVAHI_BROWSER_NEW: if let instance { changed(.announced(instance, domain: domain)) }
        case AVAHI_BROWSER_REMOVE: if let instance { changed(.gone(instance)) }
        case AVAHI_BROWSER_CACHE_EXHAUSTED: changed(.cacheRead)
        case AVAHI_BROWSER_ALL_FOR_NOW: changed(.allForNow)
        case AVAHI_BROWSER_FAILURE:
            let error = DiscoveryError.daemon(AvahiClient.error(of: client))
            changed(error == .daemonLost ? .lost(error) : .failed(error))
        default: break
        }
    }

    private func answered(_ instance: ServiceInstance, _ service: ResolvedService?) {
        guard let service else {
            let code = AvahiClient.error(of: client)
            return changed(.unresolved(instance, .avahi(code: code, text: avahiText(code))))
        }
        changed(.resolved(service))
        watchHost(HostAddresses.Host(name: service.host, interface: instance.interface))
    }

    private func watchHost(_ host: HostAddresses.Host) {
        guard let client, hosts[host] == nil else { return }
        // Who follows hears of new ones in place of the oldest. A list has the address of the resolver, and
        // each of these would cost it round trips over the bus.
        guard follows || hosts.count < DaemonBrowsing.maximumHosts else { return }
        while hosts.count >= DaemonBrowsing.maximumHosts, let oldest = hostOrder.next() {
            guard let watch = hosts.removeValue(forKey: oldest) else { continue }
            for browser in watch.handles { _ = avahi.avahi_record_browser_free(browser) }
            changed(.unwatched(oldest))
        }
        let watch = HostWatch(host, stack: self)
        hosts[host] = watch
        hostOrder.append(host)
        for type in [RecordType.a, RecordType.aaaa] {
            // The record browser lives as long as the client. If it cannot be made, the resolver's address
            // remains.
            let browser = avahi.avahi_record_browser_new(
                client, Int32(bitPattern: host.interface.index), Int32(AVAHI_PROTO_UNSPEC),
                cString(Array(host.name.utf8)),
                1, UInt16(type.rawValue), AVAHI_LOOKUP_USE_MULTICAST,
                { _, _, _, event, _, _, _, data, size, _, pointer in
                    guard let watch: HostWatch = object(at: pointer) else { return }
                    let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : min(size, 17))
                    watch.stack.recorded(event, bytes, of: watch.subject)
                }, watch.pointer)
            if let browser { watch.handles.append(browser) }
        }
    }

    /// - Parameter data: a record's, 4 or 16 bytes.
    private func recorded(
        _ event: AvahiBrowserEvent, _ data: some Sequence<UInt8>, of host: HostAddresses.Host
    ) {
        guard let address = NetworkAddress(bytes: data, scope: host.interface.name) else { return }
        switch event {
        case AVAHI_BROWSER_NEW: changed(.address(address, host))
        case AVAHI_BROWSER_REMOVE: changed(.addressGone(address, host))
        default: break
        }
    }
}
