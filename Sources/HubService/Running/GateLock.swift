import CGate
import Glibc
import Identity
import Synchronization

/// What `serve` leaves itself, where no service manager does it: strangers talk to it, and whoever takes it
/// over must not get the rest of its user's files with it.
///
/// - Files, by Landlock (Linux 5.13): all in the hub's directory; the system's programs, libraries and
///   settings to read; nothing else, above all nobody's home.
/// - System calls, by seccomp: none that reach into other processes, the kernel or other namespaces; no
///   memory that is written and run; no sockets but the Internet's and those of this computer.
///
/// Both are inherited for ever, and the house may do more: its hooks are any program. So a keeper is started
/// before, by which the gate can start that one program and no other (``HouseKeeper``). A lock counts for one
/// thread and for what that starts: so the process starts over, and locks itself in while it has one thread.
package enum GateLock {
    /// The descriptors of the keeper's socket and of the rules, for the program that starts over.
    private static let variable = "HUBPAIR_LOCK"
    private static let keeper = Mutex<HouseKeeper?>(nil)

    /// Locks this process in, if it has started over for that. Call it before there are other threads.
    package static func close() {
        guard let text = getenv(variable).map({ String(cString: $0) }) else { return }
        unsetenv(variable)
        if let name = CommandLine.unsafeArgv[0] { hubpair_take_name(name) }
        let numbers = text.split(separator: ":").compactMap { Int32($0) }
        guard numbers.count == 2, fcntl(numbers[0], F_SETFD, FD_CLOEXEC) == 0 else { return }
        if hubpair_restrict_to(numbers[1]) == 0 { _ = hubpair_refuse_calls() }
        if numbers[1] >= 0 { Glibc.close(numbers[1]) }
        keeper.withLock { $0 = HouseKeeper(socket: numbers[0]) }
    }

    /// The keeper of the house, in a process that is locked in. Else it starts over as one, and returns only
    /// if that cannot be done: then the gate runs as it is.
    ///
    /// - Parameters:
    ///   - hub: the hub's directory.
    ///   - house: the house's program and its arguments.
    ///   - places: other files or folders that are written.
    package static func keeper(hub: String, house: [String], writing places: [String]) -> HouseKeeper? {
        if let keeper = keeper.withLock({ $0 }) { return keeper }
        // The keeper goes on with them, and the last one it is told.
        var words: [UnsafeMutablePointer<CChar>?] =
            house.map { strdup($0) } + [strdup("--sockets"), nil, nil]
        let last = words.count - 2
        let socket = words.withUnsafeMutableBufferPointer { words in
            words.baseAddress.map { hubpair_start_keeper($0, last) } ?? -1
        }
        for word in words { free(word) }
        guard socket >= 0 else { return nil }
        // Where nothing can be written into the hub's directory, its sockets are among the temporary files.
        let temporary = access(hub, W_OK) == 0 ? [] : [SocketFolder.base]
        let hears = getenv("NOTIFY_SOCKET").map { $0.pointee == CChar(UInt8(ascii: "@")) } ?? false
        // A sibling may lie elsewhere (``SiblingProgram``).
        let siblings = house.first.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
        let rules = withPointers(system + programFolders + [siblings].compactMap(\.self)) { readable in
            withPointers([hub, "/dev/null"] + places + temporary) { writable in
                hubpair_files_rules(readable, writable, hears ? 0 : 1)
            }
        }
        if rules >= 0 { _ = fcntl(rules, F_SETFD, 0) }
        setenv(variable, "\(socket):\(rules)", 1)
        // Threads of libdispatch block all signals, and a mask is inherited.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        unsetenv(variable)
        for descriptor in [socket, rules] where descriptor >= 0 { Glibc.close(descriptor) }
        return nil
    }

    /// How much of Landlock the kernel has; 0: nothing.
    package static var landlock: Int { Int(hubpair_landlock_version()) }

    private static let system = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/run",
        "/dev/urandom", "/dev/random", "/var/lib/dbus",
    ]

    /// Where the files lie that this process has mapped: its program, its siblings and their libraries.
    private static var programFolders: [String] {
        guard let file = fopen("/proc/self/maps", "r") else { return [] }
        defer { fclose(file) }
        var folders: Set<String> = []
        var line = [CChar](repeating: 0, count: Int(PATH_MAX) + 128)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let start = text.firstIndex(of: "/"), let end = text.lastIndex(of: "/"), start < end else {
                continue
            }
            folders.insert(String(text[start..<end]))
        }
        return folders.sorted()
    }

    private static func withPointers(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers = texts.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { body(UnsafePointer($0)) } ?? -1
        }
    }
}

/// Starts the house for a gate that is locked in: a small process that runs one program and no other, as a
/// child of the gate. It ends with the gate.
package struct HouseKeeper: Sendable {
    fileprivate let socket: Int32

    /// - Parameter sockets: the folder of the sockets between the gate and the house.
    /// - Returns: the process, or what kept it from starting.
    func start(sockets: String, input: Int32) -> Result<pid_t, Fault> {
        let answer = hubpair_ask_keeper(socket, sockets, input)
        return answer > 0 ? .success(answer) : .failure(Fault(code: -answer))
    }

    /// An errno, for a line of the log. Never reaches a user.
    struct Fault: Error { let code: Int32 }
}
