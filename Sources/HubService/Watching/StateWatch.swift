import CGlibc
import Dispatch
import Glibc
package import NIOCore
import Pairing
import Synchronization

/// Tells when something happens to the keyfile, the codes, the settings or the household's files. The kernel
/// says so (``StateEvents``), without polling. Each user has 128 instances of that, which containers and
/// desktops may use up, and it does not see what other hosts do. Then the files are looked at every second.
package enum StateWatch {
    /// What goes on until it is stopped.
    package enum Running: Sendable {
        case told(Waiting)
        case looking(RepeatedTask)

        package func stop() async {
            switch self {
            case .told(let waiting): await waiting.stop()
            case .looking(let task): task.cancel()
            }
        }
    }

    /// Watches the directory at `path`, which is the register's.
    package static func start(
        _ path: String, for register: DeviceRegister, on eventLoop: any EventLoop, log: ServeLog,
        onChange: @escaping @Sendable () -> Void
    ) -> Running {
        do throws(FileError) {
            return .told(try Waiting(path, register, log: log, onChange: onChange))
        } catch {
            register.stopWatching()
            return look(path, error, on: eventLoop, log: log, onChange: onChange)
        }
    }

    private static func look(
        _ path: String, _ error: FileError, on eventLoop: any EventLoop, log: ServeLog,
        onChange: @escaping @Sendable () -> Void
    ) -> Running {
        log.notice(
            "looks for changes of \(path) with every request, and every second, since the system does "
                + "not tell of "
                + "them (\(error); see fs.inotify in sysctl(8))")
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
            return try HubFile.allCases.filter { $0.watch != nil }.map { try directory.stamp(of: $0.name) }
        } catch {
            return nil  // the next look-up says why
        }
    }

    /// A thread that waits for the kernel: look-ups on every event loop take events out of the same queue,
    /// which a NIO channel would have to itself.
    package final class Waiting: Sendable {
        private let register: DeviceRegister
        private let queue = DispatchQueue(label: "hubpair.watch")
        /// Readable when it is to end.
        private let end: Int32
        private let isToEnd: Int32

        fileprivate init(
            _ path: String, _ register: DeviceRegister, log: ServeLog,
            onChange: @escaping @Sendable () -> Void
        ) throws(FileError) {
            let events = try register.startWatching(changed: onChange)
            let mounts = StateEvents.openMounts()
            var ends: [Int32] = [-1, -1]
            guard mounts >= 0, pipe2(&ends, O_CLOEXEC) == 0 else {
                let code = errno
                close(mounts)
                throw .system(code, operation: "watch", path: path)
            }
            self.register = register
            (end, isToEnd) = (ends[1], ends[0])
            let pipe = isToEnd
            queue.async {
                Waiting.wait(events: events, mounts: mounts, end: pipe, path: path, register, log)
                close(mounts)
            }
        }

        deinit {
            close(end)
            close(isToEnd)
        }

        package func stop() async {
            _ = write(end, [0], 1)
            await withCheckedContinuation { done in queue.async { done.resume() } }
            register.stopWatching()
        }

        private static func wait(
            events: Int32, mounts: Int32, end: Int32, path: String, _ register: DeviceRegister,
            _ log: ServeLog
        ) {
            var polled = [
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
                pollfd(fd: events, events: Int16(POLLIN), revents: 0),
                pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
            ]
            var isWatched = true
            while true {
                // A directory that was moved away, perhaps for a backup that takes its place, is looked for
                // every second.
                _ = poll(&polled, nfds_t(polled.count), isWatched ? -1 : 1000)
                if polled[0].revents != 0 { return }
                let before = isWatched
                isWatched = register.takeNews(mountsHaveChanged: polled[2].revents != 0)
                if !isWatched, before { log.warning(.fault, "cannot watch \(path); trying again") }
            }
        }
    }
}
