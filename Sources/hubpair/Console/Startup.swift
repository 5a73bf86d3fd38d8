import CGlibc
import Glibc
import Identity

/// Makes safe what the process gets from its parent: descriptors, limits, arguments. Runs before all else.
enum Startup {
    /// The environment, read once.
    ///
    /// Not by `ProcessInfo`, which grows its table variable by variable: with a hundred of them that takes as
    /// long as to draw a code. Of a name that is there twice the first one counts, as with getenv(3).
    static let environment: [String: String] = {
        guard let first = hubpair_environment() else { return [:] }
        var count = 0
        while first[count] != nil { count += 1 }
        var variables = [String: String](minimumCapacity: count)
        for index in 0..<count {
            guard let variable = first[index], let mark = strchr(variable, Int32(UInt8(ascii: "="))) else {
                continue
            }
            let name = UnsafeRawBufferPointer(start: variable, count: mark - variable)
            let key = String(decoding: name, as: UTF8.self)
            if variables[key] == nil { variables[key] = String(cString: mark + 1) }
        }
        return variables
    }()

    /// Opens `/dev/null` in the place of closed standard descriptors: else a file of ours could get the
    /// number of standard output, and results would be written into it. Writing still fails, as it would
    /// have.
    static func fillClosedStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one. Input reads as empty, output cannot be written.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Lets the kernel say how children end: that SIGCHLD is ignored is inherited, and waitpid(2) then knows
    /// of no child.
    static func waitForChildren() {
        signal(SIGCHLD, SIG_DFL)
    }

    /// Keeps libdispatch from writing to the system's journal. For each worker thread it asks for a priority
    /// that only root may give, and logs the refusal: a line with every command, two every 30 seconds from
    /// `serve`. The variable is read when the first worker thread starts; one that is set is respected.
    static func quietDispatch() {
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }

    /// True if `HUBPAIR_DUMPABLE=1` asks for a process that a debugger reads and that may write a core dump;
    /// anybody able to set that could start a debugger as well.
    static var isDebugged: Bool { getenv("HUBPAIR_DUMPABLE").map { String(cString: $0) } == "1" }

    /// Forbids core dumps, and keeps other processes of the same user from reading the memory, the
    /// environment and the descriptors: they hold keys and codes. Forked children inherit it, other programs
    /// that are started do not.
    static func forbidDumps() {
        guard !isDebugged else { return }
        // It cannot fail (prctl(2)). If a kernel refuses it all the same, the program is still of use.
        _ = hubpair_forbid_dumps()
    }

    /// Refuses arguments and paths in the environment that are not UTF-8: Swift would repair them, and
    /// another file would be used than the one that was named.
    static func refuseTextThatIsNotUTF8() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            if let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil {
                throw NotUTF8(what: "argument \(index)")
            }
        }
        for name in ["HOME", "HUBPAIR_CONFIG", "HUBPAIR_STATE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            if let value = getenv(name), String(validatingCString: value) == nil {
                throw NotUTF8(what: "$\(name)")
            }
        }
    }
}

/// An argument or a variable whose bytes are not UTF-8.
struct NotUTF8: UserError {
    let what: String

    var description: String { "\(what) is not UTF-8" }
    var kind: UserErrorKind { .usage }
    var hint: String? { "rename the file, or give its content on standard input" }
}
