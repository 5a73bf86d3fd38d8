import CAvahi
import CAvahiCore
import Glibc

/// What this process publishes itself, where there is no avahi-daemon: by an instance of avahi's mDNS stack
/// (libavahi-core), which is the code that the daemon runs, without D-Bus. It shares UDP port 5353 with other
/// mDNS stacks on this machine.
///
/// Owns the stack and its entry groups: for the addresses of the service's host, for the same under the
/// machine's own name, for the hub, and for each web service.
///
/// The machine's own name is what people type. An avahi-daemon that starts later announces it with the same
/// addresses, which is no conflict (RFC 6762 § 9); and the service does not hang on it, since another machine
/// may have it.
final class EmbeddedPublishing: PublishingStack {
    let changed: (PublishingEvent) -> Void
    var groups: [WebAnnouncement?: EntryGroup] = [:]
    private let core: hubpair_avahi_core
    /// Nil after `close`.
    private var server: OpaquePointer?
    private var host: EntryGroup?
    private var machine: EntryGroup?
    private var hostName: String
    private var machineName: String?
    private var links = UDPLinks([])
    // The service counts as published only with its host's addresses.
    private var isHostEstablished = false
    private var isServiceEstablished = false
    private var isMachineEstablished = false
    private var machineConflicts = 0
    /// A host that claims every name must not keep the service off the network.
    private static let maximumMachineConflicts = 8
    /// What a stack opens: one netlink socket and two sockets per IP version; the rest is reserve for what
    /// other threads open meanwhile.
    private static let descriptors = 12

    /// Starts a stack for `announcement` on all multicast interfaces, with a host name that differs from the
    /// machine's.
    ///
    /// - Parameters:
    ///   - machine: the machine's own name, one label, which is announced beside it if it is free.
    ///   - changed: called from within avahi's callbacks.
    init(
        on loop: EventLoopThread, for announcement: HubAnnouncement, machine: String?,
        changed: @escaping (PublishingEvent) -> Void
    ) throws(DiscoveryError) {
        core = try AvahiCore.load()
        self.changed = changed
        hostName = announcement.embeddedHostName
        machineName = machine.flatMap { HostName.isValid($0) && $0 != "localhost" ? $0 : nil }
        try EmbeddedPublishing.checkDescriptors()
        var configuration = AvahiServerConfig()
        _ = core.avahi_server_config_init(&configuration)
        defer { core.avahi_server_config_free(&configuration) }
        configuration.use_ipv4 = 1
        configuration.use_ipv6 = 1
        configuration.enable_wide_area = 0
        configuration.publish_hinfo = 0
        configuration.publish_workstation = 0
        configuration.publish_domain = 0
        // Our address records must have no reverse PTR records: these would collide with those of an
        // avahi-daemon that starts later and make it rename its host.
        configuration.publish_addresses = 0
        configuration.host_name = avahi_strdup(hostName)
        var code: Int32 = 0
        server = core.avahi_server_new(
            loop.poll, &configuration,
            { _, state, pointer in
                guard state == AVAHI_SERVER_FAILURE, let this: EmbeddedPublishing = object(at: pointer)
                else { return }
                if this.server != nil { this.changed(.failed(this.fault(nil))) }
            }, Unmanaged.passUnretained(self).toOpaque(), &code)
        guard server != nil else { throw .embedded(code: code, text: avahiText(code)) }
    }

    /// avahi 0.8 aborts the process with an assertion if it cannot open its netlink socket. So throw here,
    /// before a stack is started, if the process or the system is almost out of file descriptors.
    private static func checkDescriptors() throws(DiscoveryError) {
        var opened: [CInt] = []
        defer { for descriptor in opened { Glibc.close(descriptor) } }
        for _ in 0..<descriptors {
            let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
            guard descriptor >= 0 else { throw .system(call: "eventfd", errno: errno) }
            opened.append(descriptor)
        }
    }

    var isReady: Bool { server != nil }

    /// True if this machine's addresses have changed since it last published: then it is to publish again.
    var isOutdated: Bool { links != UDPLinks.current() }

