import CGlibc
import Dispatch
import Glibc
import HubService
import Identity

/// Runs a hook's program once: without a shell, with a message on its standard input, in a process group of
/// its own, for a limited time. What it has started ends with it (``HookMark``).
enum HookProcess {
    /// How a run has ended.
    enum Outcome: Equatable, Sendable {
        case success
        /// It could not be started; errno.
        case notStarted(Int32)
        /// Others could exchange it.
        case refused(HookError)
        /// It ended with this code; the first line of what it wrote.
        case failed(Int32, String)
        /// A signal ended it.
        case killed(Int32)
        /// It took too long, and was ended with all that it had started.
        case tooLong
        /// It wrote too much, and was ended.
        case tooLoud

        /// What went wrong, in lower case; nil if nothing did.
        var fault: String? {
            switch self {
            case .success: nil
            case .notStarted(let code): "it cannot be started: \(String(cString: strerror(code)))"
            case .refused(let error): "it is not started: \(describing(error))"
            case .failed(let code, let words): "it ended with \(code)" + (words.isEmpty ? "" : ": \(words)")
            case .killed(let signal): "the signal \(signal) ended it"
            case .tooLong: "it took longer than \(HookProcess.seconds) s"
            case .tooLoud: "it wrote more than \(HookProcess.maximumOutputByteCount >> 10) KiB"
            }
        }
    }

    static let seconds = 10
    /// A program that writes without end must not keep the hub busy.
    static let maximumOutputByteCount = 65_536
    /// How much of the output is kept for the log.
    private static let keptByteCount = 200

    /// Runs the program; blocks the thread until it has ended.
    ///
    /// - Parameters:
    ///   - path: absolute; held against ``HookTrust`` first.
    ///   - input: for standard input, which then ends. A program may ignore it.
    static func run(_ path: String, input: [UInt8], within seconds: Int = seconds) -> Outcome {
        do throws(HookError) {
            try HookTrust.check(path, user: geteuid())
        } catch .system(let code, _) {
            return .notStarted(code)
        } catch {
            return .refused(error)
        }
        // A socket instead of a pipe: writing to a program that has closed its input raises no signal.
        var (standardInput, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &standardInput) == 0 else {
            return .notStarted(errno)
        }
        guard pipe2(&output, O_CLOEXEC) == 0 else {
            let code = errno
            for end in standardInput { close(end) }
            return .notStarted(code)
        }
        let mark = HookMark()
        let started = start(path, mark, input: standardInput[1], output: output[1])
        close(standardInput[1])
        close(output[1])
        defer {
            close(standardInput[0])
            close(output[0])
        }
        switch started {
        case .failure(let fault): return .notStarted(fault.code)
        case .success(let child):
            defer { mark.end() }
            return attend(
                child, input: input, to: standardInput[0], output: output[0], within: seconds)
        }
    }

    /// Never reaches a user: the errno of the call that failed, which becomes ``Outcome/notStarted(_:)``.
    private struct Fault: Error {
        let code: Int32
    }

    private static func start(
        _ path: String, _ mark: HookMark, input: Int32, output: Int32
    ) -> Result<pid_t, Fault> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // Not the hub's sockets, should one of them lack FD_CLOEXEC.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        // `serve` ignores some signals.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            ([mark.variable] + environment).map { strdup($0) } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, &attributes, &arguments, &variables)
        return code == 0 ? .success(child) : .failure(Fault(code: code))
    }

    /// What a hook gets of the hub's environment: what programs need to find others, and the desktop.
    private static var environment: [String] {
        let names = ["HOME", "USER", "LANG", "TZ", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY"]
        let inherited = names.compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        return ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"] + inherited
    }

    private static func attend(
        _ child: pid_t, input: [UInt8], to stdin: Int32, output: Int32, within seconds: Int
    ) -> Outcome {
        let deadline = DispatchTime.now() + .seconds(seconds)
        let ended = hubpair_pidfd_open(child)
        defer { if ended >= 0 { close(ended) } }
        var rest = input[...]
        var written: [UInt8] = []
        var count = 0
        var polled = [
            pollfd(fd: stdin, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
        ]
        var outcome: Outcome?
        while outcome == nil {
            let left = Int64(deadline.uptimeNanoseconds) - Int64(DispatchTime.now().uptimeNanoseconds)
            guard left > 0 else {
                outcome = .tooLong
                break
            }
            // Without a descriptor for the process (ended < 0) it is looked at every 50 ms.
            let wait = ended >= 0 ? left / 1_000_000 + 1 : min(50, left / 1_000_000 + 1)
            guard poll(&polled, nfds_t(polled.count), Int32(wait)) >= 0 || errno == EINTR else { break }
            if polled[0].revents != 0 {
                let sent = rest.withUnsafeBytes {
                    send(stdin, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                }
                if sent > 0 { rest = rest.dropFirst(sent) }
                if rest.isEmpty || sent < 0 && errno != EAGAIN {
                    shutdown(stdin, Int32(SHUT_WR))
                    polled[0].fd = -1
                }
            }
            if polled[1].revents != 0 {
                let bytes = read(output)
                count += bytes.count
                written += bytes.prefix(keptByteCount - min(keptByteCount, written.count))
                if bytes.isEmpty { polled[1].fd = -1 }
                if count > maximumOutputByteCount { outcome = .tooLoud }
            }
            if polled[2].revents != 0 || ended < 0 {
                // What is left of its output is read first.
                let isSilent = polled[1].fd < 0 || poll(&polled[1], 1, 0) == 0
                if isSilent || outcome != nil, let status = status(of: child, mayWait: false) {
                    kill(-child, SIGKILL)
                    return outcome ?? self.outcome(status, written)
                }
            }
        }
        kill(-child, SIGKILL)
        _ = status(of: child, mayWait: true)
        return outcome ?? .tooLong
    }

    private static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    /// The status of a process that has ended; nil if it has not.
    private static func status(of child: pid_t, mayWait: Bool) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = waitpid(child, &status, mayWait ? 0 : WNOHANG)
            if found == child { return status }
            guard found < 0, errno == EINTR else { return nil }
        }
    }

    private static func outcome(_ status: Int32, _ written: [UInt8]) -> Outcome {
        let signal = status & 0x7F
        guard signal == 0 else { return .killed(signal) }
        let code = (status >> 8) & 0xFF
        let line = written.prefix { $0 != 0x0A }
        return code == 0 ? .success : .failed(code, String(decoding: line, as: UTF8.self))
    }
}
