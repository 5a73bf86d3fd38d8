import Glibc
import Household
import Pairing

/// What the kernel tells of the state directory (inotify(7)), and of the mounts that might cover it
/// (proc(5)).
///
/// An event is queued before the system call that causes it returns, in whatever process, and `take` asks the
/// queue itself: what was done before `take` is called is seen, and costs one poll(2) while nothing happens.
/// Watched are the directory, the keyfile itself, which may have another name elsewhere, and every directory
/// and symbolic link on the way, which may come to lead to another place.
///
/// The kernel does not tell of writes through a mapping (mmap(2)), of those to the disk below the file
/// system, and of what other hosts do on a network's file system. For the last there is no watch: see
/// ``LocalFileSystem``.
struct StateEvents: ~Copyable {
    /// What has happened.
    struct Changes: Equatable, Sendable {
        /// How often the keyfile's name came to stand for another file, or for none.
        var renames = 0
        /// The keyfile was written in place or its mode was changed, or it is unknown what happened.
        var isTouched = false
        /// The file that was watched got another name, other rights, or is gone.
        var isFileMoved = false
        /// The path may lead elsewhere, or is not watched any more.
        var isPathMoved = false
        /// The same as the first three for the file of the codes.
        var hasOtherCodes = false
        /// The same for the file of the settings.
        var hasOtherSettings = false
        /// The same for a file of the household that people change.
        var hasOtherHousehold = false

        static let everything = Changes(isTouched: true, isPathMoved: true, hasOtherCodes: true)

        var isEmpty: Bool { self == Changes() }
        /// The keyfile may say something else than before.
        var concernsKeyfile: Bool { renames > 0 || isTouched || isFileMoved || isPathMoved }

        static func += (one: inout Changes, other: Changes) {
            one.renames += other.renames
            one.isTouched = one.isTouched || other.isTouched
            one.isFileMoved = one.isFileMoved || other.isFileMoved
            one.isPathMoved = one.isPathMoved || other.isPathMoved
            one.hasOtherCodes = one.hasOtherCodes || other.hasOtherCodes
            one.hasOtherSettings = one.hasOtherSettings || other.hasOtherSettings
            one.hasOtherHousehold = one.hasOtherHousehold || other.hasOtherHousehold
        }
    }

    private enum Subject {
        /// A directory or a symbolic link on the way.
        case way
        case directory
        case keyfile
    }

