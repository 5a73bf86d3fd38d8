import ArgumentParser
import Diagnosis
import JSON

/// `hubpair doctor`: what is wrong, and how to mend it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose problems and suggest fixes.",
        discussion: """
            Looks at the network (interfaces, multicast, avahi-daemon, ports, the firewall, and whether hubs \
            are heard), at the hub of this machine if one is set up (its files, its clock, and from outside: \
            whether it keeps strangers out), and at the hubs that this computer is paired with. It says of \
            each check: ok, warning, problem or skipped, what was tried, what was seen; and a hint that \
            mends it. A terminal shows warnings and problems, a pipe every check. It changes nothing.

            Only root can try the firewall, with a network namespace that is removed afterwards. If no hub \
            is heard, every address of the local network is tried, up to 1,022 of them. Exits with 78 if \
            there is a problem.

            EXAMPLES:
              hubpair doctor
              sudo hubpair doctor                 # tries the firewall, too
              hubpair doctor --json
            """
    )

    @Flag(name: .customLong("no-sweep"), help: "Do not try every address when no hub is heard.")
    var noSweep = false

    @Flag(help: "At a terminal: show the checks that are ok or skipped, too.")
    var all = false

    @OptionGroup var state: StateOption
    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func run() async throws {
        let doctor = Doctor(
            state: state.state, configuration: configuration.configuration, sweeps: !noSweep)
        let isForTerminal = !json && Console.outputIsTerminal
        var report = DoctorReport()
        var hasProblem = false
        var done = 0
        var progress = ProgressLine()
        if isForTerminal { progress.show(ProgressLine.bar(0, of: doctor.checkCount) + " checks") }
        try await doctor.run { finding in
            hasProblem = hasProblem || finding.verdict.status == .problem
            done += 1
            if json {
                try JSONLine.write(finding.json)
            } else if isForTerminal {
                report.add(finding)
                progress.show(ProgressLine.bar(done, of: doctor.checkCount) + " checks")
            } else {
                try Console.output(DoctorReport.plainLines(finding).joined(separator: "\n"))
            }
        }
        progress.clear()
        if isForTerminal {
            let lines = report.lines(
                all: all, width: Console.size.columns, hasColours: Console.outputHasColours)
            try Console.output(lines.joined(separator: "\n"))
        }
        if hasProblem { throw ExitStatus.badConfiguration }
    }
}

extension Finding {
    /// The line of `doctor --json`.
    var json: JSONValue {
        .object([
            "check": .string(check), "status": .string(verdict.status.rawValue), "tried": .string(tried),
            "seen": .string(verdict.seen), "mend": .text(verdict.mend),
        ])
    }
}
