import CGlibc
import Glibc
package import Identity
import NIOPosix
import Pairing
import QRCodes
import Synchronization

/// Reads the pairing codes of many pictures for a program with several threads. A picture may be hostile, and
/// only a process with one thread can search it in a child (see `IsolatedScan`): so a process is started for
/// this before there are threads, and gets one picture after the other.
///
///     request = length effort *OCTET    ; length: 4 bytes, big-endian; effort: 0 normal, 1 quick
///     answer  = length outcome *OCTET   ; outcome: 1 and a code's text, or 0 and why there is none
///     why     = description [ NUL hint ]
package final class PictureReader: Sendable {
    /// Why a picture is no use: what the process that searched it says.
    package struct Refusal: UserError {
        package let description: String
        package let hint: String?
        package var kind: UserErrorKind { .data }
    }

    /// The most bytes of a picture: photographs of phones have up to about 12 MB.
    package static let maximumByteCount = 16 << 20
    /// The most bytes of an answer: a code has 120, a sentence some hundred.
    private static let maximumAnswerByteCount = 16 << 10

    private let descriptor: Int32
    private let process: pid_t
    /// One picture at a time.
    private let turn = Mutex(())

    /// Starts the process; nil if this one has several threads already, or the system cannot start one more.
    package init?() {
        guard ParallelScan.isIsolated else { return nil }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let child = hubpair_fork()
        if child == 0 {
            close(ends[0])
            PictureReader.serve(ends[1])
        }
        close(ends[1])
        guard child > 0 else {
            close(ends[0])
            return nil
        }
        (descriptor, process) = (ends[0], child)
    }

    deinit {
        close(descriptor)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The one pairing code in a picture.
    ///
    /// - Parameter isQuick: for one of many pictures of a camera.
    package func read(_ picture: [UInt8], isQuick: Bool) async throws -> ScannedCode {
        guard picture.count <= PictureReader.maximumByteCount else {
            throw Refusal(description: "the picture has more than 16 MB", hint: "take a smaller one")
        }
        let answer = try await NIOThreadPool.singleton.runIfActive { [self] in
            turn.withLock { _ -> [UInt8]? in
                guard PictureReader.send([isQuick ? 1 : 0], picture, to: descriptor) else { return nil }
                return PictureReader.receive(from: descriptor, atMost: PictureReader.maximumAnswerByteCount)
            }
        }
        guard let answer, let outcome = answer.first else {
            throw Refusal(description: "the program that reads pictures has ended", hint: "start this again")
        }
        let words = answer.dropFirst().split(separator: 0, maxSplits: 1)
            .map { String(decoding: $0, as: UTF8.self) }
        guard outcome == 1, let text = words.first else {
            throw Refusal(
                description: words.first ?? "there is no code in the picture",
                hint: words.count > 1 ? words[1] : nil)
        }
        return try ScannedCode(text: text)
    }

    /// Answers until the other end is closed, or its process is gone.
    private static func serve(_ descriptor: Int32) -> Never {
        while let request = receive(from: descriptor, atMost: maximumByteCount + 1),
            let effort = request.first
        {
            let search = ImageScan.forPairingCodes(effort: effort == 1 ? .quick : .normal)
            let picture = ImageBytes(Array(request.dropFirst()))
            var (outcome, words): (UInt8, String)
            do {
                let code = try ScannedCode(ReadCodes.Answer(ParallelScan.run(picture, search)))
                guard case .pairing(let code) = code else { _exit(1) }
                (outcome, words) = (1, code.text)
            } catch let error as any UserError {
                (outcome, words) = (0, "\(error)" + (error.hint.map { "\0\($0)" } ?? ""))
            } catch {
                (outcome, words) = (0, "the picture cannot be read")
            }
            let answer = Array(words.utf8.prefix(maximumAnswerByteCount - 1))
            guard send([outcome], answer, to: descriptor) else { break }
        }
        _exit(0)
    }

    private static func send(_ first: [UInt8], _ rest: [UInt8], to descriptor: Int32) -> Bool {
        let count = UInt32(first.count + rest.count)
        let head = withUnsafeBytes(of: count.bigEndian) { Array($0) } + first
        return [head, rest].allSatisfy { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    private static func receive(from descriptor: Int32, atMost maximum: Int) -> [UInt8]? {
        guard let head = receive(from: descriptor, exactly: 4) else { return nil }
        let count = head.reduce(0) { $0 << 8 | Int($1) }
        return count <= maximum ? receive(from: descriptor, exactly: count) : nil
    }

    private static func receive(from descriptor: Int32, exactly count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let count = bytes[got...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            got += count
        }
        return bytes
    }
}
