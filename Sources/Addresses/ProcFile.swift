#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// A file that the kernel writes as it is read, like those below /proc (proc(5)).
package enum ProcFile {
    /// The most that is read: a table may have a line for every socket of the machine.
    package static let maximumSize = 4 << 20
    private static let pieceSize = 65_536

    /// The bytes up to the end, at most `maximumSize`; nil if the file cannot be opened.
    ///
    /// Such a file has the size 0, and gives a page or so with each read. Foundation takes the first read for
    /// the whole of it.
    package static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < maximumSize {
            let count = withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 16) { buffer in
                let count = read(descriptor, buffer.baseAddress, min(pieceSize, maximumSize - bytes.count))
                if count > 0 { bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
                return count
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
        }
        return bytes
    }

    /// The same as text; empty if there is none.
    package static func text(_ path: String) -> String {
        bytes(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
#endif
