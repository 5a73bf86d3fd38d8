import ArgumentParser
import Glibc
import HubService
import Identity

/// `hubpair logs`: what the service has written, by journalctl.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show what this machine's hub or relay has logged, by journalctl(1).",
        discussion: """
            Options are those of journalctl. What was done to devices and codes, and by whom, is in \
            'hubpair hub journal'.

            EXAMPLES:
              hubpair logs
              hubpair logs --follow
              hubpair logs --since '1 hour ago' --priority warning
            """)

    /// Of the packages hubpair and hubpair-relay.
    private static let units = ["hubpair", "hubpair-house", "hubpair-relay"]
    private static let program = "/usr/bin/journalctl"

    @Argument(
        parsing: .allUnrecognized, help: ArgumentHelp("Options of journalctl.", valueName: "option"))
    var options: [String] = []

    func run() throws {
        guard LogsCommand.units.contains(where: StartCommands.hasUnit) else { throw LogsError.noService }
        let words = ["journalctl"] + LogsCommand.units.map { "--unit=\($0)" } + options
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // By its own path: root's $PATH may hold a directory of somebody else's.
        execv(LogsCommand.program, &arguments)
        let code = errno
        for argument in arguments { free(argument) }
        throw LogsError.noJournal(code)
    }
}

private enum LogsError: UserError {
    case noService
    case noJournal(Int32)

    var description: String {
        switch self {
        case .noService: "no hub or relay is a service of systemd on this machine"
        case .noJournal(let code):
            "/usr/bin/journalctl does not start: \(String(cString: strerror(code)))"
        }
    }

    var kind: UserErrorKind { .unavailable }

    var hint: String? {
        switch self {
        case .noService:
            "'hubpair serve' writes its log to the terminal where it runs, or where standard error leads"
        case .noJournal: "it comes with systemd; where that is not, the log is with what runs hubpair"
        }
    }
}
