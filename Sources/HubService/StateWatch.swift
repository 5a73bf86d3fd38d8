import Glibc
import NIOCore
import NIOPosix
import Pairing
import Synchronization

/// Tells when something happens to the keyfile or to the codes: the kernel says so (inotify(7)), nobody asks. A system
/// gives each user 128 instances of that, and containers and desktops use them up: then the files are looked at every
/// second.
///
/// The directory is watched and not the file, which is replaced whole at every change.
final class StateWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF)
    /// What happens to the directory itself, or to the watch.
    private static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW)

    private let descriptor: Int32
    private let path: String
    private let log: ServeLog
    private let onChange: () -> Void
    private var watch: Int32

    /// What goes on until it is stopped.
    enum Running: Sendable {
        case told(any Channel)
        case looking(RepeatedTask)

        func stop() async {
            switch self {
            case .told(let channel): try? await channel.close().get()  // closed already, at worst
            case .looking(let task): task.cancel()
            }
        }
    }

    /// Watches the directory at `path`.
    static func start(
        _ path: String, on eventLoop: any EventLoop, log: ServeLog, onChange: @escaping @Sendable () -> Void
    ) async throws -> Running {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return look(path, errno, on: eventLoop, log: log, onChange: onChange) }
        let watch = inotify_add_watch(descriptor, path, events)
        guard watch >= 0 else {
            let code = errno
            Glibc.close(descriptor)
            return look(path, code, on: eventLoop, log: log, onChange: onChange)
        }
        let channel = try await NIOPipeBootstrap(group: eventLoop)
            // An event has 16 bytes and a name of up to 256; a read with less room fails.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        StateWatch(descriptor, watch, path: path, log: log, onChange: onChange))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        return .told(channel)
    }

    private static func look(
        _ path: String, _ code: Int32, on eventLoop: any EventLoop, log: ServeLog,
        onChange: @escaping @Sendable () -> Void
    ) -> Running {
        log.notice(
            "looks for changes of \(path) every second, since the system does not tell of them "
                + "(\(String(cString: strerror(code))); see fs.inotify in sysctl(8))")
        let before = Mutex(stamps(path))
        return .looking(
            eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
                let now = stamps(path)
                let hasChanged = before.withLock { before in
                    defer { before = now }
                    return before != now
                }
                if hasChanged { onChange() }
            })
    }

    /// The versions of the files that matter; nil for all, if the directory cannot be read.
    private static func stamps(_ path: String) -> [FileStamp?]? {
        do {
            let directory = try ProtectedDirectory(path: path)
            return [
                try directory.stamp(of: ApprovedDevices.fileName), try directory.stamp(of: Tickets.fileName),
            ]
        } catch {
            return nil  // whoever wants to read them says why
        }
    }

    private init(
        _ descriptor: Int32, _ watch: Int32, path: String, log: ServeLog, onChange: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.watch = watch
        self.path = path
        self.log = log
        self.onChange = onChange
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        var concernsUs = false
        var isLost = false
        // struct inotify_event: wd, mask, cookie, len (32 bits each, in the host's order), name with NULs behind.
        while let number = buffer.readInteger(endianness: .host, as: Int32.self),
            let mask = buffer.readInteger(endianness: .host, as: UInt32.self),
            buffer.readInteger(endianness: .host, as: UInt32.self) != nil,
            let length = buffer.readInteger(endianness: .host, as: UInt32.self),
            let name = buffer.readSlice(length: Int(length))
        {
            // What still comes of a watch that was replaced.
            guard number == watch || number == -1 else { continue }
            let word = name.readableBytesView.prefix { $0 != 0 }
            if mask & StateWatch.itself != 0 { isLost = true }
            concernsUs =
                concernsUs || word.isEmpty || word.elementsEqual(ApprovedDevices.fileName.utf8)
                || word.elementsEqual(Tickets.fileName.utf8)
        }
        if isLost { watchAgain(context.eventLoop.assumeIsolated()) }
        if concernsUs || isLost { onChange() }
    }

    /// The directory was moved away, perhaps for a backup that takes its place.
    private func watchAgain(_ eventLoop: NIOIsolatedEventLoop) {
        inotify_rm_watch(descriptor, watch)
        watch = inotify_add_watch(descriptor, path, StateWatch.events)
        if watch >= 0 { return onChange() }
        // Every request looks at the file in any case; only open connections wait for this.
        log.warning(.fault, "cannot watch \(path): \(String(cString: strerror(errno))); trying again")
        eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in self?.watchAgain(eventLoop) }
    }
}
