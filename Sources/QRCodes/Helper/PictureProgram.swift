import CGlibc
import FoundationEssentials
import Glibc
import Identity

/// One run of `hubpair-picture`, which reads or draws one picture: the side of the program that asks.
///
/// A picture can break libzbar 0.23.92. Two crafted parts of a structured append make it write past the end
/// of its memory (`qr_code_data_list_extract_text` reserves no room for the gaps between parts), and a
/// picture full of finder patterns keeps it busy for hours. Decoders have had such bugs too. So pictures are
/// read by a program of its own, which has taken all rights from itself but those to answer; it is started
/// for each picture, and may be started beside other threads. Its answers are not trusted.
final class PictureProgram {
    static let name = "hubpair-picture"
    /// What the program gets of the environment: where fonts, libraries and pdftoppm are. The rest may hold
    /// secrets.
    private static let variables = [
        "ASAN_OPTIONS", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH",
        "PATH", "TSAN_OPTIONS", "XDG_CACHE_HOME", "XDG_DATA_HOME",
    ]

    private static let grace = Duration.seconds(10)

    /// For poll(2).
    let descriptor: Int32
    /// Only against a program that hangs: by itself it ends after so much processor time.
    private var starved: StarvedProgram
    private let began = ContinuousClock.now
    private let process: pid_t
    private var line: [UInt8] = []
    /// The last whole line.
    private var last: [UInt8]?
    private var status: Int32?

    /// - Parameters:
    ///   - seconds: how much processor time it may take.
    ///   - forkServer: what makes it, if there is one.
    init(
        _ request: PictureRequest, picture: [UInt8] = [], seconds: Double,
        from forkServer: PictureForkServer? = nil
    ) throws(PictureProgramError) {
        guard let head = try? request.line() else { throw .nonsense }
        // A file in memory, so that nobody waits for the program to read.
        let input = memfd_create("hubpair-picture", UInt32(MFD_CLOEXEC))
        var ends: [Int32] = [-1, -1]
        defer { for descriptor in [input, ends[1]] where descriptor >= 0 { close(descriptor) } }
        guard input >= 0, writeAll(head, to: input), writeAll(picture, to: input),
            lseek(input, 0, SEEK_SET) == 0, pipe2(&ends, O_CLOEXEC) == 0
        else { throw .notStarted(errno) }
        if let copy = forkServer?.copy(input: input, output: ends[1]) {
            process = copy
        } else {
            do throws(PictureProgramError) {
                process = try PictureProgram.spawn([], input: input, output: ends[1])
            } catch {
                close(ends[0])
                throw error
            }
        }
        descriptor = ends[0]
        starved = StarvedProgram(allowed: seconds)
    }

