import CAvahi
import CAvahiCore
import Glibc

/// libavahi-client's functions; the library is loaded when the daemon is first asked, and stays.
///
/// That is after the one-shot query has gone out, so that answers are on their way while twelve libraries are read.
enum AvahiClient {
    private static let loaded: Result<hubpair_avahi_client, DiscoveryError> = {
        var functions = hubpair_avahi_client()
        guard hubpair_load_avahi_client(&functions) == 1 else {
            return .failure(.noClient(dlerror().map { String(cString: $0) } ?? "no reason given"))
        }
        return .success(functions)
    }()

    /// The functions, or why they cannot be had.
    static func load() throws(DiscoveryError) -> hubpair_avahi_client { try loaded.get() }

    /// A client's last error.
    static func error(of client: OpaquePointer?) -> Int32 {
        guard let client, let functions = try? loaded.get() else { return AvahiCode.failure }
        return functions.avahi_client_errno(client)
    }
}

/// libavahi-core's functions; the library is loaded at the first use and stays.
struct AvahiCore {
    let functions: hubpair_avahi_core

    /// The library, or why it cannot be had.
    static let shared: Result<AvahiCore, DiscoveryError> = {
        var functions = hubpair_avahi_core()
        guard hubpair_load_avahi_core(&functions) == 1 else {
            return .failure(
                .noEmbeddedStack(dlerror().map { String(cString: $0) } ?? "not with the address sanitizer"))
        }
        // It writes to standard error otherwise, which is the program's, not a library's.
        functions.avahi_set_log_function { _, _ in }
        return .success(AvahiCore(functions: functions))
    }()
}
