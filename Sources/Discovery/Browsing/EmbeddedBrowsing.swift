import CAvahi
import CAvahiCore

/// A browse by the embedded stack. Owns the stack and everything made from it.
final class EmbeddedBrowsing: BrowsingStack {
    static let maximumQuestions = 400
    /// The maximum number of hosts whose addresses are followed, the same as with a daemon.
    private static let maximumHosts = 280

    private let serviceType: String
    private let changed: (BrowsingEvent) -> Void
    private let server: EmbeddedServer
    private var resolutions: [ServiceInstance: Resolution<EmbeddedBrowsing>] = [:]
    private var hosts: [HostAddresses.Host: HostWatch<EmbeddedBrowsing>] = [:]
    private var hostOrder = Queue<HostAddresses.Host>()

    init(
        on loop: EventLoopThread, serviceType: String, changed: @escaping (BrowsingEvent) -> Void
    ) throws(DiscoveryError) {
        (self.serviceType, self.changed) = (serviceType, changed)
        server = try EmbeddedServer(on: loop) { changed(.failed($0)) }
    }

    func start() throws(DiscoveryError) {
        // USE_MULTICAST: a question is never sent to a unicast DNS server.
        let services = server.core.avahi_s_service_browser_new(
            server.server, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), serviceType, nil,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, family, event, name, _, domain, _, pointer in
                guard let pointer else { return }
                let stack = Unmanaged<EmbeddedBrowsing>.fromOpaque(pointer).takeUnretainedValue()
                let instance = ServiceInstance(
                    name: name, of: stack.serviceType, interface: interface, family: family)
                stack.browsed(event, instance: instance, domain: boundedBytes(domain))
            }, Unmanaged.passUnretained(self).toOpaque())
        guard services != nil else { throw server.failure }
    }

    func ask(_ instance: ServiceInstance, domain: [UInt8]) {
        let resolution = Resolution(instance, stack: self)
        resolutions[instance] = resolution
        resolution.resolver = server.core.avahi_s_service_resolver_prepare(
            server.server, Int32(bitPattern: instance.interface.index),
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6),
            cString(instance.nameBytes), serviceType, cString(domain),
            // Over IPv4 avahi sends AAAA records too, and a resolver reports the address that comes first.
            // Asking for any family would sometimes miss the IPv4 address.
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_UNSPEC),
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, _, _, event, _, _, _, host, address, port, txt, _, pointer in
                guard let pointer else { return }
                let resolution = Unmanaged<Resolution<EmbeddedBrowsing>>.fromOpaque(pointer)
                    .takeUnretainedValue()
                let service = ResolvedService(
                    resolution.instance, event, host: host, address: address, port: port, txt: txt)
                resolution.stack.answered(resolution.instance, service)
            }, Unmanaged.passUnretained(resolution).toOpaque())
        guard let resolver = resolution.resolver else { return answered(instance, nil) }
        // Started separately: answers from the cache arrive within this call, when resolution.resolver must
        // be set.
        server.core.avahi_s_service_resolver_start(resolver)
    }

    /// avahi allows this within a resolver's own callback.
    func free(_ instance: ServiceInstance) {
        guard let resolver = resolutions.removeValue(forKey: instance)?.resolver else { return }
        server.core.avahi_s_service_resolver_free(resolver)
    }

    func close() {
        server.close()  // frees its browsers and resolvers too
        resolutions = [:]
        (hosts, hostOrder) = ([:], Queue())
    }

    private func browsed(_ event: AvahiBrowserEvent, instance: ServiceInstance?, domain: [UInt8]) {
        switch event {
        case AVAHI_BROWSER_NEW: if let instance { changed(.announced(instance, domain: domain)) }
        case AVAHI_BROWSER_REMOVE: if let instance { changed(.gone(instance)) }
        case AVAHI_BROWSER_CACHE_EXHAUSTED: changed(.cacheRead)
        case AVAHI_BROWSER_ALL_FOR_NOW: changed(.allForNow)
        case AVAHI_BROWSER_FAILURE: changed(.failed(server.failure))
        default: break
        }
    }

    private func answered(_ instance: ServiceInstance, _ service: ResolvedService?) {
        guard let service else {
            let code = server.error
            return changed(.unresolved(instance, .avahi(code: code, text: avahiText(code))))
        }
        changed(.resolved(service))
        watchHost(HostAddresses.Host(name: service.host, interface: instance.interface))
    }

    private func watchHost(_ host: HostAddresses.Host) {
        guard hosts[host] == nil else { return }
        // The oldest gives way: a new hub must not go unheard because there were many.
        while hosts.count >= EmbeddedBrowsing.maximumHosts, let oldest = hostOrder.next() {
            guard let watch = hosts.removeValue(forKey: oldest) else { continue }
            for browser in watch.browsers { _ = server.core.avahi_s_record_browser_free(browser) }
            changed(.unwatched(oldest))
        }
        let watch = HostWatch(host, stack: self)
        hosts[host] = watch
        hostOrder.append(host)
        for type in [RecordType.a, RecordType.aaaa] {
            guard let key = server.core.avahi_key_new(cString(Array(host.name.utf8)), 1, UInt16(type)) else {
                continue
            }
            defer { server.core.avahi_key_unref(key) }
            // The record browser lives as long as the server and calls back only later. If it cannot be made,
            // the resolver's address remains.
            let browser = server.core.avahi_s_record_browser_new(
                server.server, Int32(bitPattern: host.interface.index), Int32(AVAHI_PROTO_UNSPEC), key,
                AVAHI_LOOKUP_USE_MULTICAST,
                { _, _, _, event, record, _, pointer in
                    guard let pointer, let data = record.flatMap({ addressBytes(of: $0.pointee) }) else {
                        return
                    }
                    let watch = Unmanaged<HostWatch<EmbeddedBrowsing>>.fromOpaque(pointer)
                        .takeUnretainedValue()
                    watch.event(event, data).map(watch.stack.changed)
                }, Unmanaged.passUnretained(watch).toOpaque())
            if let browser { watch.browsers.append(browser) }
        }
    }
}

/// The address bytes of an A or AAAA record; nil for any other record.
private func addressBytes(of record: AvahiRecord) -> [UInt8]? {
    switch record.key?.pointee.type {
    case UInt16(RecordType.a): withUnsafeBytes(of: record.data.a.address) { Array($0) }
    case UInt16(RecordType.aaaa): withUnsafeBytes(of: record.data.aaaa.address) { Array($0) }
    default: nil
    }
}
