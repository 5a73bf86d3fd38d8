#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// The user's name, as chown(1) takes it; the number of one without a name.
package func userName(_ user: UInt32) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
}
#endif
