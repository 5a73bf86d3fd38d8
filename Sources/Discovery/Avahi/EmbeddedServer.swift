import CAvahi
import CAvahiCore
import Glibc

/// Owns an instance of avahi's mDNS stack (libavahi-core) in this process, for machines without avahi-daemon.
///
/// This is the code that the daemon itself runs, without D-Bus. It shares UDP port 5353 with other mDNS
/// stacks on this machine.
final class EmbeddedServer {
    let core: hubpair_avahi_core
    /// Nil after `close`.
    private(set) var server: OpaquePointer?
    private let failed: (DiscoveryError) -> Void

    /// Starts a stack on all multicast interfaces, for publishing under `hostName` (one label).
    ///
    /// - Parameter failed: called from within avahi's callbacks.
    init(
        on loop: EventLoopThread, hostName: String, failed: @escaping (DiscoveryError) -> Void
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
        // Our address records must have no reverse PTR records: these would collide with those of an
        // avahi-daemon that starts later and make it rename its host.
        configuration.publish_addresses = 0
        configuration.host_name = avahi_strdup(hostName)
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

    /// avahi 0.8 aborts the process with an assertion if it cannot open its netlink socket. So throw here,
    /// before a stack is started, if the process or the system is almost out of file descriptors.
    private static func checkDescriptors() throws(DiscoveryError) {
        var opened: [CInt] = []
        defer { for descriptor in opened { Glibc.close(descriptor) } }
        for _ in 0..<descriptorsOfServer {
            let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
            guard descriptor >= 0 else { throw .system(call: "eventfd", errno: errno) }
            opened.append(descriptor)
        }
    }

    /// One netlink socket and two sockets per IP version; the rest is reserve for what other threads open
    /// meanwhile.
    private static let descriptorsOfServer = 12

    var error: Int32 { server.map { core.avahi_server_errno($0) } ?? AvahiCode.failure }

    var failure: DiscoveryError { .embedded(code: error, text: avahiText(error)) }

    /// Sends goodbyes and frees the server with everything made from it. Must not be called from within one
    /// of its callbacks. A second call does nothing.
    func close() {
        guard let server else { return }
        self.server = nil
        core.avahi_server_free(server)
    }
}
