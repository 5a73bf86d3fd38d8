import CAvahi
import CAvahiCore
import Identity

/// The functions of libavahi-client. The library is loaded at first use and never unloaded.
///
/// Loading reads twelve libraries. It happens after the one-shot query has been sent, so that the answers
/// travel meanwhile.
enum AvahiClient {
    private static let loaded = Result { () throws(DiscoveryError) in
        try SharedLibrary("libavahi-client.so.3") { DiscoveryError.noClient($0) }
            .functions(hubpair_avahi_client(), hubpair_load_avahi_client)
    }

    /// The functions; throws ``DiscoveryError/noClient(_:)`` if the library cannot be loaded.
    static func load() throws(DiscoveryError) -> hubpair_avahi_client { try loaded.get() }

    /// The error code of the client's last call; `AVAHI_ERR_FAILURE` without a client.
    static func error(of client: OpaquePointer?) -> Int32 {
        guard let client, let functions = try? loaded.get() else { return AvahiCode.failure }
        return functions.avahi_client_errno(client)
    }
}

/// The functions of libavahi-core. The library is loaded at first use and never unloaded.
enum AvahiCore {
    private static let loaded = Result { () throws(DiscoveryError) -> hubpair_avahi_core in
        guard hubpair_has_address_sanitizer() == 0 else {
            throw .noEmbeddedStack("not with the address sanitizer")
        }
        // It and libavahi-client have functions of one name.
        let functions = try SharedLibrary("libavahi-core.so.7", prefersItsOwn: true) {
            DiscoveryError.noEmbeddedStack($0)
        }.functions(hubpair_avahi_core(), hubpair_load_avahi_core)
        // By default avahi logs to standard error, which belongs to the program and not to a library.
        functions.avahi_set_log_function { _, _ in }
        return functions
    }

    /// The functions; throws ``DiscoveryError/noEmbeddedStack(_:)`` if the library cannot be loaded.
    static func load() throws(DiscoveryError) -> hubpair_avahi_core { try loaded.get() }
}
