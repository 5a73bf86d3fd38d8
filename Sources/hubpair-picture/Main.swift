import CSandbox
import FoundationEssentials
import Glibc
import QRCodes

/// Reads or draws one picture for a program that started it: the request, and the picture behind it, come as
/// a file on standard input, the answers go to standard output.
///
/// Between the request, which is trusted, and the picture, which is not, it loads the libraries that it needs
/// and locks itself in.
@main
enum Main {
    static func main() {
        hubpair_start_clean()
        // The end of the time ends the process by a signal, and so does a fault of memory, without a core.
        for signal in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU, SIGPROF] {
            _ = Glibc.signal(signal, SIG_DFL)
        }
        if CommandLine.arguments.dropFirst() == [PictureForkServer.argument] {
            hubpair_load_charsets()
            PictureForkServer.serve()
        }
        guard lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, let line = StandardInput.line(),
            let request = try? PictureRequest(line: line)
        else {
            _ = writeAll(Array("hubpair starts this program, for pictures\n".utf8), to: STDOUT_FILENO)
            exit(64)
        }
        let answer: PictureAnswer
        do {
            try PictureLock(for: request).close()
            answer = try run(request)
        } catch {
            answer = .failed(PictureFailure(error))
        }
        StandardOutput.send(answer)
    }

    private static func run(_ request: PictureRequest) throws -> PictureAnswer {
        switch request {
        case .draw(let drawing):
            hubpair_end_in(CodeDrawing.seconds)
            switch try drawing.run() {
            case .lines(let lines, let columns): return .lines(lines, columns: columns)
            case .file(let bytes, let unknown): return .file(.init(bytes), unknownCharacters: unknown)
            }
        case .search(let search, let format):
            var outcome = try search.run(
                ImageBytes(StandardInput.rest(), format: format), allow: { hubpair_end_in($0) },
                keep: { StandardOutput.send(.kept($0)) })
            let explanation = outcome.explanation
            outcome.explanation = nil
            return .found(outcome, explanation: explanation.map { .init($0) })
        }
    }
}

enum StandardInput {
    /// The bytes before the first end of a line, which is skipped; nil without one.
    static func line() -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < PictureRequest.maximumByteCount {
            let chunk = read(65_536)
            guard !chunk.isEmpty else { return nil }
            line += chunk
            if let end = chunk.firstIndex(of: 0x0A) {
                let count = line.count - chunk.count + end
                lseek(STDIN_FILENO, off_t(count + 1), SEEK_SET)
                return Array(line[..<count])
            }
        }
        return nil
    }

    static func rest() -> [UInt8] {
        let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
        let end = lseek(STDIN_FILENO, 0, SEEK_END)
        lseek(STDIN_FILENO, start, SEEK_SET)
        return read(min(max(0, Int(end - start)), InputFile.maximumByteCount))
    }

    /// So many bytes, or all that are left.
    private static func read(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            while used < count, let start = buffer.baseAddress {
                let got = Glibc.read(STDIN_FILENO, start + used, count - used)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                used += got
            }
        }
    }
}

enum StandardOutput {
    static func send(_ answer: PictureAnswer) {
        guard let line = try? answer.line(), writeAll(line, to: STDOUT_FILENO) else { exit(1) }
    }
}
