import CGlibc
import Dispatch
import Glibc
import Identity
import Pairing
import Synchronization

/// Keeps the program `hubpair-house` running beside a gate in the foreground: starts it, and starts it again
/// after a pause that grows if it ends by itself. It ends with the gate, however that ends: its standard
/// input closes then.
final class HouseProgram: Sendable {
    /// The pauses before it is started again in seconds; the last one stays.
    private static let pauses: [Double] = [0.2, 1, 2, 5, 10]
    /// One that ran for so long has the first pause again.
    private static let goodTime = Duration.seconds(60)
    private static let stopTime = Duration.seconds(8)

    private struct State {
        var process: pid_t?
        var isOver = false
    }

    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - words: the program's path and its arguments.
    ///   - sockets: the folder of the sockets between the gate and the house.
    ///   - keeper: what starts it; nil: this process.
    init(_ words: [String], sockets: String, keeper: HouseKeeper?, log: ServeLog) {
        let start = { @Sendable input in
            keeper?.start(sockets: sockets, input: input)
                ?? HouseProgram.start(words + ["--sockets", sockets], input: input)
        }
        task.withLock {
            $0 = Task.detached { [weak self] in await self?.run(start, log) }
        }
    }

    private typealias Start = @Sendable (Int32) -> Result<pid_t, HouseKeeper.Fault>

    private func run(_ start: Start, _ log: ServeLog) async {
        var failures = 0
        while !state.withLock({ $0.isOver }) {
            let began = ContinuousClock.now
            let end = await once(start)
            guard !state.withLock({ $0.isOver }) else { return }
            failures = .now - began >= HouseProgram.goodTime ? 0 : failures + 1
            let pause = HouseProgram.pauses[min(max(0, failures - 1), HouseProgram.pauses.count - 1)]
            log.error("the household's process \(end); it is started again")
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Runs it once; returns what became of it, in words.
    private func once(_ start: Start) async -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            return "cannot be started: \(String(cString: strerror(errno)))"
        }
        let (input, lifeline) = (ends[0], ends[1])
        defer { close(lifeline) }
        let started = start(input)
        close(input)
        let child: pid_t
        switch started {
        case .success(let process): child = process
        case .failure(let fault): return "cannot be started: \(String(cString: strerror(fault.code)))"
        }
        let mustEnd = state.withLock { state in
            state.process = child
            return state.isOver
        }
        if mustEnd { kill(child, SIGTERM) }
        let status = await withCheckedContinuation { continuation in
            // A thread of its own: the wait may last for years.
            DispatchQueue(label: "hubpair.house").async {
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        state.withLock { $0.process = nil }
        return HouseProgram.words(status)
    }

    private static func start(_ words: [String], input: Int32) -> Result<pid_t, HouseKeeper.Fault> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        // A group of its own: the terminal's Ctrl-C is for the gate, which ends it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
        return code == 0 ? .success(process) : .failure(HouseKeeper.Fault(code: code))
    }

    /// - Parameter status: as waitpid(2) gives it.
    private static func words(_ status: Int32) -> String {
        switch status & 0x7f {
        case 0: "has ended with the status \(status >> 8 & 0xff)"
        case SIGKILL: "was killed"
        case let signal: "has crashed by signal \(signal)"
        }
    }

    /// Ends it, and returns once it has ended.
    func stop() async {
        let process = state.withLock { state in
            state.isOver = true
            return state.process
        }
        if let process { kill(process, SIGTERM) }
        let alarm = Task { [self] in
            guard (try? await Task.sleep(for: HouseProgram.stopTime)) != nil else { return }
            if let process = state.withLock({ $0.process }) { kill(process, SIGKILL) }
        }
        await task.withLock { $0 }?.value
        alarm.cancel()
    }
}
