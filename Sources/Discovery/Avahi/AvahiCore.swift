import CAvahiCore
import Glibc

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
