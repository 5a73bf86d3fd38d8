import FoundationEssentials
import Glibc

/// What Linux says of this process (proc(5)), under the names that Prometheus's own clients use.
struct ProcessFigures: Equatable, Sendable {
    /// User and system time, in seconds.
    var processorSeconds: Double
    var residentByteCount: Double
    var openFiles: Int

    /// - Returns: nil where /proc does not tell it.
    static func now() -> ProcessFigures? {
        guard let stat = read("/proc/self/stat"), let pages = read("/proc/self/statm"),
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return ProcessFigures(
            stat: stat, statm: pages, openFiles: files.count, ticks: sysconf(Int32(_SC_CLK_TCK)),
            pageByteCount: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameters:
    ///   - stat: of /proc/PID/stat; the name in parentheses may hold anything.
    ///   - ticks: of a second.
    init?(stat: String, statm: String, openFiles: Int, ticks: Int, pageByteCount: Int) {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ")
        let pages = statm.split(separator: " ")
        // utime and stime are fields 14 and 15, of which 2 end with the parenthesis.
        guard fields.count > 13, pages.count > 1, let user = Double(fields[12]),
            let system = Double(fields[13]), let resident = Double(pages[1]), ticks > 0
        else { return nil }
        processorSeconds = (user + system) / Double(ticks)
        residentByteCount = resident * Double(pageByteCount)
        self.openFiles = openFiles
    }

    private static func read(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    func write(to text: inout PrometheusText) {
        text.add(
            "process_cpu_seconds_total", .counter, "User and system time of the gate, in seconds.",
            processorSeconds)
        text.add(
            "process_resident_memory_bytes", .gauge, "Memory of the gate, in bytes.", residentByteCount)
        text.add("process_open_fds", .gauge, "Open file descriptors of the gate.", Double(openFiles))
    }
}
