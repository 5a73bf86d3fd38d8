import CGlibc
import Glibc
package import Identity

/// A program of this machine that hears sentences.
///
/// It is started as `PROGRAM [FILE]`: without a file it listens at the microphone until it is ended, and with
/// one it ends at the file's end; our own standard input it gets as the file `/dev/fd/3`. Its standard input
/// is the house's names, one a line, in UTF-8. What it hears it writes to its standard output, a sentence a
/// line; an empty line is speech that it did not understand. Its standard error is ours. `PROGRAM --check`
/// ends with 0 if what it needs is installed.
///
/// Nothing that it writes is trusted: a longer line than `maximumByteCount` is cut to one byte more, which no
/// sentence is, and it waits while we do not read.
package final class Recognizer {
    /// Those that come with hubpair; the first whose parts are installed is used where none is named.
    private static let shipped = ["pocketsphinx", "faster-whisper"]
    /// As many names are given: a recogniser with more hears worse, and slowly.
    static let maximumNameCount = 1_500
    /// How long one that ends may take, and `--check`.
    private static let grace = Duration.seconds(10)
    /// How long one that hears a file may write nothing: to load a model takes a small computer minutes.
    private static let patience = Duration.seconds(600)

    private let program: String
    private let process: pid_t
    private let output: Int32
    private let maximumByteCount: Int
    /// Nil: as long as nobody speaks.
    private let patience: Duration?
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    private var status: Int32?

    /// The first shipped one whose parts are installed.
    package static func installed() throws(RecognizerError) -> String {
        let found = shipped.compactMap { SiblingProgram.path(of: "recognizers/\($0)") }
        let working = found.first { path in
            (try? Recognizer(path, ["--check"], names: [], isCheck: true))?.end(after: grace) == 0
        }
        guard let working else { throw .noneInstalled }
        return working
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - file: what it hears, instead of the microphone.
    ///   - names: of the house; those that no terminal shows as they are, are left out.
    package convenience init(
        _ program: String, file: String?, names: [String], maximumByteCount: Int,
        patience: Duration = patience
    ) throws(RecognizerError) {
        try self.init(
            program, file.map { [$0 == "-" ? "/dev/fd/3" : $0] } ?? [],
            names: names.filter { SafeText.escaped($0) == $0 && $0.utf8.count <= 255 },
            maximumByteCount: maximumByteCount, patience: file == nil ? nil : patience)
    }

    private init(
        _ program: String, _ words: [String], names: [String], maximumByteCount: Int = 0,
        patience: Duration? = nil, isCheck: Bool = false
    ) throws(RecognizerError) {
        // A file in memory and no pipe: one that does not read must not hold us up. Above the descriptors
        // that are set in the child.
        let memory = memfd_create("names", UInt32(MFD_CLOEXEC))
        let input = memory < 0 ? -1 : fcntl(memory, F_DUPFD_CLOEXEC, 10)
        if memory >= 0 { close(memory) }
        var ends: [Int32] = [-1, -1]
        guard input >= 0, pipe2(&ends, O_CLOEXEC) == 0 else { throw .notStarted(program, errno) }
        defer { close(input) }
        defer { close(ends[1]) }
        let text = names.prefix(Recognizer.maximumNameCount).map { $0 + "\n" }.joined()
        let written = Array(text.utf8).withUnsafeBytes { pwrite(input, $0.baseAddress, $0.count, 0) }
        guard written == text.utf8.count else {
            close(ends[0])
            throw .notStarted(program, errno)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let getsInput = words.first == "/dev/fd/3"
        if getsInput { posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, 3) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        if isCheck {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, getsInput ? 4 : 3)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var started: pid_t = 0
        let problem = posix_spawnp(&started, program, &actions, nil, &arguments, environ)
        guard problem == 0 else {
            close(ends[0])
            throw .notStarted(program, problem)
        }
        (self.program, process, output) = (program, started, ends[0])
        (self.maximumByteCount, self.patience) = (maximumByteCount, patience)
    }

    deinit {
        _ = end(after: .zero)
        close(output)
    }

    /// The next line, as soon as it is there; nil when it has ended by itself and well.
    package func next() throws(RecognizerError) -> String? {
        var line: [UInt8] = []
        while true {
            let newline = buffer.firstIndex(of: UInt8(ascii: "\n"))
            line += buffer[..<(newline ?? buffer.endIndex)].prefix(maximumByteCount + 1 - line.count)
            buffer.removeSubrange(..<(newline.map { $0 + 1 } ?? buffer.endIndex))
            // A last line without an end may be half a sentence: it counts only if the program ended well.
            guard newline == nil else { return String(decoding: line, as: UTF8.self) }
            if isAtEnd {
                let status = end(after: Recognizer.grace)
                guard status == 0 else { throw .ended(program, status) }
                return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            }
            try fill()
        }
    }

    private func fill() throws(RecognizerError) {
        if let patience {
            let deadline = ContinuousClock.now + patience
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            while poll(&descriptor, 1, 500) <= 0 {
                guard ContinuousClock.now < deadline else { throw .silent(program) }
            }
        }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        var count: Int
        repeat { count = read(output, &chunk, chunk.count) } while count < 0 && errno == EINTR
        isAtEnd = count <= 0
        buffer = Array(chunk.prefix(max(0, count)))
    }

    /// Waits so long until it has ended, and then ends it; its code, or 128 and the signal that ended it.
    private func end(after time: Duration) -> Int32 {
        if let status { return status }
        var deadline = ContinuousClock.now + time
        // Asked first: it may have a recording to remove.
        var signals = [SIGTERM, SIGKILL]
        var word: Int32 = 0
        while true {
            let found = waitpid(process, &word, WNOHANG)
            if found == process || (found < 0 && errno != EINTR) { break }
            if ContinuousClock.now >= deadline, !signals.isEmpty {
                kill(process, signals.removeFirst())
                deadline = .now + .seconds(2)
            }
            usleep(10_000)
        }
        let code = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + (word & 0x7F)
        status = code
        return code
    }
}

/// Why nothing can be heard.
package enum RecognizerError: Equatable, UserError {
    /// No shipped recogniser has its parts.
    case noneInstalled
    case notStarted(String, Int32)
    case ended(String, Int32)
    /// It neither writes anything nor ends.
    case silent(String)

    package var description: String {
        switch self {
        case .noneInstalled: "no recogniser is installed, which listening needs"
        case .notStarted(let program, let code):
            "cannot start the recogniser \(quoted(program)): \(String(cString: strerror(code)).lowercased())"
        case .silent(let program): "the recogniser \(quoted(program)) does not answer"
        case .ended(let program, let status):
            "the recogniser \(quoted(program)) "
                + (status > 128 ? "was ended by signal \(status - 128)" : "has failed, with \(status)")
        }
    }

    package var kind: UserErrorKind { .unavailable }

    package var hint: String? {
        switch self {
        case .noneInstalled:
            "sudo apt install pocketsphinx pocketsphinx-en-us alsa-utils python3; "
                + "or name another with --recognizer"
        case .notStarted: "name a program that may be run, with its path"
        case .ended, .silent: nil
        }
    }
}
