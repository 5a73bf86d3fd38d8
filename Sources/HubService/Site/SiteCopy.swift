package import Pairing

/// The hub's file `site-copy`: of what revision the files in the directory are a copy, and when the site last
/// said that it is the newest.
///
///     [keyfile]
///     format=1
///
///     [copy]
///     revision=4711
///     seen=2026-11-30T08:00:00Z
///     seen-boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456
///
/// `seen-boot` (as `BootTime` has it) may be missing. Rejected: `revision=-1`, no `seen`.
package struct SiteCopy: Equatable, Sendable {
    static let fileName = "site-copy"
    private static let group = "copy"

    let revision: Int64
    let seen: Moment

    init(revision: Int64, seen: Moment) { (self.revision, self.seen) = (revision, seen) }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        guard let revision = Int64(try file.required("revision", in: SiteCopy.group)), revision >= 0 else {
            throw .invalidValue("not a revision", key: "revision", group: SiteCopy.group)
        }
        guard let seen = try file.moment("seen", boot: "seen-boot", in: SiteCopy.group) else {
            throw .missingKey("seen", group: SiteCopy.group)
        }
        self.init(revision: revision, seen: seen)
    }

    package var serialized: [UInt8] {
        var file = KeyFile.empty(comment: "What the files here are a copy of; see 'hubpair hub site'.")
        file.set("revision", to: String(revision), in: SiteCopy.group)
        file.set("seen", to: seen.wall.timestamp, in: SiteCopy.group)
        file.set("seen-boot", to: seen.boot?.description, in: SiteCopy.group)
        return file.serialized
    }
}