    private static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)
    private static let inPlace = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB)
    private static let renames = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
    /// Not IN_CREATE and its kin: a directory is not exchanged unless it is moved, and /tmp is busy.
    private static let onWay = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_DONT_FOLLOW)
    /// As many as path_resolution(7) follows.
    private static let maximumLinks = 40

    /// The queue of events; to be waited for by others, and read by this alone.
    let descriptor: Int32
    private let mounts: Int32
    private var subjects: [Int32: Subject] = [:]
    private var file: Int32?
    private var polled: [pollfd]

    /// A queue that nothing comes into yet.
    static func open() throws(FileError) -> StateEvents {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw .system(errno, operation: "watch", path: "files") }
        let mounts = openMounts()
        guard mounts >= 0 else {
            let code = errno
            close(descriptor)
            throw .system(code, operation: "open", path: mountsPath)
        }
        return StateEvents(descriptor, mounts)
    }

    private init(_ descriptor: Int32, _ mounts: Int32) {
        self.descriptor = descriptor
        self.mounts = mounts
        polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
        ]
    }

    deinit {
        close(descriptor)
        close(mounts)
    }

    private static let mountsPath = "/proc/self/mountinfo"

    /// A descriptor that poll(2) tells POLLPRI of once for every change of this process's mounts.
    static func openMounts() -> Int32 { Glibc.open(mountsPath, O_RDONLY | O_CLOEXEC) }

    /// Watches the directory at `path`, the way to it and its keyfile, and nothing else any more. What
    /// happens from now on comes into the queue.
    mutating func watch(_ path: String) throws(FileError) {
        let before = subjects
        subjects = [:]
        file = nil
        do throws(FileError) {
            var links = 0
            try watchWay(path, &links)
            // Last, so that the directory, which is on the way too, is known as what it is. IN_MASK_ADD: two
            // names may lead to one directory, and have one watch.
            try add(
                path, StateEvents.itself | StateEvents.inPlace | StateEvents.renames | UInt32(IN_DONT_FOLLOW),
                .directory)
            try watchFile(path)
        } catch {
            subjects.merge(before) { new, _ in new }
            throw error
        }
        for number in before.keys where subjects[number] == nil { inotify_rm_watch(descriptor, number) }
    }

    /// Watches the file that bears the keyfile's name now.
    mutating func watchFile(_ path: String) throws(FileError) {
        let before = file
        file = nil
        let mask = StateEvents.itself | StateEvents.inPlace | UInt32(IN_DONT_FOLLOW)
        do throws(FileError) {
            file = try add("\(path)/\(ApprovedDevices.fileName)", mask, .keyfile)
        } catch .system(ENOENT, _, _) {
            // The directory tells when there is one.
        }
        guard let before, before != file else { return }
        inotify_rm_watch(descriptor, before)  // fails if the file is gone
        subjects[before] = nil
    }

    /// What has happened since the last call.
    ///
    /// - Parameter found: called before anything is taken out of the queue.
    mutating func take(_ found: () -> Void) -> Changes {
        guard poll(&polled, nfds_t(polled.count), 0) != 0 else { return Changes() }
        found()
        var changes = Changes()
        if polled[1].revents != 0 { changes.isPathMoved = true }
        if polled[0].revents != 0 { readQueue(&changes) }
        return changes
    }

    private mutating func watchWay(_ path: String, _ links: inout Int) throws(FileError) {
        var prefix = path.hasPrefix("/") ? "/" : "./"
        for component in path.split(separator: "/") {
            let parent = prefix
            prefix += component
            try add(prefix, StateEvents.onWay, .way)
            if let target = StateEvents.target(ofLink: prefix) {
                links += 1
                guard links <= StateEvents.maximumLinks else {
                    throw .system(ELOOP, operation: "watch", path: path)
                }
                try watchWay(target.hasPrefix("/") ? target : parent + target, &links)
            }
            prefix += "/"
        }
    }

    @discardableResult
    private mutating func add(_ path: String, _ mask: UInt32, _ subject: Subject) throws(FileError) -> Int32 {
        let number = inotify_add_watch(descriptor, path, mask | UInt32(IN_MASK_ADD))
        guard number >= 0 else { throw .system(errno, operation: "watch", path: path) }
        subjects[number] = subject
        return number
    }

    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// Empties the queue; if others fill it as fast, so much is read, and everything taken for changed.
    private mutating func readQueue(_ changes: inout Changes) {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            for _ in 0..<256 {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    if errno != EAGAIN { changes += .everything }
                    return
                }
                note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &changes)
            }
            changes += .everything
        }
    }

    /// struct inotify_event: wd, mask, cookie, len (32 bits each, in the host's order), name with NULs
    /// behind.
    private func note(_ events: UnsafeRawBufferPointer, _ changes: inout Changes) {
        var rest = events[...]
        while rest.count >= 16 {
            let head = UnsafeRawBufferPointer(rebasing: rest)
            let number = head.loadUnaligned(fromByteOffset: 0, as: Int32.self)
            let mask = head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            let length = Int(head.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(16 + length)
            if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                changes += .everything
            } else if let subject = subjects[number] {  // else it comes of a watch that was given up
                note(subject, mask, name, &changes)
            }
        }
    }

    private func note(
        _ subject: Subject, _ mask: UInt32, _ name: Slice<UnsafeRawBufferPointer>, _ changes: inout Changes
    ) {
        switch subject {
        case .way:
            // Not what happens to others in a directory on the way.
            if name.isEmpty { changes.isPathMoved = true }
        case .keyfile:
            if mask & UInt32(IN_MODIFY | IN_CLOSE_WRITE) != 0 { changes.isTouched = true }
            if mask & (StateEvents.itself | UInt32(IN_ATTRIB)) != 0 { changes.isFileMoved = true }
        case .directory where name.isEmpty: changes.isPathMoved = true
        case .directory:
            switch HubFile.allCases.first(where: { name.elementsEqual($0.name.utf8) })?.watch {
            case .devices:
                if mask & StateEvents.inPlace != 0 { changes.isTouched = true }
                if mask & StateEvents.renames != 0 { changes.renames += 1 }
            case .codes: changes.hasOtherCodes = true
            case .settings, .ways, .services: changes.hasOtherSettings = true
            case .household: changes.hasOtherHousehold = true
            case nil: break
            }
        }
    }
}
