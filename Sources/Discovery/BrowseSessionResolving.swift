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
        /// It has answered. It is kept only to hear of changes, and gives way to one that has not.
        var isAnswered = false
        /// Reported as timed out. avahi goes on asking for some seconds; a late answer still counts.
        var isLate = false

        init(_ instance: ServiceInstance, domain: [UInt8], session: BrowseSession) {
            self.instance = instance
            self.domain = domain
            self.session = session
        }
    }

    /// Resolutions that wait for their turn, first come first served.
    struct WaitingResolutions {
        private var list: [Resolution] = []
        private var head = 0

        mutating func append(_ resolution: Resolution) { list.append(resolution) }

        mutating func next() -> Resolution? {
            guard head < list.count else {
                (list, head) = ([], 0)
                return nil
            }
            defer { head += 1 }
            return list[head]
        }

        var isEmpty: Bool { head == list.count }
    }

    /// The most resolvers at a time; the rest waits. avahi-daemon grants a client 1,024 objects, and
    /// BrowseSessionHosts.swift needs some.
    private static let maximumResolvers = 400

    /// The browser has seen `instance`: asks for its address, unless a hint has it.
    func announced(_ instance: ServiceInstance, domain: [UInt8]) {
        if let service = hints[instance] {
            send(.resolved(service))
            guard browser.follows else { return }
        } else {
            setUnanswered(instance, true)
        }
        waiting.append(Resolution(instance, domain: domain, session: self))
        startResolving()
    }

    func startResolving() {
        while mayResolve, client != nil, !waiting.isEmpty, hasRoom() {
            guard let resolution = waiting.next() else { break }
            // It may be gone meanwhile, or hinted.
            let instance = resolution.instance
            guard instances.contains(instance), resolutions[instance] == nil,
                browser.follows || unanswered.contains(instance)
            else { continue }
            resolution.deadline = .now + browser.resolveDeadline
            resolutions[instance] = resolution
            resolution.resolver = resolver(for: resolution)
            if resolution.resolver == nil {
                let code = AvahiCode.last(of: client)
                finish(instance)
                send(.unresolved(instance, .avahi(code: code, text: avahiText(code))))
            }
        }
        if deadlines == nil, !resolutions.isEmpty { deadlines = Task { await watchDeadlines() } }
        settle()
    }

    /// True if there is room for a resolver, or can be made.
    private func hasRoom() -> Bool {
        if resolutions.count < BrowseSession.maximumResolvers { return true }
        guard let answered = resolutions.first(where: { $0.value.isAnswered }) else { return false }
        free(answered.value)
        return true
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
        guard let resolution = resolutions[instance] else { return }
        if case .resolved(let service) = sighting {
            // A hint is as old as the answer to the next question.
            hints[instance] = nil
            resolution.isAnswered = true
            setUnanswered(instance, false)
            if !browser.follows { free(resolution) }
            send(sighting)
            watchHost(service.host, on: instance.interface)
        } else {
            let isNews = !resolution.isLate && !resolution.isAnswered && hints[instance] == nil
            finish(instance)
            // A failure that was reported as timed out needs no second report.
            if isNews { send(sighting) }
        }
        startResolving()
    }

    /// Ends the question for `instance`, if there is one.
    func finish(_ instance: ServiceInstance) {
        setUnanswered(instance, false)
        if let resolution = resolutions[instance] { free(resolution) }
    }

    /// avahi allows that within a resolver's own callback.
    private func free(_ resolution: Resolution) {
        resolutions[resolution.instance] = nil
        if let resolver = resolution.resolver { avahi_service_resolver_free(resolver) }
    }

    func setUnanswered(_ instance: ServiceInstance, _ isUnanswered: Bool) {
        let before = unanswered.count
        if isUnanswered { unanswered.insert(instance) } else { unanswered.remove(instance) }
        if (before == 0) != unanswered.isEmpty { send(.pending(unanswered.count)) }
    }

    private func watchDeadlines() async {
        while let next = resolutions.values.lazy.filter({ !$0.isLate && !$0.isAnswered }).map(\.deadline)
            .min()
        {
            do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
            for resolution in resolutions.values
            where !resolution.isLate && !resolution.isAnswered && resolution.deadline <= .now {
                resolution.isLate = true
                setUnanswered(resolution.instance, false)
                if hints[resolution.instance] == nil { send(.unresolved(resolution.instance, .timedOut)) }
            }
            settle()
        }
        deadlines = nil
    }
}
