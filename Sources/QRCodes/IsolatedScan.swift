import CGlibc
import Glibc

/// A search for codes in a process of its own, for pictures of strangers.
///
/// libzbar 0.23.92 can be broken by a picture: two crafted parts of a structured append make it write past the
/// end of its memory (`qr_code_data_list_extract_text` reserves no room for the gaps between parts), and a
/// picture full of finder patterns keeps it busy for hours. Neither may take this process along: the child
/// ends by its own signal or by the limit on its time, and the picture gets an error.
///
/// Only a process with one thread can go on safely after fork(2) without exec: a lock that another thread holds
/// would stay locked in the child for ever. The command line has one thread when it searches. A program with
/// more of them searches in its own process, without this protection.
enum IsolatedScan {
    /// True if this process has exactly one thread.
    static var isPossible: Bool {
        guard let tasks = opendir("/proc/self/task") else { return false }
        defer { closedir(tasks) }
        var count = 0
        while let entry = readdir(tasks) {
            // "." and ".." are no threads; the others are named by their numbers.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count == 1
    }

    /// Seconds of processor time for a picture: some ten times what an honest one of its size takes.
    static func timeLimit(for image: LuminanceImage) -> Int { 10 + image.pixels.count / 2_000_000 }

    /// What `search` returns, run in a child.
    static func run(
        timeLimit seconds: Int, _ search: () throws(QRScanError) -> QRScanResult
    ) throws(QRScanError) -> QRScanResult {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .outOfMemory }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = hubpair_fork()
        if child == 0 { answer(to: ends[1], timeLimit: seconds, search) }
        close(ends[1])
        guard child > 0 else { throw .outOfMemory }

        // Twice the limit on processor time, since the processor may be shared.
        let reply = read(from: ends[0], until: .now + .seconds(2 * seconds + 1))
        if reply == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        if let reply, let outcome = ScanReply.decode(reply) { return try outcome.get() }
        let signal = status & 0x7F
        throw reply == nil || signal == SIGXCPU ? .tookTooLong : .crashed
    }

    /// The child's part.
    private static func answer(
        to descriptor: Int32, timeLimit seconds: Int, _ search: () throws(QRScanError) -> QRScanResult
    ) -> Never {
        // No core file, which would hold the picture; no report of a crash, which the parent reports.
        for signal in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU] {
            _ = Glibc.signal(signal, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        var time = rlimit(rlim_cur: rlim_t(max(1, seconds)), rlim_max: rlim_t(max(1, seconds) + 1))
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        // Nobody who reads our output waits for this child, and libzbar has nothing to say.
        let nowhere = open("/dev/null", O_RDWR)
        if nowhere > STDERR_FILENO {
            for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where standard != descriptor {
                dup2(nowhere, standard)
            }
        }

        let outcome: Result<QRScanResult, QRScanError>
        do throws(QRScanError) { outcome = .success(try search()) } catch { outcome = .failure(error) }
        var reply = ScanReply.encode(outcome)[...]
        while !reply.isEmpty {
            let count = reply.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { break }
            reply = reply.dropFirst(max(0, count))
        }
        _exit(0)
    }

    /// Everything up to the end of the pipe, or nil if it does not end in time or is absurdly long.
    private static func read(from descriptor: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reply.count <= ScanReply.maximumByteCount {
            let left = ContinuousClock.now.duration(to: deadline).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: left.seconds * 1000 + 1))
            guard ready > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return reply }
            if count > 0 { reply += buffer[..<count] } else if errno != EINTR { return reply }
        }
        return nil
    }
}
