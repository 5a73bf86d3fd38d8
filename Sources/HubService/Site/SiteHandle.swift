package import Pairing
import Synchronization

/// The site that a hub is a gate of, as the file `site` says now: it counts at once, also for a hub that
/// serves.
package final class SiteHandle: Sendable {
    private struct Content {
        var stamp: FileStamp?
        var register: SiteRegister?
        /// Another store than etcd.
        var isGiven = false
    }

    private let content = Mutex(Content())
    /// Told once the hub is a gate of another site, or of none.
    let onChange = Callback<Void>()

    package init() {}

    /// Another store than etcd, whatever the directory has; for tests.
    func give(_ register: SiteRegister) {
        content.withLock { $0 = Content(register: register, isGiven: true) }
    }

    /// The site as it was when the directory was opened last.
    package var known: SiteRegister? { content.withLock { $0.register } }

    /// The site of the hub in this directory; nil if it is alone.
    package func register(in directory: borrowing ProtectedDirectory) throws -> SiteRegister? {
        let stamp = try directory.stamp(of: SiteSettings.fileName)
        if let known = content.withLock({ $0.isGiven || $0.stamp == stamp ? .some($0.register) : nil }) {
            return known
        }
        let register = try directory.read(SiteSettings.fileName, SiteSettings.init(parsing:)).map {
            SiteRegister(try EtcdStore($0), $0)
        }
        register?.recall(directory)
        content.withLock { $0 = Content(stamp: stamp, register: register) }
        onChange.tell()
        return register
    }
}
