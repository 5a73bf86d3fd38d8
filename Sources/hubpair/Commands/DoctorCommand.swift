import ArgumentParser
import Diagnosis
import HubClient
import Identity
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

            --on is for owners at home: the hub looks at itself, and says what its own doctor finds there.

            EXAMPLES:
              hubpair doctor
              sudo hubpair doctor                 # tries the firewall, too
              hubpair doctor --on 'Kitchen hub'   # from an owner's computer
              hubpair doctor --json
            """
    )

    @Option(
        help: ArgumentHelp(
            "Let this hub look at itself; this computer is paired with it as an owner. "
                + "(default: this machine looks)", valueName: "hub"))
    var on: PeerSelector?

    @Flag(name: .customLong("no-sweep"), help: "Do not try every address when no hub is heard.")
    var noSweep = false

    @Flag(help: "At a terminal: show the checks that are ok or skipped, too.")
    var all = false

    @OptionGroup var state: StateOption
    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard on == nil || state.path == nil && !noSweep else {
            throw ValidationError(
                "With --on the hub looks at itself. Leave out --state and --no-sweep, or --on")
        }
    }

    func run() async throws {
        let isForTerminal = !json && Console.outputIsTerminal
        if let on { return try await run(on: on, isForTerminal: isForTerminal) }
        let doctor = Doctor(
            state: state.state, configuration: configuration.configuration, sweeps: !noSweep)
        var report = DoctorReport()
        var hasProblem = false
        var done = 0
        var progress = ProgressLine()
        if isForTerminal { progress.show(ProgressLine.bar(0, of: doctor.checkCount) + " checks") }
        try await doctor.run { finding in
            hasProblem = hasProblem || finding.verdict.status == .problem
            done += 1
            try show(finding, in: &report, isForTerminal: isForTerminal)
            if isForTerminal { progress.show(ProgressLine.bar(done, of: doctor.checkCount) + " checks") }
        }
        progress.clear()
        try end(report, isForTerminal: isForTerminal)
        if hasProblem { throw ExitStatus.badConfiguration }
    }

    /// What the hub's own doctor says; all of it at once, after some seconds.
    private func run(on selector: PeerSelector, isForTerminal: Bool) async throws {
        let administer = try AdministerHub(
            configuration: configuration.configuration, selector: selector)
        var progress = ProgressLine()
        if isForTerminal { progress.show("\(administer.hub.name) looks at itself") }
        let findings: [Finding]
        do {
            findings = try await administer.findings().map(Finding.init)
        } catch {
            progress.clear()
            throw HubFailure.named(error, hub: administer.hub.name)
        }
        progress.clear()
        var report = DoctorReport()
        for finding in findings { try show(finding, in: &report, isForTerminal: isForTerminal) }
        try end(report, isForTerminal: isForTerminal)
        if findings.contains(where: { $0.verdict.status == .problem }) { throw ExitStatus.badConfiguration }
    }

    private func show(_ finding: Finding, in report: inout DoctorReport, isForTerminal: Bool) throws {
        if let mend = finding.verdict.mend { JSONLine.copyForTests(.hint, .string(mend)) }
        if json {
            try JSONLine.write(finding.json)
        } else if isForTerminal {
            report.add(finding)
        } else {
            try Console.output(DoctorReport.plainLines(finding).joined(separator: "\n"))
        }
    }

    private func end(_ report: DoctorReport, isForTerminal: Bool) throws {
        guard isForTerminal else { return }
        let lines = report.lines(
            all: all, width: Console.size.columns, hasColours: Console.outputHasColours)
        try Console.output(lines.joined(separator: "\n"))
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

    /// What another hub's doctor has found; an unknown status counts as skipped.
    init(_ told: HubFinding) {
        let (seen, mend) = (told.seen, told.mend)
        let verdict: Verdict =
            switch Status(rawValue: told.status) {
            case .ok: .ok(seen)
            case .warning: .warning(seen, mend: mend)
            case .problem: .problem(seen, mend: mend)
            case .skipped, nil: .skipped(seen, mend: mend)
            }
        self.init(check: told.check, tried: told.tried, verdict: verdict)
    }
}
