import CGlibc
import Glibc
package import Identity

/// Asks the program `hubpair-house` for what only it can read: it alone opens the database.
package enum HouseTool {
    package static let programName = "hubpair-house"

    /// Runs it with a verb and what belongs to it, and returns what it writes.
    package static func run(_ words: [String], maximum: Int) throws(HouseToolError) -> [UInt8] {
        guard let program = SiblingProgram.path(of: programName) else {
            throw HouseToolError("there is no program \(programName) beside this one")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw HouseToolError(String(cString: strerror(errno))) }
        let (output, input) = (ends[0], ends[1])
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, input, STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        var process: pid_t = 0
        let code = posix_spawn(&process, program, &actions, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        close(input)
        guard code == 0 else { throw HouseToolError("\(program): \(String(cString: strerror(code)))") }
        let bytes = read(output, maximum: maximum)
        if bytes == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let bytes else { throw HouseToolError("\(programName) says too much") }
        guard status == 0 else {
            let words = String(decoding: bytes.prefix(1_024), as: UTF8.self)
            throw HouseToolError(words.isEmpty ? "\(programName) has failed" : words)
        }
        return bytes
    }

    private static func read(_ output: Int32, maximum: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(output, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            guard count <= maximum - bytes.count else { return nil }
            bytes += piece[..<count]
        }
    }
}

/// Why the program says nothing, in its words.
package struct HouseToolError: UserError {
    package let description: String
    package var kind: UserErrorKind { .unavailable }
    package let hint: String?

    package init(_ description: String, hint: String? = nil) {
        (self.description, self.hint) = (description, hint)
    }
}
