import CGlibc
import Glibc

/// A pipe for one path, from a process to its child.
final class PathPipe {
    private var ends: [Int32] = [-1, -1]

    init?() {
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
    }

    deinit { for end in ends where end >= 0 { close(end) } }

    /// For the parent, once the child has its own copy.
    func closeReader() {
        close(ends[0])
        ends[0] = -1
    }

    /// Sends the path and a zero: a child that was started later holds this end, too, so it may never close.
    /// A path is no longer than the system takes (PATH_MAX): it fits the pipe.
    func send(_ path: String) {
        let bytes = path.utf8.prefix(Int(PATH_MAX)) + [0]
        // A child that has died answers nothing; `IsolatedScan` reports it.
        _ = Array(bytes).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        close(ends[1])
        ends[1] = -1
    }

    /// The path, for the child. It waits until the parent has sent it, or is gone.
    func receive() -> String {
        close(ends[1])
        ends[1] = -1
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Int(PATH_MAX))
        while true {
            let count = read(ends[0], &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            bytes += chunk.prefix(max(0, count))
            if let end = bytes.firstIndex(of: 0) { return String(decoding: bytes[..<end], as: UTF8.self) }
            guard count > 0 else { return "" }
        }
    }
}
