import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import Pairing
import Testing

@testable import HubService

@Suite struct ServiceTests {
    /// A socket that hears what a service manager is told.
    private final class Listener: Sendable {
        let path = "@hubpair-test-\(UUID().uuidString)"
        private let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

        init() throws {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = [0] + Array(path.utf8.dropFirst())
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(2 + name.count))
                }
            }
            try #require(bound == 0)
        }

        deinit { close(descriptor) }

        /// The next line, or nil if none comes in time.
        func line(within milliseconds: Int32) async -> String? {
            await withCheckedContinuation { (done: CheckedContinuation<String?, Never>) in
                Subprocess.Thread.run { done.resume(returning: self.wait(milliseconds)) }
            }
        }

        private func wait(_ milliseconds: Int32) -> String? {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, milliseconds) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("30000000", nil, Duration.seconds(30)), ("30000000", "7", .seconds(30)),
        ("1", "7", .microseconds(1)),
        ("30000000", "8", nil), ("0", nil, nil), ("", nil, nil), ("-1", nil, nil), ("x", nil, nil),
        ("99999999999999999999", nil, nil),
    ])
    func theWatchdogsTime(time: String, process: String?, expected: Duration?) {
        var environment = ["WATCHDOG_USEC": time]
        environment["WATCHDOG_PID"] = process
        #expect(ServiceManager(environment: environment, process: 7).watchdogTime == expected)
    }

    /// A line break would begin another variable: `MAINPID=1` for one.
    @Test func aStatusIsOneLine() async throws {
        let listener = try Listener()
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
        manager.notify(.status("one\nMAINPID=1"))
        #expect(await listener.line(within: 1000) == "STATUS=one MAINPID=1")
    }

    @Test func aLoopThatHangsIsNotAlive() async throws {
        let listener = try Listener()
        let manager = ServiceManager(
            environment: ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "150000"])
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loops = Array(group.makeIterator())
        let keepAlive = KeepAlive(manager, loops) {}
        #expect(await listener.line(within: 60_000) == "WATCHDOG=1")
        #expect(await listener.line(within: 60_000) == "WATCHDOG=1")
        // The second loop hangs. The first one, which has the timer, does not.
        let isFree = Gate()
        let last = try #require(loops.last)
        last.execute { isFree.wait() }
        while await listener.line(within: 3000) != nil {}
        #expect(await listener.line(within: 1000) == nil)
        isFree.open()
        #expect(await listener.line(within: 60_000) == "WATCHDOG=1")
        keepAlive.stop()
        try await group.shutdownGracefully()
    }

    @Test func theStatusSaysNamePortDevicesAndPairing() throws {
        let name = try PeerName("Kitchen hub")
        let now = Date(timeIntervalSince1970: 1_795_256_523)
        #expect(
            ServiceStatus.text(name, 8000, paired: 1, openUntil: nil, now: now)
                == "Kitchen hub on port 8000; 1 device is paired; pairing closed")
        let until = now.addingTimeInterval(60)
        #expect(
            ServiceStatus.text(name, 8443, paired: 12, openUntil: until, now: now)
                == "Kitchen hub on port 8443; 12 devices are paired; "
                + "pairing open until \(LocalTime(until).text(seenAt: now))")
    }
}

/// Lets a thread wait until it is opened: a pipe, since an event loop may not wait for a semaphore.
private final class Gate: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    func wait() {
        var byte: UInt8 = 0
        _ = read(ends.read, &byte, 1)
    }

    func open() { _ = write(ends.write, [1], 1) }
}
