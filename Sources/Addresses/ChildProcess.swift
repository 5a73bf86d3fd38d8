#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// A program that runs without input and output: its standard descriptors are `/dev/null`.
///
/// Like ``TCPConnect`` and ``ProcFile`` it stands here because several modules need it, and this is the one
/// that they share. A program that gets pipes is started by the code that reads them.
package struct ChildProcess: Sendable {
    private let number: Int32

    /// Starts a program, in the network namespace of the calling thread and with this process's environment.
    /// Nil if it cannot be started.
    ///
    /// - Parameter words: the program and its arguments. A program without a slash in its name is looked up
    ///   in `$PATH`.
    package init?(_ words: [String]) {
        guard let program = words.first else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, program, &actions, nil, &arguments, environ) == 0 else { return nil }
        number = child
    }

    /// Blocks the thread until the program has ended. After `time` it is killed. Wait only once.
    ///
    /// - Returns: true if it has ended by itself, with 0.
    package func waitBlocking(within time: Duration) -> Bool {
        let end = ContinuousClock.now + time
        while true {
            if let isGood = outcome() { return isGood }
            guard ContinuousClock.now < end else {
                stop()
                return false
            }
            usleep(2_000)
        }
    }

    /// The same, but suspends the task. If that is cancelled, the program is killed at once.
    package func wait(within time: Duration) async -> Bool {
        let end = ContinuousClock.now + time
        while true {
            if let isGood = outcome() { return isGood }
            guard ContinuousClock.now < end, !Task.isCancelled else {
                stop()
                return false
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Nil while it runs; else whether it has ended with 0. After that its number may be another process's.
    private func outcome() -> Bool? {
        var status: Int32 = 0
        let ended = waitpid(number, &status, WNOHANG)
        return ended == 0 ? nil : ended == number && status == 0
    }

    private func stop() {
        kill(number, SIGKILL)
        waitpid(number, nil, 0)
    }
}
#endif
