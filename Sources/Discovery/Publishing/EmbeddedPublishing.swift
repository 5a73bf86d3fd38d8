import CAvahi
import CAvahiCore

/// What this process publishes itself. Owns an embedded stack and its entry groups: for the addresses of the
/// service's host, for the same under the machine's own name, for the hub, and for each web service.
///
/// The machine's own name is what people type. An avahi-daemon that starts later announces it with the same
/// addresses, which is no conflict (RFC 6762 § 9); and the service does not hang on it, since another machine
/// may have it.
final class EmbeddedPublishing: PublishingStack {
    private let changed: (PublishingEvent) -> Void
    private var server: EmbeddedServer?
    private var host: OpaquePointer?
    private var machine: OpaquePointer?
    private var service: OpaquePointer?
    private var services: [WebAnnouncement: WebEntryGroup] = [:]
    private var hostName: String
    private var machineName: String?
    private var published: (announcement: HubAnnouncement, name: String, links: UDPLinks)?
    // The service counts as published only with its host's addresses.
    private var isHostEstablished = false
    private var isServiceEstablished = false
    private var isMachineEstablished = false
    private var machineConflicts = 0
    /// A host that claims every name must not keep the service off the network.
    private static let maximumMachineConflicts = 8

    /// Starts a stack for `announcement`, with a host name that differs from the machine's.
    ///
    /// - Parameters:
    ///   - machine: the machine's own name, one label, which is announced beside it if it is free.
    ///   - changed: called from within avahi's callbacks.
    init(
        on loop: EventLoopThread, for announcement: HubAnnouncement, machine: String?,
        changed: @escaping (PublishingEvent) -> Void
    ) throws(DiscoveryError) {
        self.changed = changed
        hostName = announcement.embeddedHostName
        machineName = machine.flatMap { HostName.isValid($0) && $0 != "localhost" ? $0 : nil }
        server = try EmbeddedServer(on: loop, hostName: hostName) { changed(.failed($0)) }
    }

    func publish(_ announcement: HubAnnouncement, as name: String) {
        publish(announcement, as: name, links: UDPLinks.current())
    }

    func publish(_ service: WebAnnouncement, as name: String) {
        guard let core = server?.core, let server = server?.server else { return }
        let entry = services[service] ?? WebEntryGroup(service, changed: changed)
        services[service] = entry
        if entry.group == nil {
            entry.group = core.avahi_s_entry_group_new(
                server,
                { _, _, state, pointer in
                    WebEntryGroup.at(pointer)?.changed(to: state) {
                        .embedded(code: $0, text: avahiText($0))
                    }
                },
                Unmanaged.passUnretained(entry).toOpaque())
        }
        guard let group = entry.group else {
            return entry.tell(.refused(embedded(core.avahi_server_errno(server))))
        }
        core.avahi_s_entry_group_reset(group)
        var code = AvahiTXT(service.txt).withList { txt in
            core.avahi_server_add_service_strlst(
                server, group, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
                name, WebAnnouncement.serviceType, nil, hostName + ".local", service.port, txt)
        }
        if code == 0 { code = core.avahi_s_entry_group_commit(group) }
        entry.added(code, embedded)
    }

    func withdraw(_ service: WebAnnouncement) {
        if let group = services.removeValue(forKey: service)?.group {
            server?.core.avahi_s_entry_group_free(group)
        }
    }

    /// Publishes again if this machine's addresses have changed.
    func networkChanged() {
        let links = UDPLinks.current()
        guard let published, links != published.links else { return }
        publish(published.announcement, as: published.name, links: links)
    }

