package import Pairing

/// Which role may send which kind of request. The one place that says so, for every door: the hub's own port
/// and the proxies that ask it.
package enum RoleTable {
    /// - Parameter role: nil for a word that is no role; it may do nothing.
    package static func allows(_ role: Role?, _ kind: RequestKind) -> Bool {
        switch (role, kind) {
        case (nil, _): false
        case (.owner, _), (.member, _): true
        case (.guest, .reading), (.guest, .switching): true
        case (.guest, .changing): false
        }
    }
}