    func publish(_ announcement: HubAnnouncement, as name: String) {
        links = UDPLinks.current()
        (isHostEstablished, isServiceEstablished, isMachineEstablished) = (false, false, false)
        groups[nil]?.clear()
        let host = host ?? EntryGroup(of: self) { [unowned self] in hostChanged($0) }
        self.host = host
        publishAddresses(as: hostName, in: host)
        if let machineName {
            let machine = machine ?? EntryGroup(of: self) { [unowned self] in machineChanged($0) }
            self.machine = machine
            publishAddresses(as: machineName, in: machine)
        }
        publishHub(announcement, as: name)
    }

    func note(_ result: PublishingResult, of service: WebAnnouncement?) {
        guard service == nil, case .established = result else { return changed(.service(service, result)) }
        isServiceEstablished = true
        tellIfEstablished()
    }

    /// Publishes the addresses of all links except loopback, each on its own link: A records over IPv4, and
    /// AAAA records over both families, as avahi-daemon does.
    private func publishAddresses(as name: String, in group: EntryGroup) {
        let usable = links.links.values.filter { !$0.isLoopback && $0.canMulticast }
        // Without any address there is nothing to commit, so the host counts as established.
        guard usable.contains(where: { !$0.networks.isEmpty }) else {
            if group === host { isHostEstablished = true }
            return group.clear()
        }
        group.publish { group in
            for link in usable {
                for network in link.networks {
                    var address = AvahiAddress(network.address)
                    let family = network.address.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_UNSPEC
                    let code = core.avahi_server_add_address(
                        server, group, Int32(bitPattern: link.interface.index), Int32(family),
                        AVAHI_PUBLISH_NO_REVERSE, name + ".local", &address)
                    // A collision means that two links of one network have the same address.
                    guard code == 0 || code == AvahiCode.collision else { return code }
                }
            }
            return 0
        }
    }

    /// Sends goodbyes, and frees everything. Must not be called from within a callback.
    func close() {
        withdrawAll()
        machine?.free()
        host?.free()
        if let server { core.avahi_server_free(server) }
        server = nil
    }

    private func hostChanged(_ result: PublishingResult) {
        switch result {
        case .established:
            isHostEstablished = true
            tellNames()
            tellIfEstablished()
        case .collision:
            hostName = alternativeName(to: hostName) { avahi_alternative_host_name($0) }
            changed(.ready)  // publishes again, under the new host name
        case .refused: changed(.service(nil, result))
        }
    }

    private func machineChanged(_ result: PublishingResult) {
        switch result {
        case .established:
            isMachineEstablished = true
            tellNames()
        case .collision:
            guard let taken = machineName else { return }
            machineConflicts += 1
            guard machineConflicts < EmbeddedPublishing.maximumMachineConflicts else {
                return machineName = nil
            }
            machineName = alternativeName(to: taken) { avahi_alternative_host_name($0) }
            changed(.ready)  // publishes again, under the new name
        // The service is announced whether the machine's name is or not.
        case .refused: break
        }
    }

    private func tellNames() {
        guard isHostEstablished else { return }
        let machine = isMachineEstablished ? machineName : nil
        changed(.named([machine, hostName].compactMap(\.self).map { "\($0.lowercased()).local" }))
    }

    private func tellIfEstablished() {
        if isHostEstablished, isServiceEstablished { changed(.service(nil, .established)) }
    }

    func makeGroup(_ pointer: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard let server else { return nil }
        return core.avahi_s_entry_group_new(server, { EntryGroup.changed($3, to: $2) }, pointer)
    }

    func add(_ service: PublishedService, as name: String, to group: OpaquePointer) -> Int32 {
        withAvahiStrings(service.txt) { txt in
            core.avahi_server_add_service_strlst(
                server, group, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                service.type, nil, hostName + ".local", service.port, txt)
        }
    }

    func commit(_ group: OpaquePointer) -> Int32 { core.avahi_s_entry_group_commit(group) }

    func reset(_ group: OpaquePointer) { core.avahi_s_entry_group_reset(group) }

    func free(_ group: OpaquePointer) { core.avahi_s_entry_group_free(group) }

    func fault(_ code: Int32?) -> DiscoveryError {
        let code = code ?? server.map { core.avahi_server_errno($0) } ?? AvahiCode.failure
        return .embedded(code: code, text: avahiText(code))
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