    /// Starts `hubpair-picture` with these arguments, descriptors and no errors' output.
    static func spawn(
        _ arguments: [String], input: Int32, output: Int32
    ) throws(PictureProgramError) -> pid_t {
        guard let path = SiblingProgram.path(of: PictureProgram.name) else { throw .missing }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { throw .notStarted(errno) }
        defer { close(nowhere) }
        let values = PictureProgram.variables.compactMap { name in
            getenv(name).map { strdup("\(name)=" + String(cString: $0)) }
        }
        var environment: [UnsafeMutablePointer<CChar>?] = values + [nil]
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for text in environment + words { free(text) } }
        var started: pid_t = 0
        let fault = hubpair_spawn(&started, &words, &environment, [input, output, nowhere])
        guard fault == 0 else { throw .notStarted(fault) }
        return started
    }

    deinit {
        close(descriptor)
        if status == nil {
            kill(process, SIGKILL)
            wait()
        }
    }

    /// Reads what the program has sent, after poll(2) has announced it. Returns its answer when it has ended.
    func receive() -> Result<PictureAnswer, any Error>? {
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, used in
            var count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0 && errno == EINTR {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            used = max(0, count)
        }
        guard chunk.isEmpty else {
            var parts = chunk.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
            line += parts.removeFirst()
            for part in parts {
                last = line
                line = Array(part)
            }
            return line.count <= PictureAnswer.maximumByteCount
                ? nil : .failure(PictureProgramError.nonsense)
        }
        end()
        let signal = (status ?? 0) & 0x7F
        let isSlow = signal == SIGPROF || signal == SIGXCPU
        guard status == 0 || isSlow else { return .failure(QRScanError.crashed) }
        guard let last else {
            return .failure(isSlow ? QRScanError.tookTooLong : PictureProgramError.nonsense)
        }
        do {
            guard line.isEmpty || isSlow else { throw PictureProgramError.nonsense }
            let answer = try PictureAnswer(line: last)
            guard case .kept = answer, !isSlow else { return .success(answer) }
            throw PictureProgramError.nonsense
        } catch {
            return .failure(error)
        }
    }

    /// Whether it hangs by now, or has had no processor.
    func look() -> StarvedProgram.Verdict {
        starved.verdict(passed: (ContinuousClock.now - began) / .seconds(1)) { .init(of: process) }
    }

    /// The program hangs; what it has found until now is its answer, if it has said so.
    func expire() -> Result<PictureAnswer, any Error> {
        guard let last, let answer = try? PictureAnswer(line: last), case .kept = answer else {
            return .failure(QRScanError.tookTooLong)
        }
        return .success(answer)
    }

    /// It has closed its output, so it is ending. One that a picture has taken over could sleep instead: for
    /// that its processor time has no end, so it gets some seconds. One that is ready to run waits for a
    /// processor, and what it runs counts.
    private func end() {
        var deadline = ContinuousClock.now + PictureProgram.grace
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, WNOHANG)
            if found == process { break }
            if found != 0 && errno != EINTR { return wait() }
            if .now >= deadline {
                guard StarvedProgram.Standing(of: process).isReady else {
                    kill(process, SIGKILL)
                    return wait()
                }
                deadline = .now + .seconds(1)
            }
            usleep(200)
        }
        self.status = status
    }

    private func wait() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        self.status = status
    }
}

extension PictureProgram {
    /// Starts the search of a picture.
    convenience init(_ search: ImageScan, _ file: ImageBytes, from forkServer: PictureForkServer? = nil)
        throws
    {
        guard !file.bytes.isEmpty else { throw ImageError.empty }
        guard let format = file.format else { throw ImageError.notAnImage }
        try self.init(
            .search(search, format), picture: file.bytes,
            seconds: search.times(pixels: search.limits.maximumPixels).end, from: forkServer)
    }
}

extension Result where Success == PictureAnswer, Failure == any Error {
    /// The outcome of a search.
    var outcome: Result<ImageScanOutcome, any Error> {
        switch self {
        case .success(.kept(let outcome)): return .success(outcome)
        case .success(.found(var outcome, let explanation)):
            outcome.explanation = explanation.map { Array($0) }
            return .success(outcome)
        case .success(.failed(let failure)): return .failure(failure.error)
        case .success(.lines), .success(.file): return .failure(PictureProgramError.nonsense)
        case .failure(let error): return .failure(error)
        }
    }
}

extension CodeDrawing {
    /// How much processor time a drawing may take, in seconds: a sheet of 99 × 99 labels is read again.
    package static let seconds = 120.0

    /// Draws in `hubpair-picture`; any thread may wait for it.
    ///
    /// - Throws: what `run` throws; `PictureProgramError`.
    package func runApart() throws -> Drawn {
        let program = try PictureProgram(.draw(self), seconds: CodeDrawing.seconds)
        let answer: Result<PictureAnswer, any Error>
        while true {
            var output = pollfd(fd: program.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&output, 1, 1000)
            if output.revents != 0, let received = program.receive() {
                answer = received
                break
            }
            if program.look() == .hangs { throw PictureProgramError.dead }
        }
        switch answer {
        case .success(.lines(let lines, let columns)): return .lines(lines, columns: columns)
        case .success(.file(let bytes, let unknown)):
            return .file(Array(bytes), unknownCharacters: unknown)
        case .success(.failed(let failure)): throw failure.error
        case .success(.kept), .success(.found): throw PictureProgramError.nonsense
        case .failure(let error): throw error is QRScanError ? PictureProgramError.dead : error
        }
    }
}
