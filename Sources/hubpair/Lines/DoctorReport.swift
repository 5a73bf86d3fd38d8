import Diagnosis
import Identity

/// What `doctor` writes for people. A pipe gets a line and its hint for each check, as they are done. A
/// terminal gets what needs attention, wrapped, the gravest last, where a person looks first.
struct DoctorReport {
    /// Below this many columns lines are not wrapped any more.
    private static let narrowest = 30
    private static let widths = [Finding.Status.allCases.map { Texts.exactly($0.rawValue).count }.max() ?? 0]
    private static let hintMark = Texts.exactly("hint") + ": "

    private var findings: [Finding] = []

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// One check as a line, and its hint as a second one: `problem  avahi-daemon: what was tried: what was
    /// seen`.
    static func plainLines(_ finding: Finding) -> [String] {
        let status = finding.verdict.status
        let name = Texts.exactly(status.rawValue)
        let line = Table.line([name, text(finding)], widths: widths)
        let word = status.colour?.painted(name) ?? name
        return [word + line.dropFirst(name.count)]
            + (finding.verdict.mend.map { [Table.line(["", hintMark + Texts.words($0)], widths: widths)] }
                ?? [])
    }

    /// The whole report for a terminal.
    ///
    /// - Parameters:
    ///   - all: also the checks that are ok, and those that were skipped.
    ///   - width: the terminal's columns.
    func lines(all: Bool, width: Int, hasColours: Bool) -> [String] {
        let order: [Finding.Status] = all ? [.ok, .skipped, .warning, .problem] : [.warning, .problem]
        let shown = order.flatMap { status in findings.filter { $0.verdict.status == status } }
        let lines = shown.flatMap { DoctorReport.wrapped($0, width: width, hasColours: hasColours) }
        let quiet = all ? nil : quiet.map { hubpair.wrapped(Texts.words($0), to: width) }
        return lines + (quiet ?? []) + [Texts.words(summary)]
    }

    /// `1 problem, 1 warning`; `no problems`.
    var summary: String {
        let parts = [(count(.problem), "problem"), (count(.warning), "warning")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return parts.isEmpty ? "no problems" : parts.joined(separator: ", ")
    }

    /// `14 checks are ok, 2 were skipped (--all shows them)`; nil if there is nothing more to show.
    private var quiet: String? {
        let (ok, skipped) = (count(.ok), count(.skipped))
        let parts = [
            ok > 0 ? "\(ok) \(ok == 1 ? "check is" : "checks are") ok" : nil,
            skipped > 0 ? "\(skipped) \(skipped == 1 ? "was" : "were") skipped" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + " (--all shows them)"
    }

    private func count(_ status: Finding.Status) -> Int {
        findings.count { $0.verdict.status == status }
    }

    private static func text(_ finding: Finding) -> String {
        "\(finding.check): \(Texts.words(finding.tried)): \(Texts.words(finding.verdict.seen))"
    }

    /// Both lines within `width` columns; what is wrapped hangs below the text, not below the status.
    private static func wrapped(_ finding: Finding, width: Int, hasColours: Bool) -> [String] {
        let status = finding.verdict.status
        let margin = String(repeating: " ", count: widths[0] + 2)
        let room = width < narrowest ? Int.max : width - margin.count
        var lines = hubpair.wrapped(SafeText.escaped(text(finding)), to: room)
        if let mend = finding.verdict.mend {
            let indent = String(repeating: " ", count: hintMark.count)
            let hint = hubpair.wrapped(
                SafeText.escaped(Texts.words(mend)), to: room == .max ? room : room - hintMark.count)
            for (index, line) in hint.enumerated() { lines.append((index == 0 ? hintMark : indent) + line) }
        }
        let name = Texts.exactly(status.rawValue)
        let word = status.colour?.painted(name, if: hasColours) ?? name
        let title = word + String(repeating: " ", count: widths[0] + 2 - name.count)
        return lines.enumerated().map { ($0.offset == 0 ? title : margin) + $0.element }
    }
}

extension Finding.Status {
    fileprivate var colour: Colour? {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .problem: .red
        case .skipped: nil
        }
    }
}
