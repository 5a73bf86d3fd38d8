import Addresses
import HubService

/// What the running hub has given up of its user's rights: by itself (``GateLock``), or because its service
/// manager has taken it.
enum CheckSandbox {
    static func check(_ state: HubState) -> DiagnosisCheck {
        DiagnosisCheck("hub-sandbox", tried: "asked the kernel what the running hub has given up") {
            guard let process = LocalSocket.server(of: LocalSocket.gate, in: state.sockets) else {
                return .skipped("the hub does not serve")
            }
            return verdict(
                status: ProcFile.text("/proc/\(process)/status"), landlock: GateLock.landlock,
                isService: state.isHouseApart)
        }
    }

    /// - Parameters:
    ///   - status: what the kernel says of the process (proc_pid_status(5)).
    ///   - landlock: how much of Landlock the kernel has.
    ///   - isService: the Debian package's unit has taken the files from it.
    static func verdict(status: String, landlock: Int, isService: Bool) -> Finding.Verdict {
        let filter = status.split(separator: "\n").first { $0.hasPrefix("Seccomp:") }?.dropFirst(8)
        guard filter?.contains("2") ?? false else {
            return .warning(
                "it has all rights of its user", mend: "start it again, on a kernel with seccomp filters")
        }
        if isService { return .ok("its service keeps it to its own files") }
        guard landlock > 0 else {
            return .warning(
                "the kernel has no Landlock: who takes it over has all files of its user",
                mend: "use Linux 5.13 or newer, with landlock among the modules of the parameter lsm=")
        }
        return .ok("it writes its own files alone, and reads no user's")
    }
}
