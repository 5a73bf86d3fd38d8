import CAvahi

/// What avahi-daemon publishes for this program. Owns the client and its entry groups.
final class DaemonPublishing: PublishingStack {
    private let avahi: hubpair_avahi_client
    private let changed: (PublishingEvent) -> Void
    private var client: OpaquePointer?
    private var group: OpaquePointer?
    private var services: [WebAnnouncement: WebEntryGroup] = [:]

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
                let code = AvahiClient.error(of: client)
                DaemonPublishing.at(pointer)?.clientChanged(to: state, code: code)
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

    func publish(_ announcement: HubAnnouncement, as name: String) {
        guard let client else { return }
        if group == nil {
            group = avahi.avahi_entry_group_new(
                client,
                { group, state, pointer in
                    guard let this = DaemonPublishing.at(pointer) else { return }
                    let client = group.flatMap { this.avahi.avahi_entry_group_get_client($0) }
                    this.groupChanged(to: state, code: AvahiClient.error(of: client))
                }, Unmanaged.passUnretained(self).toOpaque())
        }
        guard let group else { return changed(.refused(.avahi(AvahiClient.error(of: client)))) }
        changed(.registering)
        _ = avahi.avahi_entry_group_reset(group)
        var code = AvahiTXT(announcement.txt).withList { txt in
            avahi.avahi_entry_group_add_service_strlst(
                group, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                announcement.serviceType, nil, nil, announcement.port, txt)
        }
        if code == 0 { code = avahi.avahi_entry_group_commit(group) }
        switch code {
        case 0: break
        case AvahiCode.collision: changed(.collision)  // with another service on this machine
        default: changed(.refused(.avahi(code)))
        }
    }

    func publish(_ service: WebAnnouncement, as name: String) {
        guard let client, isReady else { return }
        let entry = services[service] ?? WebEntryGroup(service, changed: changed)
        services[service] = entry
        if entry.group == nil {
            entry.group = avahi.avahi_entry_group_new(
                client,
                { _, state, pointer in WebEntryGroup.at(pointer)?.changed(to: state) { .avahi($0) } },
                Unmanaged.passUnretained(entry).toOpaque())
        }
        guard let group = entry.group else {
            return entry.tell(.refused(.avahi(AvahiClient.error(of: client))))
        }
        _ = avahi.avahi_entry_group_reset(group)
        var code = AvahiTXT(service.txt).withList { txt in
            avahi.avahi_entry_group_add_service_strlst(
                group, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                WebAnnouncement.serviceType, nil, nil, service.port, txt)
        }
        if code == 0 { code = avahi.avahi_entry_group_commit(group) }
        entry.added(code) { .avahi($0) }
    }

    func withdraw(_ service: WebAnnouncement) {
        if let group = services.removeValue(forKey: service)?.group {
            _ = avahi.avahi_entry_group_free(group)
        }
    }

    /// What the daemon calls this machine: `raspi-2.local`. Not to be called from within a callback.
    var hostName: String? {
        guard let client, isReady, let name = avahi.avahi_client_get_host_name_fqdn(client) else {
            return nil
        }
        return String(cString: name)
    }

    func close() {
        for service in services.keys { withdraw(service) }
        if let group { _ = avahi.avahi_entry_group_free(group) }
        if let client { avahi.avahi_client_free(client) }
        (client, group) = (nil, nil)
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

    private func groupChanged(to state: AvahiEntryGroupState, code: Int32) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: changed(.established)
        case AVAHI_ENTRY_GROUP_COLLISION: changed(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: changed(.refused(.avahi(code)))
        default: break
        }
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> DaemonPublishing? {
        pointer.map { Unmanaged<DaemonPublishing>.fromOpaque($0).takeUnretainedValue() }
    }
}
