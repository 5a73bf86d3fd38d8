import Glibc
package import Pairing
import Synchronization

/// What the gates of a site share, as this process knows it, and the copy of it in the hub directory, which
/// all readers use: a request costs no round trip, and a gate that is alone goes on with it for a while.
///
/// A change is made in the site first, and then in the copy.
package final class SiteRegister: SharedFiles {
    /// etcd takes 128 operations at once, and 1.5 MB.
    static let pieceCount = 100
    static let pieceByteCount = 400_000

    /// How many parts are read in several pages, and how long that may be put off.
    private static let muchCount = 1_000
    private static let patience = Duration.milliseconds(250)

    private struct Content {
        /// The newest that is known.
        var latest: SiteSnapshot?
        /// What the change that is under way is based on.
        var base: SiteSnapshot?
        /// When the site was asked that said last that this revision is the newest.
        var asked: (head: Int64, Confirmation)?
        /// The same, once the copy was of that revision: readers have nothing else, and it lags behind as
        /// long as a command holds the lock of the directory.
        var confirmed: Confirmation?
        /// What this process has copied, and the files as they were then.
        var copied: (head: Int64, stamps: [FileStamp?])?
    }

    private struct Confirmation {
        let moment: Moment
        /// Without a system call for each request.
        let instant: ContinuousClock.Instant

        static var now: Confirmation { Confirmation(moment: .now, instant: .now) }
    }

    let store: any SiteStore
    package let settings: SiteSettings
    private let content = Mutex(Content())

    package init(_ store: any SiteStore, _ settings: SiteSettings) {
        (self.store, self.settings) = (store, settings)
    }

    // MARK: What is known

    /// All that is shared, as a majority has it now.
    package func current() throws(SiteError) -> SiteSnapshot {
        let asked = Confirmation.now
        let head = try store.head()
        let known = content.withLock { content in
            guard let latest = content.latest, latest.head == head else { return nil as SiteSnapshot? }
            content.asked = (head, asked)
            return latest
        }
        if let known = known ?? awaited(head, asked) { return known }
        let fresh = try store.snapshot()
        content.withLock { content in
            content.asked = (fresh.head, asked)
            if content.latest.map({ $0.head < fresh.head }) ?? true { content.latest = fresh }
        }
        return fresh
    }

    /// What is known once the watch has told of the revision `head`: it does so in a moment, and to read all
    /// takes longer where that is much. Nil if there is no watch, or it is slow.
    private func awaited(_ head: Int64, _ asked: Confirmation) -> SiteSnapshot? {
        let end = ContinuousClock.now + SiteRegister.patience
        while true {
            let latest = content.withLock { content in
                if let latest = content.latest, latest.head >= head { content.asked = (latest.head, asked) }
                return content.latest
            }
            guard let latest, latest.parts.count >= SiteRegister.muchCount else { return nil }
            if latest.head >= head { return latest }
            guard .now < end else { return nil }
            usleep(5_000)
        }
    }

    /// Takes what a watch has told.
    ///
    /// - Returns: what is known then; nil if it cannot follow what was known before.
    func take(_ parts: [String: SiteSnapshot.Part?], head: Int64) -> SiteSnapshot? {
        content.withLock { content in
            guard let latest = content.latest else { return nil }
            guard latest.head < head else { return latest }
            let fresh = latest.applying(parts, head: head)
            guard fresh.parts.count <= SiteSnapshot.maximumParts else { return nil }
            content.latest = fresh
            return fresh
        }
    }

    /// Forgets what is known: all is read again.
    func forget() { content.withLock { $0.latest = nil } }

    /// Throws if known devices may go on no longer: nobody has confirmed for too long which they are.
    func checkFresh() throws(SiteError) {
        let confirmed = content.withLock { $0.confirmed?.instant }
        guard let confirmed, .now - confirmed <= .seconds(settings.stale) else {
            throw .stale(settings.stale)
        }
    }

    /// The revision that is known.
    package var revision: Int64? { content.withLock { $0.latest?.head } }

    /// What an earlier process has confirmed counts until the site answers.
    func recall(_ directory: borrowing ProtectedDirectory) {
        guard let copy = try? directory.read(SiteCopy.fileName, SiteCopy.init(parsing:)) else { return }
        let age = Moment.now.seconds(since: copy.seen)
        // A clock that was set back says nothing.
        guard age >= 0, age <= Double(SiteSettings.longestStale) else { return }
        let confirmed = Confirmation(moment: copy.seen, instant: .now - .seconds(age))
        content.withLock { if $0.confirmed == nil { $0.confirmed = confirmed } }
    }

    // MARK: The copy

    package func prepare() throws {
        // Who answers is asked first from then on; and what has changed is read.
        if !isRecent { _ = try current() }
    }

    /// True if the site has answered a moment ago: a gate that serves asks it each second.
    private var isRecent: Bool {
        content.withLock { $0.asked.map { .now - $0.1.instant <= .seconds(1) } ?? false }
    }

    package func refresh(_ directory: borrowing ProtectedDirectory) throws {
        let snapshot = try current()
        content.withLock { $0.base = snapshot }
        try copy(snapshot, to: directory)
    }

    /// Makes the files in the directory those of `snapshot`, unless they are newer. Call it under its lock.
    func copy(_ snapshot: SiteSnapshot, to directory: borrowing ProtectedDirectory) throws {
        if try hasCopied(snapshot, to: directory) { return }
        let before = try? directory.read(SiteCopy.fileName, SiteCopy.init(parsing:))
        if let before, before.revision > snapshot.head { return confirm(snapshot.head) }
        for (name, bytes) in snapshot.contents where (try? directory.read(name)) != bytes {
            try SiteRegister.check(name, bytes)
            // An older version must not come back by hand: it lets in who was revoked.
            try directory.replaceBoth(name, with: bytes)
        }
        let fresh = try SiteRegister.stamps(directory)
        content.withLock { $0.copied = (snapshot.head, fresh) }
        confirm(snapshot.head)
        if before?.revision != snapshot.head { try note(snapshot.head, in: directory) }
    }

    /// True if nobody has changed the copy of `snapshot` that this process made: seen without the lock, which
    /// a command that waits for the site may hold.
    func hasCopied(
        _ snapshot: SiteSnapshot, to directory: borrowing ProtectedDirectory
    ) throws(FileError) -> Bool {
        let stamps = try SiteRegister.stamps(directory)
        let copied = content.withLock { $0.copied }
        guard let copied, copied.head == snapshot.head, copied.stamps == stamps else { return false }
        confirm(snapshot.head)
        return true
    }

    /// The copy is of the revision `head`, or of a newer one.
    private func confirm(_ head: Int64) {
        content.withLock { content in
            if let (asked, confirmation) = content.asked, asked == head { content.confirmed = confirmation }
        }
    }

    /// Writes down that the copy is of the revision `head`, and when that was the newest.
    func note(_ head: Int64, in directory: borrowing ProtectedDirectory) throws {
        let seen = content.withLock { $0.confirmed?.moment } ?? .now
        try directory.replace(SiteCopy.fileName, with: SiteCopy(revision: head, seen: seen).serialized)
    }

    /// A site is as hostile as any input: what cannot be read takes no file's place.
    private static func check(_ name: String, _ bytes: [UInt8]) throws {
        guard bytes.count <= ProtectedDirectory.maximumFileByteCount else {
            throw SiteError.damaged("\(name) is larger than any of ours")
        }
        do {
            switch name {
            case ApprovedDevices.fileName: try HubFile.devices.check(bytes)
            case Tickets.fileName: try HubFile.codes.check(bytes)
            case SiteGates.fileName: try HubFile.siteGates.check(bytes)
            case SiteKeys.fileName: try HubFile.siteKeys.check(bytes)
            default: try HubFile.attempts.check(bytes)
            }
        } catch {
            throw SiteError.damaged("\(name): \(error)")
        }
    }

    private static func stamps(_ directory: borrowing ProtectedDirectory) throws(FileError) -> [FileStamp?] {
        var stamps: [FileStamp?] = []
        for name in SiteSnapshot.files { stamps.append(try directory.stamp(of: name)) }
        return stamps
    }

    // MARK: Changes

    package func commit(_ files: [SharedFile], in directory: borrowing ProtectedDirectory) throws {
        guard var base = content.withLock({ $0.base }) else { throw SharedConflict() }
        let change = try base.change(to: files)
        guard !change.parts.isEmpty else { return }
        for piece in change.pieces(of: SiteRegister.pieceCount, byteCount: SiteRegister.pieceByteCount) {
            guard let head = try store.commit(piece, on: base.head), head > base.head else {
                throw SharedConflict()
            }
            base = base.applying(piece.parts, head: head)
        }
        let committed = base
        content.withLock { content in
            content.base = nil
            if content.latest.map({ $0.head < committed.head }) ?? true { content.latest = committed }
        }
        try? note(committed.head, in: directory)
    }
}
