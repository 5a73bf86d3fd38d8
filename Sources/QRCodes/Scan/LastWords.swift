import Glibc
import Synchronization

/// What the process that searches one file says when its processor time is over: what was found until then.
///
/// A decoder that is at work cannot be interrupted, so a timer's signal ends the process, wherever it is. The
/// handler may only call what signal-safety(7) lists. So the message lies ready in memory, and it writes it.
/// Only for a process with one thread, and only once: a second descriptor would be another's.
enum LastWords {
    /// The address of a message that lies ready: descriptor, count, bytes. 0 if there is nothing to say.
    private static let ready = Atomic<UInt>(0)
    private static let head = 2 * MemoryLayout<Int>.size

    static var arePrepared: Bool { ready.load(ordering: .relaxed) != 0 }

    /// The next words; they replace those before.
    static func prepare(_ bytes: [UInt8], descriptor: Int32) {
        let block = UnsafeMutableRawPointer.allocate(byteCount: head + bytes.count, alignment: 16)
        block.storeBytes(of: Int(descriptor), as: Int.self)
        block.storeBytes(of: bytes.count, toByteOffset: MemoryLayout<Int>.size, as: Int.self)
        (block + head).copyMemory(from: bytes, byteCount: bytes.count)
        // The handler does not come back, so it cannot be reading the old one.
        replace(with: UInt(bitPattern: block))
    }

    private static func replace(with address: UInt) {
        let old = ready.exchange(address, ordering: .acquiringAndReleasing)
        UnsafeMutableRawPointer(bitPattern: old)?.deallocate()
    }

    /// Ends this process in `seconds` of its processor time from now on; at once if that is not positive.
    static func speak(in seconds: Double) {
        _ = signal(SIGPROF) { _ in LastWords.speakNow() }
        let time = max(1e-3, min(seconds, 1e6))
        var timer = itimerval()
        timer.it_value.tv_sec = Int(time)
        timer.it_value.tv_usec = Int((time - time.rounded(.down)) * 1e6)
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }

    /// The process says something else and ends by itself.
    static func withdraw() {
        // A signal that is under way is handled first, or never.
        _ = signal(SIGPROF, SIG_IGN)
        replace(with: 0)
    }

    /// Called by the handler.
    private static func speakNow() -> Never {
        if let block = UnsafeMutableRawPointer(bitPattern: ready.load(ordering: .acquiring)) {
            let descriptor = Int32(truncatingIfNeeded: block.load(as: Int.self))
            var left = block.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
            var next = block + head
            while left > 0 {
                let count = write(descriptor, next, left)
                if count < 0 && errno != EINTR { break }
                next += max(0, count)
                left -= max(0, count)
            }
        }
        _exit(0)
    }
}
