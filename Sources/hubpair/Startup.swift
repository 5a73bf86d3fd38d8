import CGlibc
import FoundationEssentials
import Glibc
import Identity

/// What the process is given by whoever starts it, made safe before anything else looks at it.
enum Startup {
    /// Opens `/dev/null` in the place of standard descriptors that are closed, so that no file of ours gets
    /// their number and results are not written into it. Writing still fails, as it would have.
    static func fillClosedStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one. Input reads as empty, output cannot be written.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Lets no core dump be written, and no other process of the same user read the memory, the environment or the
    /// descriptors: keys and codes are in it. Children that this process forks have the same; programs that it starts do
    /// not. A developer who wants to look inside sets `HUBPAIR_DUMPABLE=1`; who can set that could start a debugger too.
    static func forbidDumps() {
        guard getenv("HUBPAIR_DUMPABLE").map({ String(cString: $0) }) != "1" else { return }
        // It cannot fail (prctl(2)); a kernel that refused it all the same would be no reason to serve nobody.
        _ = hubpair_forbid_dumps()
    }

    /// Refuses arguments and paths in the environment that are not UTF-8: Swift would mend them, and another
    /// file would be used than the one that was named.
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
