import Glibc
import Identity

/// The lines of standard input, each as soon as it is there. A longer line than the limit is cut to the
/// limit, and refused as too long by what reads it.
struct InputLines {
    private let maximumByteCount: Int
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// The next line without its end; nil at the end of the input. Bytes that are not UTF-8 become U+FFFD,
    /// which is part of no sentence.
    mutating func next() throws -> String? {
        var line: [UInt8] = []
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                line += buffer[..<end].prefix(maximumByteCount - line.count)
                buffer.removeSubrange(...end)
                return InputLines.text(line)
            }
            line += buffer.prefix(maximumByteCount - line.count)
            buffer = []
            guard !isAtEnd else { return line.isEmpty ? nil : InputLines.text(line) }
            try fill()
        }
    }

    private mutating func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.noInput, "standard input: \(Failure.words(errno))") }
            isAtEnd = count == 0
            buffer = Array(chunk.prefix(count))
            return
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    }
}
