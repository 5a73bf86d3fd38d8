import CAvahi

// Resolving: all instances at once, as far as avahi has objects for them.
extension BrowseSession {
    /// One question for the address of one instance; avahi's callback points to it.
    final class Resolution {
        let instance: ServiceInstance
        let domain: [UInt8]
        // Unowned, because the session holds it and outlives it.
        unowned let session: BrowseSession
        var resolver: OpaquePointer?
        var deadline = ContinuousClock.now
        /// Reported as timed out. avahi goes on asking for some seconds; a late answer still counts.
        var isLate = false

        init(_ instance: ServiceInstance, domain: [UInt8], session: BrowseSession) {
            self.instance = instance
            self.domain = domain
            self.session = session
        }
    }

    /// The most resolvers at a time; the rest waits. avahi-daemon grants a client 1,024 objects.
    private static let maximumResolvers = 256

    func startResolving() {
        while resolutions.count < BrowseSession.maximumResolvers, !waiting.isEmpty {
            let resolution = waiting.removeFirst()
            resolution.deadline = .now + browser.resolveDeadline
            resolutions[resolution.instance] = resolution
            resolution.resolver = resolver(for: resolution)
            if resolution.resolver == nil {
                let code = AvahiCode.last(of: client)
                resolutions[resolution.instance] = nil
                send(.unresolved(resolution.instance, .avahi(code: code, text: avahiText(code))))
            }
        }
        if deadlines == nil, !resolutions.isEmpty { deadlines = Task { await watchDeadlines() } }
        settle()
    }

    private func resolver(for resolution: Resolution) -> OpaquePointer? {
        guard let client else { return nil }
        let instance = resolution.instance
        return avahi_service_resolver_new(
            client, Int32(bitPattern: instance.interface.index),
            Int32(instance.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6),
            cString(instance.nameBytes), browser.serviceType, cString(resolution.domain),
            Int32(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_USE_MULTICAST,
            { resolver, _, _, event, _, _, _, host, address, port, txt, _, pointer in
                guard let pointer else { return }
                let resolution = Unmanaged<Resolution>.fromOpaque(pointer).takeUnretainedValue()
                let instance = resolution.instance
                let sighting: Sighting
                if event == AVAHI_RESOLVER_FOUND,
                    let address = address.flatMap({ NetworkAddress($0.pointee, on: instance.interface) })
                {
                    sighting = .resolved(
                        ResolvedService(
                            instance: instance, host: String(decoding: boundedBytes(host), as: UTF8.self),
                            port: port, address: address, txt: TXTRecord(strings: AvahiStrings(first: txt))))
                } else {
                    let code = AvahiCode.last(of: resolver.flatMap { avahi_service_resolver_get_client($0) })
                    sighting = .unresolved(instance, .avahi(code: code, text: avahiText(code)))
                }
                resolution.session.assumeIsolated { $0.answered(instance, sighting) }
            }, Unmanaged.passUnretained(resolution).toOpaque())
    }

    private func answered(_ instance: ServiceInstance, _ sighting: Sighting) {
        let isLate = resolutions[instance]?.isLate ?? false
        finish(instance)
        // A failure that was reported as timed out needs no second report.
        if case .unresolved = sighting, isLate {} else { send(sighting) }
        startResolving()
    }

    /// Frees the resolver of `instance`; avahi allows that within its own callback.
    func finish(_ instance: ServiceInstance) {
        guard let resolution = resolutions.removeValue(forKey: instance) else { return }
        if let resolver = resolution.resolver { avahi_service_resolver_free(resolver) }
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

    func settle() {
        guard isAllForNow, !hasSettled, waiting.isEmpty, resolutions.values.allSatisfy(\.isLate) else {
            return
        }
        hasSettled = true
        send(.settled)
    }
}
