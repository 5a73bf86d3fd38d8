import CGlibc
import Glibc
package import Home
package import Identity

/// Debian's pocketsphinx with the grammar of one house. What is said stays on this machine: recordings lie in
/// a directory of their own, which nobody else may open, until they are heard.
package struct Recognizer: Sendable {
    private static let model = "/usr/share/pocketsphinx/model/en-us"
    private static let program = "pocketsphinx_batch"
    private static let maximumDictionaryByteCount = 64 << 20

    private let directory: String
    /// Names that cannot be heard: a word of theirs is not in the dictionary.
    package let unheard: [String]

    /// Makes the grammar. Call ``close()`` at the end.
    package init(_ words: ListeningWords) throws {
        let dictionary = "\(Recognizer.model)/cmudict-en-us.dict"
        guard let bytes = Recognizer.read(dictionary) else { throw ListeningError.missingModel }
        var (text, known) = PronouncingDictionary.lines(of: bytes, for: words.words)
        text += Array(ListeningGrammar.noiseDictionary.utf8)
        unheard = words.unheard(known: known)
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(temporary)/hubpair-listen-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ListeningError.noDirectory(temporary) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let grammar = ListeningGrammar(words, known: known)
        do {
            try write(text, to: "words.dict")
            for preference in ListeningGrammar.Preference.allCases {
                try write(Array(grammar.text(preferring: preference).utf8), to: "\(preference).jsgf")
            }
        } catch {
            close()
            throw error
        }
    }

    /// Removes what was written.
    package func close() {
        for name in ["words.dict", "on.jsgf", "off.jsgf", "speech.raw", "list", "heard"] {
            unlink("\(directory)/\(name)")
        }
        rmdir(directory)
    }

    /// The sentence that was said; nil if it is not one of the house's, or not clear.
    package func sentence(in samples: [Int16]) throws -> String? {
        try write(SoundFile.raw(samples), to: "speech.raw")
        try write(Array("speech\n".utf8), to: "list")
        defer { unlink("\(directory)/speech.raw") }
        var heard: [String] = []
        for preference in ListeningGrammar.Preference.allCases {
            unlink("\(directory)/heard")
            try recognize(with: "\(preference).jsgf")
            guard let bytes = Recognizer.read("\(directory)/heard") else {
                throw ListeningError.failed("it wrote nothing")
            }
            // The words, then the recording and its score: `what is on (speech -3811)`.
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            heard.append(String(line.prefix { $0 != "(" }))
        }
        return ListeningGrammar.sentence(heard: heard)
    }

    private func recognize(with grammar: String) throws {
        let status = try ChildProgram(
            Recognizer.program,
            [
                "-hmm", "\(Recognizer.model)/en-us", "-dict", "\(directory)/words.dict",
                "-jsgf", "\(directory)/\(grammar)", "-ctl", "\(directory)/list", "-cepdir", directory,
                "-cepext", ".raw", "-adcin", "yes", "-adchdr", "0", "-hyp", "\(directory)/heard",
                "-logfn", "/dev/null",
            ]
        ).wait()
        guard status == 0 else { throw ListeningError.failed("it ended with \(status)") }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        let descriptor = open(
            "\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ListeningError.noDirectory(directory) }
        defer { Glibc.close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ListeningError.noDirectory(directory) }
            rest = rest.dropFirst(count)
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 262_144)
        while bytes.count < maximumDictionaryByteCount {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
        return nil
    }
}

/// The microphone, as `arecord` gives it.
package final class Microphone {
    private let program: ChildProgram
    private var odd: UInt8?

    package init() throws {
        program = try ChildProgram(
            "arecord", ["-q", "-t", "raw", "-f", "S16_LE", "-r", "\(SoundFile.rate)", "-c", "1"], isRead: true
        )
    }

    /// The next samples; nil when the recording has ended.
    package func next() -> [Int16]? {
        guard let bytes = program.next() else { return nil }
        let all = (odd.map { [$0] } ?? []) + bytes
        odd = all.count % 2 == 1 ? all.last : nil
        return (0..<all.count / 2).map {
            Int16(truncatingIfNeeded: Int(all[2 * $0]) | Int(all[2 * $0 + 1]) << 8)
        }
    }

    /// Ends the recording. 0 if it ended well.
    package func end() -> Int32 { program.end() }
}

/// A program of this machine that works for us.
final class ChildProgram {
    private let process: pid_t
    private let output: Int32

    /// - Parameter isRead: its output is read with ``next()``; else it goes nowhere. What it complains of is
    ///   for the user if so.
    init(_ name: String, _ words: [String], isRead: Bool = false) throws(ListeningError) {
        var ends: [Int32] = [-1, -1]
        if isRead { guard pipe2(&ends, O_CLOEXEC) == 0 else { throw .failed("no pipe is left") } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if isRead {
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([name] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var started: pid_t = 0
        let problem = posix_spawnp(&started, name, &actions, nil, &arguments, environ)
        if ends[1] >= 0 { close(ends[1]) }
        guard problem == 0 else {
            if ends[0] >= 0 { close(ends[0]) }
            throw problem == ENOENT ? .missing(name) : .failed(String(cString: strerror(problem)))
        }
        (process, output) = (started, ends[0])
    }

    /// What it has written; nil at the end.
    func next() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 3_200)
        while true {
            let count = read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(chunk[..<count]) : nil
        }
    }

    /// Waits until it has ended; its code, or 128 and the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// Ends it.
    func end() -> Int32 {
        kill(process, SIGTERM)
        close(output)
        return wait()
    }
}

/// Why nothing can be listened to.
package enum ListeningError: Equatable, UserError {
    /// A program that is not installed.
    case missing(String)
    case missingModel
    case noDirectory(String)
    case failed(String)
    case noMicrophone

    package var description: String {
        switch self {
        case .missing(let program): "\(program) is not installed, which listening needs"
        case .missingModel: "pocketsphinx's English model is not installed, which listening needs"
        case .noDirectory(let path): "cannot write recordings in \(quoted(path))"
        case .failed(let words): "the recogniser has failed: \(words)"
        case .noMicrophone: "the microphone cannot be used"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .missing, .missingModel, .failed, .noMicrophone: .unavailable
        case .noDirectory: .cannotWrite
        }
    }

    package var hint: String? {
        switch self {
        case .missing("arecord"): "sudo apt install alsa-utils; a recording is heard with --file"
        case .missing, .missingModel: "sudo apt install pocketsphinx pocketsphinx-en-us"
        case .noDirectory: "name another directory: TMPDIR=/path"
        case .failed: "does pocketsphinx_batch run by itself?"
        case .noMicrophone: "'arecord -l' lists microphones; a recording is heard with --file"
        }
    }
}
