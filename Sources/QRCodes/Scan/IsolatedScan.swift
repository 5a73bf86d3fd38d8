import CGlibc
import Glibc

/// The search of one file in a child process, because a picture may be hostile: the parent's side.
///
/// A picture can break libzbar 0.23.92. Two crafted parts of a structured append make it write past the end
/// of its memory (`qr_code_data_list_extract_text` reserves no room for the gaps between parts), and a
/// picture full of finder patterns keeps it busy for hours. Decoders have had such bugs too. They must not
/// end this process: a signal or a limit ends the child, and the search of this picture fails with an error.
///
/// Only a process with one thread can continue after fork(2) without exec: a lock that another thread holds
/// would stay locked in the child forever. The command line has one thread when it searches. A program with
/// several threads searches in its own process, without this protection.
final class IsolatedScan {
    /// The outcome of a child.
    typealias Outcome = Result<ImageScanOutcome, any Error>

    /// The parent's end of the pipe, for poll(2).
    let descriptor: Int32
    /// When the child is killed. Nil while it waits for its file, which may be a pipe.
    private(set) var deadline: ContinuousClock.Instant?
    private let process: pid_t
    private var received: [UInt8] = []
    private var status: Int32?

    /// True if this process has exactly one thread.
    static var isPossible: Bool {
        guard let tasks = opendir("/proc/self/task") else { return false }
        defer { closedir(tasks) }
        var count = 0
        while let entry = readdir(tasks) {
            // Skip "." and ".."; the other entries are threads, named by number.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count == 1
    }

    /// Starts a child that runs `search` on the bytes from `read`; nil if the system cannot start one more.
    /// `read` may use standard input if `usesStandardInput` is true.
    init?(_ search: ImageScan, usesStandardInput: Bool, read: () throws -> ImageBytes) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        let child = hubpair_fork()
        if child == 0 {
            let link = ChildLink(descriptor: ends[1])
            link.settle(memory: search.memoryLimit, usesStandardInput: usesStandardInput)
            link.answer(Outcome { try search.run(try read(), allow: link.allow, keep: link.keep) })
        }
        close(ends[1])
        guard child > 0 else {
            close(ends[0])
            return nil
        }
        descriptor = ends[0]
        process = child
    }

    deinit {
        close(descriptor)
        if status == nil {
            kill(process, SIGKILL)
            wait()
        }
    }

    /// Reads what the child has sent, after poll(2) has announced it. Returns the outcome when the child has
    /// ended.
    func receive() -> Outcome? {
        let count = received.count
        received += [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, used in
            used = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        while received.first == ChildLink.time, received.count >= 9 {
            let seconds = received[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // Much more than the limit of processor time, since the child may share its processor.
            deadline = .now + .seconds(8 + 4 * Int(clamping: min(seconds, 1 << 32)))
            received.removeFirst(9)
            if received.isEmpty { return nil }
        }
        guard received.count <= ScanReply.maximumByteCount else { return .failure(QRScanError.crashed) }
        guard received.count == count else { return nil }

        wait()
        if received.first == ChildLink.reply, let outcome = ScanReply.decode(Array(received.dropFirst())) {
            return outcome
        }
        return .failure((status ?? 0) & 0x7F == SIGXCPU ? QRScanError.tookTooLong : QRScanError.crashed)
    }

    /// An error if the child's deadline has passed; nil if not.
    func expire(now: ContinuousClock.Instant) -> Outcome? {
        guard let deadline, deadline <= now else { return nil }
        return .failure(QRScanError.tookTooLong)
    }

    private func wait() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        self.status = status
    }
}

/// The child's side: its messages and its limits.
///
///     sent = *(time seconds) reply bytes          seconds: 8 bytes, big endian, for the next picture
struct ChildLink {
    static let time = UInt8(ascii: "T")
    static let reply = UInt8(ascii: "R")

    let descriptor: Int32

    /// Prepares the process for untrusted input.
    func settle(memory: Int, usesStandardInput: Bool) {
        // No core file, which would hold the picture, and no crash report: the parent reports.
        for signal in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU] {
            _ = Glibc.signal(signal, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        if let size = ChildLink.addressSpace {
            var limit = rlimit(rlim_cur: rlim_t(size + memory), rlim_max: rlim_t(size + memory))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
        // The child must not keep the output pipe of this program open, and the libraries' messages are not
        // meant for the user.
        let nowhere = open("/dev/null", O_RDWR)
        let standard = [STDOUT_FILENO, STDERR_FILENO] + (usesStandardInput ? [] : [STDIN_FILENO])
        if nowhere > STDERR_FILENO {
            for number in standard where number != descriptor { dup2(nowhere, number) }
            close(nowhere)
        }
    }

    /// Sets when this process ends: in so many seconds of its processor time, and a second later if its
    /// memory is so broken that it cannot say what it has kept. Reports it to the parent.
    func allow(seconds: Double) {
        let whole = Int(max(0, min(seconds, 1e6)).rounded(.up))
        let used = clock() / Int(CLOCKS_PER_SEC)
        var time = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        time.rlim_cur = min(rlim_t(max(0, used) + whole + 2), time.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        send([ChildLink.time] + withUnsafeBytes(of: UInt64(whole).bigEndian) { Array($0) })
        if !LastWords.arePrepared { prepare(.failure(QRScanError.tookTooLong)) }
        LastWords.speak(in: seconds)
    }

    /// This is the outcome if the time is over before the search is.
    func keep(_ outcome: ImageScanOutcome) { prepare(.success(outcome)) }

    private func prepare(_ outcome: IsolatedScan.Outcome) {
        LastWords.prepare([ChildLink.reply] + ScanReply.encode(outcome), descriptor: descriptor)
    }

    func answer(_ outcome: IsolatedScan.Outcome) -> Never {
        LastWords.withdraw()
        send([ChildLink.reply] + ScanReply.encode(outcome))
        _exit(0)
    }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// The address space that this process has mapped, in bytes: the first number of `/proc/self/statm`, in
    /// pages.
    private static var addressSpace: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }
}