    private func publish(_ announcement: HubAnnouncement, as name: String, links: UDPLinks) {
        guard let core = server?.core, let server = server?.server else { return }
        published = (announcement, name, links)
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        if host == nil {
            host = core.avahi_s_entry_group_new(
                server,
                { _, _, state, pointer in EmbeddedPublishing.at(pointer)?.hostChanged(to: state) }, pointer)
        }
        if service == nil {
            service = core.avahi_s_entry_group_new(
                server,
                { _, _, state, pointer in EmbeddedPublishing.at(pointer)?.serviceChanged(to: state) },
                pointer)
        }
        if machine == nil, machineName != nil {
            machine = core.avahi_s_entry_group_new(
                server,
                { _, _, state, pointer in EmbeddedPublishing.at(pointer)?.machineChanged(to: state) },
                pointer)
        }
        guard let host, let service else {
            return changed(.refused(embedded(core.avahi_server_errno(server))))
        }
        (isHostEstablished, isServiceEstablished, isMachineEstablished) = (false, false, false)
        changed(.registering)
        core.avahi_s_entry_group_reset(service)
        core.avahi_s_entry_group_reset(host)
        var (code, count) = add(links, as: hostName, to: host, of: server, core)
        // Without any address there is nothing to commit, so the host counts as established.
        isHostEstablished = count == 0
        if let machine, let machineName {
            core.avahi_s_entry_group_reset(machine)
            // The service is announced whether the machine's name is or not.
            _ = add(links, as: machineName, to: machine, of: server, core)
        }
        if code == 0 {
            code = AvahiTXT(announcement.txt).withList { txt in
                core.avahi_server_add_service_strlst(
                    server, service, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
                    name, announcement.serviceType, nil, hostName + ".local", announcement.port, txt)
            }
        }
        if code == 0 { code = core.avahi_s_entry_group_commit(service) }
        switch code {
        case 0: break
        case AvahiCode.collision: changed(.collision)
        default: changed(.refused(embedded(code)))
        }
    }

    /// Adds the addresses of all links except loopback, each on its own link: A records over IPv4, and AAAA
    /// records over both families, as avahi-daemon does.
    private func add(
        _ links: UDPLinks, as name: String, to group: OpaquePointer, of server: OpaquePointer,
        _ core: hubpair_avahi_core
    ) -> (code: Int32, count: Int) {
        var count = 0
        for link in links.links.values where !link.isLoopback && link.canMulticast {
            for network in link.networks {
                var address = AvahiAddress(network.address)
                let family = network.address.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_UNSPEC
                let code = core.avahi_server_add_address(
                    server, group, Int32(bitPattern: link.interface.index), Int32(family),
                    AVAHI_PUBLISH_NO_REVERSE, name + ".local", &address)
                // A collision means that two links of one network have the same address.
                guard code == 0 || code == AvahiCode.collision else { return (code, count) }
                count += 1
            }
        }
        return (count == 0 ? 0 : core.avahi_s_entry_group_commit(group), count)
    }

    func close() {
        for service in services.keys { withdraw(service) }
        for group in [service, machine, host] { group.map { server?.core.avahi_s_entry_group_free($0) } }
        (service, machine, host) = (nil, nil, nil)
        server?.close()
        server = nil
    }

    private func hostChanged(to state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            isHostEstablished = true
            tellNames()
            tellIfEstablished()
        case AVAHI_ENTRY_GROUP_COLLISION:
            guard let name = avahi_alternative_host_name(hostName) else { return }
            defer { avahi_free(name) }
            hostName = String(cString: name)
            changed(.ready)  // publishes again, under the new host name
        default: break
        }
    }

    private func machineChanged(to state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            isMachineEstablished = true
            tellNames()
        case AVAHI_ENTRY_GROUP_COLLISION:
            guard let taken = machineName, let name = avahi_alternative_host_name(taken) else { return }
            defer { avahi_free(name) }
            machineConflicts += 1
            machineName =
                machineConflicts < EmbeddedPublishing.maximumMachineConflicts ? String(cString: name) : nil
            guard machineName != nil else { return }
            changed(.ready)  // publishes again, under the new name
        default: break
        }
    }

    private func tellNames() {
        guard isHostEstablished else { return }
        let machine = isMachineEstablished ? machineName : nil
        changed(.named([machine, hostName].compactMap(\.self).map { "\($0.lowercased()).local" }))
    }

    private func serviceChanged(to state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            isServiceEstablished = true
            tellIfEstablished()
        case AVAHI_ENTRY_GROUP_COLLISION: changed(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: changed(.refused(embedded(server?.error ?? AvahiCode.failure)))
        default: break
        }
    }

    private func tellIfEstablished() {
        if isHostEstablished, isServiceEstablished { changed(.established) }
    }

    private func embedded(_ code: Int32) -> DiscoveryError { .embedded(code: code, text: avahiText(code)) }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> EmbeddedPublishing? {
        pointer.map { Unmanaged<EmbeddedPublishing>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension AvahiAddress {
    /// Converts an address to avahi's form, which has no scope.
    init(_ address: NetworkAddress) {
        self.init()
        proto = Int32(address.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        withUnsafeMutableBytes(of: &data) { $0.copyBytes(from: address.bytes) }
    }
}
