import CAvahi

/// What avahi-daemon publishes for this program. Owns the client and its entry groups.
final class DaemonPublishing: PublishingStack {
    let changed: (PublishingEvent) -> Void
    var groups: [WebAnnouncement?: EntryGroup] = [:]
    private let avahi: hubpair_avahi_client
    private var client: OpaquePointer?

    /// True while the daemon runs and has established its host name.
    private(set) var isReady = false
    /// True if the bus is there but no daemon is on it; `ready` is reported when one appears.
    private(set) var isWaiting = false

    /// Connects to the daemon, or waits for one to appear. Throws `.noBus` if there is no D-Bus, and
    /// `.refused` if access is denied.
    ///
    /// - Parameter changed: called from within avahi's callbacks.
    init(on loop: EventLoopThread, changed: @escaping (PublishingEvent) -> Void) throws(DiscoveryError) {
        avahi = try AvahiClient.load()
        self.changed = changed
        var code: Int32 = 0
        client = avahi.avahi_client_new(
            loop.poll, AVAHI_CLIENT_NO_FAIL,
            { client, state, pointer in
                guard let this: DaemonPublishing = object(at: pointer) else { return }
                this.clientChanged(to: state, code: AvahiClient.error(of: client))
            }, Unmanaged.passUnretained(self).toOpaque(), &code)
        guard let client else { throw .withoutClient(code) }
        switch avahi.avahi_client_get_state(client) {
        case AVAHI_CLIENT_CONNECTING: isWaiting = true
        case AVAHI_CLIENT_S_RUNNING: isReady = true
        case AVAHI_CLIENT_FAILURE:
            let code = AvahiClient.error(of: client)
            close()
            throw .daemon(code)
        default: break
        }
    }

    func publish(_ announcement: HubAnnouncement, as name: String) { publishHub(announcement, as: name) }

    /// What the daemon calls this machine: `raspi-2.local`. Not to be called from within a callback.
    var hostName: String? {
        guard let client, isReady, let name = avahi.avahi_client_get_host_name_fqdn(client) else {
            return nil
        }
        return String(cString: name)
    }

    func close() {
        withdrawAll()
        if let client { avahi.avahi_client_free(client) }
        client = nil
    }

    private func clientChanged(to state: AvahiClientState, code: Int32) {
        // The first callbacks arrive within avahi_client_new; init checks the state itself after that call.
        guard client != nil else { return }
        isReady = state == AVAHI_CLIENT_S_RUNNING
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            isWaiting = false
            changed(.ready)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            isWaiting = false
            changed(.busy)
        case AVAHI_CLIENT_FAILURE:
            changed(.failed(.daemon(code)))
        default: break
        }
    }

    func makeGroup(_ pointer: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard let client else { return nil }
        return avahi.avahi_entry_group_new(client, { EntryGroup.changed($2, to: $1) }, pointer)
    }

    func add(_ service: PublishedService, as name: String, to group: OpaquePointer) -> Int32 {
        withAvahiStrings(service.txt) { txt in
            avahi.avahi_entry_group_add_service_strlst(
                group, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                service.type, nil, nil, service.port, txt)
        }
    }

    func commit(_ group: OpaquePointer) -> Int32 { avahi.avahi_entry_group_commit(group) }

    func reset(_ group: OpaquePointer) { _ = avahi.avahi_entry_group_reset(group) }

    func free(_ group: OpaquePointer) { _ = avahi.avahi_entry_group_free(group) }

    func fault(_ code: Int32?) -> DiscoveryError { .avahi(code ?? AvahiClient.error(of: client)) }
}
