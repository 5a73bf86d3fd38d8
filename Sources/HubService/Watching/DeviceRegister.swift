package import FoundationEssentials
import Glibc
import NIOCore
package import Pairing
import Synchronization

/// Which devices may come in, as the keyfile says now: what every request is checked against.
///
/// A look-up answers what reading the file again would: once `devices revoke` has returned in another
/// process, the next one refuses. Two ways lead there:
/// - The kernel tells of changes (``StateEvents``): a look-up asks it, with one system call, and reads the
///   file only if something happened. Once a second a look-up also looks at the file itself, for what the
///   kernel does not tell of.
/// - It does not, or not yet: a look-up looks at the file, with five, and reads it if it is another than
///   before.
///
/// The event loops share a lock here, and would wait for each other at every request; so each keeps what it
/// has found as long as its ``DeviceGlance`` holds.
///
/// A fault in the file closes the door: every look-up throws until it is mended.
package final class DeviceRegister: Sendable {
    private struct Content: ~Copyable {
        var devices: [Pin: ApprovedDevice] = [:]
        var stamp: FileStamp?
        /// Nil if the kernel tells of no changes.
        var events: StateEvents?
        /// Since the file was read.
        var changes = StateEvents.Changes.everything
    }

    private let state: HubState
    private let content = Mutex(Content())
    private let onChange = Callback<Void>()
    private let version = Atomic<UInt64>(0)
    private let queue = Atomic<Int32>(-1)
    /// When the file itself was looked at, in nanoseconds since the system began.
    private let lastLook = Atomic<UInt64>(0)

    package init(state: HubState) { self.state = state }

    /// The device with this pin, or nil if the keyfile does not know it.
    package func device(_ pin: Pin) throws -> ApprovedDevice? { try lookUp { $0[pin] } }

    /// The same, and the version of the list that says so.
    func deviceAndVersion(_ pin: Pin) throws -> (ApprovedDevice?, UInt64) {
        try lookUp { devices in (devices[pin], versionNow) }
    }

    /// Throws if the keyfile is the copy of a site that has not confirmed it for too long.
    func checkFresh() throws { try state.site.known?.checkFresh() }

    /// True if the keyfile is the copy of a site.
    var isCopy: Bool { state.site.known != nil }

    /// The pins of all devices in the keyfile.
    func pins() throws -> Set<Pin> { try lookUp { Set($0.keys) } }

    /// All devices in the keyfile.
    package func devices() throws -> [ApprovedDevice] { try lookUp { Array($0.values) } }

    /// When approvals expire, and the latest moment that the keyfile knows of.
    func expiries() throws -> (dates: [Date], seen: Moment?) {
        let expiring = try lookUp { $0.values.filter { $0.status == .approved && $0.expires != nil } }
        return (expiring.compactMap(\.expires), expiring.first?.latest)
    }

    /// How many devices may come in at the time `now`, and when the first of their approvals expires.
    func pairedCount(at now: Date) throws -> (count: Int, nextExpiry: Date?) {
        try lookUp { devices in
            let paired = devices.values.filter { $0.verdict(at: now) == .approved }
            return (paired.count, paired.compactMap(\.expires).min())
        }
    }

    /// Whether the device with this pin may come in at the time `now`.
    package func verdict(for pin: Pin, at now: Date) throws -> DeviceVerdict {
        try device(pin)?.verdict(at: now) ?? .unknown
    }

    private func lookUp<Answer: Sendable>(
        _ answer: @Sendable ([Pin: ApprovedDevice]) -> Answer
    ) throws -> Answer {
        let (result, isNew) = content.withLock { content in
            var isNew = note(&content)
            let result = Result {
                try refresh(&content, &isNew)
                return answer(content.devices)
            }
            return (result, isNew)
        }
        // Events that were taken out of the queue are passed on here: the watch does not see them any more.
        // Not under the lock: whoever is told looks devices up.
        if isNew { onChange.tell() }
        return try result.get()
    }

    // MARK: Without a lock

    /// Grows before an event is taken out of the queue, and before the list or what watches it changes. So
    /// whoever finds the queue empty, and then this version, has a list that nothing has happened to.
    var versionNow: UInt64 { version.load(ordering: .sequentiallyConsistent) }

    /// The queue of events; negative if the kernel tells of no changes.
    var queueDescriptor: Int32 { queue.load(ordering: .sequentiallyConsistent) }

    /// True if the file itself has to be looked at, for what the kernel does not tell of.
    var isLookDue: Bool {
        NIODeadline.now().uptimeNanoseconds &- lastLook.load(ordering: .relaxed) >= 1_000_000_000
    }

    /// Another path may lead to the directory: somebody has seen the mounts change.
    func noteMounts() {
        content.withLock { content in
            change()
            content.changes.isPathMoved = true
        }
    }

    private func change() { version.add(1, ordering: .sequentiallyConsistent) }

    // MARK: The watch

    /// Lets the kernel tell of changes from now on, and `changed` be called for each.
    ///
    /// - Returns: what is readable when something has happened, until `stopWatching`.
    func startWatching(changed: @escaping @Sendable () -> Void) throws(FileError) -> Int32 {
        guard LocalFileSystem.holds(state.path) == true else {
            throw .system(ENOTSUP, operation: "watch", path: state.path)
        }
        onChange.observe(changed)
        return try content.withLock { content throws(FileError) in
            var events = try StateEvents.open()
            try events.watch(state.path)
            let descriptor = events.descriptor
            change()
            queue.store(descriptor, ordering: .sequentiallyConsistent)
            content.events = consume events
            content.changes = .everything
            return descriptor
        }
    }

    /// The descriptor of `startWatching` is closed; look-ups look at the file again.
    func stopWatching() {
        content.withLock { content in
            // Before the descriptor is closed: it may be another file's then.
            queue.store(-1, ordering: .sequentiallyConsistent)
            change()
            content.events = nil
        }
        onChange.observe(nil)
    }

    /// Passes on what has happened.
    ///
    /// - Parameter mountsHaveChanged: the path may lead elsewhere.
    /// - Returns: false while the directory cannot be watched.
    func takeNews(mountsHaveChanged: Bool) -> Bool {
        let (isNew, isWatched) = content.withLock { content in
            if mountsHaveChanged { content.changes.isPathMoved = true }
            let isNew = note(&content)
            guard content.changes.isPathMoved else { return (isNew, true) }
            // What happened while the path was not watched is unknown: it counts as a change.
            let isWatched = watch(&content)
            return (isNew || isWatched, isWatched)
        }
        if isNew { onChange.tell() }
        return isWatched
    }

    /// Adds what has happened; false if nothing has.
    private func note(_ content: inout Content) -> Bool {
        guard let new = content.events?.take(change), !new.isEmpty else { return false }
        content.changes += new
        content.changes.hasOtherCodes = false
        content.changes.hasOtherSettings = false
        content.changes.hasOtherHousehold = false
        return true
    }

    /// Watches the path as it leads now; false if that fails.
    private func watch(_ content: inout Content) -> Bool {
        do {
            try content.events?.watch(state.path)
        } catch {
            return false
        }
        content.changes.isPathMoved = false
        content.changes.isTouched = true
        return true
    }

    // MARK: The content

    /// Takes what this process has written, so that one device more does not cost the reading of 10,000.
    ///
    /// - Parameters:
    ///   - changed: the devices that were entered, nil for those that are gone.
    ///   - stamp: the file before, and as it is now.
    func adopt(_ changed: [Pin: ApprovedDevice?], from old: FileStamp?, to stamp: FileStamp?) {
        let isNew = content.withLock { content in
            let isNew = note(&content)
            // The file was read in another version: the next look-up reads it again.
            guard content.stamp != nil, content.stamp == old else { return isNew }
            if content.events != nil {
                // One rename, and what it does to the file before: ours. Everything else is another
                // process's.
                guard content.changes.renames == 1, !content.changes.isTouched, !content.changes.isPathMoved,
                    isWatched(stamp, &content)
                else { return isNew }
                content.changes = StateEvents.Changes()
            }
            change()
            for (pin, device) in changed { content.devices[pin] = device }
            content.stamp = stamp
            return isNew
        }
        if isNew { onChange.tell() }
    }

    /// Watches the new file; false if it is not the one with this stamp.
    private func isWatched(_ stamp: FileStamp?, _ content: inout Content) -> Bool {
        do {
            try content.events?.watchFile(state.path)
            return try state.open().stamp(of: ApprovedDevices.fileName) == stamp
        } catch {
            return false
        }
    }

    /// - Parameter isNew: set if what has happened is to be passed on.
    private func refresh(_ content: inout Content, _ isNew: inout Bool) throws {
        var mustRead = true
        if content.events != nil {
            if !content.changes.concernsKeyfile {
                guard isLookDue else { return }
                mustRead = false
            } else if content.changes.isPathMoved, watch(&content) {
                isNew = true
            }
            lastLook.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
        } else {
            mustRead = false
        }
        try look(&content, mustRead: mustRead)
    }

    /// - Parameter mustRead: also if it seems to be the same file; the clock of its stamp ticks in
    ///   milliseconds.
    private func look(_ content: inout Content, mustRead: Bool) throws {
        let isPathMoved = content.changes.isPathMoved
        do {
            if mustRead, !isPathMoved { try content.events?.watchFile(state.path) }
            let directory = try state.open()
            let stamp = try directory.stamp(of: ApprovedDevices.fileName)
            if !mustRead, stamp != nil, stamp == content.stamp { return }
            let keyfile = try HubState.existing(
                ApprovedDevices.fileName, in: directory, ApprovedDevices.init(parsing:))
            change()
            content.devices = Dictionary(keyfile.devices.map { ($0.pin, $0) }) { first, _ in first }
            // If the file was replaced in between, the older stamp makes the next look-up read it again.
            content.stamp = stamp
            content.changes = StateEvents.Changes(isPathMoved: isPathMoved)
        } catch {
            change()
            content.devices = [:]
            content.stamp = nil
            content.changes.isTouched = true
            throw error
        }
    }
}
