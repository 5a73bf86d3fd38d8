import Testing

@testable import Diagnosis
@testable import hubpair

/// What `doctor` shows on a terminal.
@Suite struct DoctorReportTests {
    private static let long = Finding(
        check: "hub-gateway", tried: "asked port 8000 for /devices/ from outside, as a stranger",
        verdict: .problem(
            "OPEN: a stranger is served at 192.168.77.1:8000, 192.168.78.1:8000, [fe80::1234:5678]:8000",
            mend: "another server has the port: stop it or move it to 127.0.0.1 (--upstream)"))

    private func report(_ statuses: [Finding.Verdict]) -> DoctorReport {
        var report = DoctorReport()
        for (index, verdict) in statuses.enumerated() {
            report.add(Finding(check: "c\(index)", tried: "t", verdict: verdict))
        }
        return report
    }

    @Test func problemsAreLastAndTheRestIsCounted() {
        let all = report([
            .problem("p", mend: "m"), .ok("o"), .warning("w", mend: nil), .ok("o"), .skipped("s"),
        ])
        #expect(
            all.lines(all: false, width: 80, hasColours: false) == [
                "warning  c2: t: w", "problem  c0: t: p", "         hint: m",
                "2 checks are ok, 1 was skipped (--all shows them)", "1 problem, 1 warning",
            ])
        #expect(
            all.lines(all: true, width: 80, hasColours: false) == [
                "ok       c1: t: o", "ok       c3: t: o", "skipped  c4: t: s", "warning  c2: t: w",
                "problem  c0: t: p", "         hint: m", "1 problem, 1 warning",
            ])
        #expect(
            report([.ok("o")]).lines(all: false, width: 80, hasColours: false) == [
                "1 check is ok (--all shows them)", "no problems",
            ])
    }

    /// Every word is there, in its order, and no line is wider than the terminal but one with a single word.
    @Test(arguments: [30, 40, 79, 80, 200])
    func linesFit(width: Int) {
        var report = DoctorReport()
        report.add(Self.long)
        let lines = report.lines(all: false, width: width, hasColours: false).dropLast()
        for line in lines {
            let words = line.split(separator: " ").drop { ["problem", "hint:"].contains($0) }
            #expect(line.utf8.count <= width || words.count == 1, "\(line)")
        }
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("         ") })
        let words = { (text: String) in text.split(separator: " ").map(String.init) }
        #expect(
            lines.flatMap(words)
                == words(DoctorReport.plainLines(Self.long).joined(separator: " ")))
    }

    @Test func coloursStressTheStatusAlone() {
        let lines = report([.problem("p", mend: nil), .warning("\u{1B}[31mx", mend: nil)])
            .lines(all: true, width: 80, hasColours: true)
        #expect(
            lines.dropLast() == [
                "\u{1B}[33mwarning\u{1B}[0m  c1: t: \\u{1B}[31mx", "\u{1B}[31mproblem\u{1B}[0m  c0: t: p",
            ])
    }
}

@Suite struct WrappingTests {
    @Test(arguments: [
        ("", 5, [""]), ("abc", 3, ["abc"]), ("a b c", 3, ["a b", "c"]), ("abcdef g", 3, ["abcdef", "g"]),
        ("a bcdef g", 3, ["a", "bcdef", "g"]), ("漢字 漢字", 8, ["漢字", "漢字"]), ("漢字 漢字", 9, ["漢字 漢字"]),
    ])
    func breaksAtSpaces(text: String, width: Int, lines: [String]) {
        #expect(wrapped(text, to: width) == lines)
    }

    @Test func coloursTakeNoColumn() {
        let red = Colour.red.painted("abc", if: true)
        #expect(columnWidth(of: red) == 3)
        #expect(columnWidth(of: red + "漢") == 5)
        #expect(cut(red + "defg", to: 5) == red + "d…\u{1B}[0m")
        #expect(Colour.red.painted("abc", if: false) == "abc")
    }
}
