import Addresses
import CGlibc
import Glibc

/// A word in a hook's environment, by which all that it starts is known again: also what has left its process
/// group (setsid), and what its parent has left behind.
///
/// Processes inherit it. One that starts with another environment (`env -i`, `sudo`, `systemd-run`) or
/// overwrites its own is not found, and neither is one of another user whom the hub may not look at.
struct HookMark {
    private static let name = "HUBPAIR_HOOK_RUN"
    /// What starts others faster than it is ended is given up after so many rounds.
    private static let maximumRounds = 50

    /// `NAME=VALUE`. No other process can guess it; one that copies it harms itself.
    let variable: String

    init() {
        var generator = SystemRandomNumberGenerator()
        let value = generator.next() as UInt64
        let more = generator.next() as UInt64
        variable = "\(HookMark.name)=\(String(value, radix: 16))\(String(more, radix: 16))"
    }

    /// Ends every process with this mark.
    func end() {
        for _ in 0..<HookMark.maximumRounds {
            // A process may have been started behind the reader's back.
            guard endOnce() else { return }
            usleep(1_000)
        }
    }

    /// - Returns: true if there was any.
    private func endOnce() -> Bool {
        guard let processes = opendir("/proc") else { return false }
        defer { closedir(processes) }
        var hasFound = false
        while let entry = readdir(processes) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), process != getpid() else { continue }
            let descriptor = hubpair_pidfd_open(process)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // Read after it was opened, so that it is the same process.
            guard isMarked(name) else { continue }
            if hubpair_pidfd_kill(descriptor) == 0 { hasFound = true }
        }
        return hasFound
    }

    private func isMarked(_ process: String) -> Bool {
        let bytes = ProcFile.bytes("/proc/\(process)/environ") ?? []
        return bytes.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
    }
}
