import CAvahi
import CAvahiCore

/// A browse by avahi's own stack in this process: owns the stack and everything made from it.
final class EmbeddedBrowsing: BrowsingStack {
    static let maximumQuestions = 256

    private let serviceType: String
    private let changed: (BrowsingEvent) -> Void
    private let server: EmbeddedServer
    private var resolutions: [ServiceInstance: Resolution<EmbeddedBrowsing>] = [:]

    init(
        on loop: AvahiLoop, serviceType: String, changed: @escaping (BrowsingEvent) -> Void
    ) throws(DiscoveryError) {
        (self.serviceType, self.changed) = (serviceType, changed)
        server = try EmbeddedServer(on: loop) { changed(.failed($0)) }
    }

    func start() throws(DiscoveryError) {
        // USE_MULTICAST: a question never goes to a DNS server outside.
        let services = server.core.avahi_s_service_browser_new(
            server.server, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), serviceType, nil,
            AVAHI_LOOKUP_USE_MULTICAST,
            { _, interface, family, event, name, _, domain, _, pointer in
                guard let pointer else { return }
                let stack = Unmanaged<EmbeddedBrowsing>.fromOpaque(pointer).takeUnretainedValue()
                let instance = ServiceInstance(name: name, interface: interface, family: family)
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
            // Over IPv4 avahi sends AAAA records too, and a resolver takes the first that comes: asked for any, the
            // IPv4 address would be missing now and then.
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
        // Apart from the making, since answers from the cache come from within.
        server.core.avahi_s_service_resolver_start(resolver)
    }

    /// avahi allows that within a resolver's own callback.
    func free(_ instance: ServiceInstance) {
        guard let resolver = resolutions.removeValue(forKey: instance)?.resolver else { return }
        server.core.avahi_s_service_resolver_free(resolver)
    }

    func close() {
        server.close()  // with its browsers and resolvers
        resolutions = [:]
    }

    private func browsed(_ event: AvahiBrowserEvent, instance: ServiceInstance?, domain: [UInt8]) {
        switch event {
        case AVAHI_BROWSER_NEW: if let instance { changed(.announced(instance, domain: domain)) }
        case AVAHI_BROWSER_REMOVE: if let instance { changed(.gone(instance)) }
        case AVAHI_BROWSER_ALL_FOR_NOW: changed(.allForNow)
        case AVAHI_BROWSER_FAILURE: changed(.failed(server.failure))
        default: break
        }
    }

    private func answered(_ instance: ServiceInstance, _ service: ResolvedService?) {
        if let service { return changed(.resolved(service)) }
        let code = server.error
        changed(.unresolved(instance, .avahi(code: code, text: avahiText(code))))
    }
}
