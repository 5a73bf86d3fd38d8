import CAvahi
import CAvahiCore
import Glibc

/// avahi's own mDNS stack in this process, for machines without avahi-daemon: owns the server.
///
/// It is the code that the daemon runs, without D-Bus. It shares port 5353 with other stacks of this machine.
final class EmbeddedServer {
    let core: hubpair_avahi_core
    /// The server; nil after `close`.
    private(set) var server: OpaquePointer?
    private let failed: (DiscoveryError) -> Void

    /// A stack that speaks on all multicast interfaces, with the host name `hostName` (one label) if it publishes.
    ///
    /// - Parameter failed: comes from within avahi's callbacks.
    init(
        on loop: EventLoopThread, hostName: String? = nil, failed: @escaping (DiscoveryError) -> Void
    ) throws(DiscoveryError) {
        core = try AvahiCore.shared.get().functions
        self.failed = failed
        try EmbeddedServer.checkDescriptors()
        var configuration = AvahiServerConfig()
        _ = core.avahi_server_config_init(&configuration)
        defer { core.avahi_server_config_free(&configuration) }
        configuration.use_ipv4 = 1
        configuration.use_ipv6 = 1
        configuration.enable_wide_area = 0
        configuration.publish_hinfo = 0
        configuration.publish_workstation = 0
        configuration.publish_domain = 0
        // The addresses that we publish bring no reverse PTR records, which would collide with a daemon's that
        // starts later and make it rename its host.
        configuration.publish_addresses = 0
        if let hostName {
            configuration.host_name = avahi_strdup(hostName)
        } else {
            configuration.disable_publishing = 1
        }
        var code: Int32 = 0
        server = core.avahi_server_new(
            loop.poll, &configuration,
            { _, state, pointer in
                guard state == AVAHI_SERVER_FAILURE, let pointer else { return }
                let this = Unmanaged<EmbeddedServer>.fromOpaque(pointer).takeUnretainedValue()
                if this.server != nil { this.failed(this.failure) }
            }, Unmanaged.passUnretained(self).toOpaque(), &code)
        guard server != nil else { throw .embedded(code: code, text: avahiText(code)) }
    }

    /// avahi 0.8 ends the process with an assertion where its netlink socket cannot be opened, so a stack is not
    /// begun while the process, or the system, has hardly any descriptors left.
    private static func checkDescriptors() throws(DiscoveryError) {
        var opened: [CInt] = []
        defer { for descriptor in opened { Glibc.close(descriptor) } }
        for _ in 0..<descriptorsOfServer {
            let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
            guard descriptor >= 0 else { throw .system(call: "eventfd", errno: errno) }
            opened.append(descriptor)
        }
    }

    /// Netlink, and two sockets for each IP version; the rest is for what other threads open meanwhile.
    private static let descriptorsOfServer = 12

    /// The last error's code.
    var error: Int32 { server.map { core.avahi_server_errno($0) } ?? AvahiCode.failure }

    /// The last error.
    var failure: DiscoveryError { .embedded(code: error, text: avahiText(error)) }

    /// Frees the server and all that was made from it, with goodbyes; never from within one of its callbacks. A second
    /// call does nothing.
    func close() {
        guard let server else { return }
        self.server = nil
        core.avahi_server_free(server)
    }
}
