import ArgumentParser
import Diagnosis
import JSON

/// `hubpair doctor`: what is wrong, and how to mend it.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is wrong, and how to mend it.",
        discussion: """
            Looks at the network (interfaces, multicast, avahi-daemon, ports, the firewall, and whether hubs \
            are heard), at the hub of this machine if one is set up (its files, its clock, and from outside: \
            whether it keeps strangers out), and at the hubs that this device is paired with. A line a \
            check: ok, warning, problem or skipped, what was tried, what was seen; and a hint that mends it. \
            It changes nothing.

            Only root can try the firewall, with a network namespace that is removed afterwards. If no hub \
            is heard, every address of the local network is tried, up to 1,022 of them. Exits with 78 if \
            there is a problem.
            """
    )

    @Flag(name: .customLong("no-sweep"), help: "Do not try every address when no hub is heard.")
    var noSweep = false

    @OptionGroup var state: StateOption
    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func run() async throws {
        let doctor = Doctor(
            state: state.state, configuration: configuration.configuration, sweeps: !noSweep)
        var hasProblem = false
        try await doctor.run { finding in
            hasProblem = hasProblem || finding.verdict.status == .problem
            if json {
                try JSONLine.write(finding.json)
            } else {
                try Console.output(DoctorCommand.text(finding))
            }
        }
        if hasProblem { throw ExitStatus.badConfiguration }
    }

    /// `problem  avahi-daemon: what was tried: what was seen`, and the hint below.
    private static func text(_ finding: Finding) -> String {
        let widths = [Finding.Status.allCases.map(\.rawValue.count).max() ?? 0]
        let (status, seen, mend) = (finding.verdict.status, finding.verdict.seen, finding.verdict.mend)
        let line = Table.line(
            [status.rawValue, "\(finding.check): \(finding.tried): \(seen)"], widths: widths)
        return line + (mend.map { "\n" + Table.line(["", "hint: \($0)"], widths: widths) } ?? "")
    }
}

extension Finding {
    /// The line of `doctor --json`.
    fileprivate var json: JSONValue {
        .object([
            "check": .string(check), "status": .string(verdict.status.rawValue), "tried": .string(tried),
            "seen": .string(verdict.seen), "mend": .text(verdict.mend),
        ])
    }
}
