import CGlibc
import Glibc

/// Wakes a thread that waits for a time at most.
///
/// A semaphore of libdispatch would count that time by the time of day here: once somebody sets the clock, it
/// waits for as long as that was off.
package final class WakeUp: Sendable {
    private let ends: (reading: Int32, writing: Int32)

    /// If the system gives no descriptors, only the time ends a wait.
    package init() {
        var ends: [Int32] = [-1, -1]
        let isMade = pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0
        self.ends = isMade ? (ends[0], ends[1]) : (-1, -1)
    }

    deinit { for end in [ends.reading, ends.writing] where end >= 0 { close(end) } }

    /// Ends the wait, or the next one.
    package func call() {
        var byte: UInt8 = 0
        _ = write(ends.writing, &byte, 1)
    }

    package func wait(milliseconds: Int32) {
        var polled = pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(ends.reading, &bytes, bytes.count) == bytes.count {}
    }
}
