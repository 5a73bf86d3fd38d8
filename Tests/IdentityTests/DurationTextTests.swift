import Identity
import TestSupport
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0", 0.0), ("90", 90), ("90s", 90), ("0.5", 0.5), ("0.125s", 0.125), ("10m", 600), ("1.5h", 5400),
        ("2h", 7200), ("7d", 604_800), ("1w", 604_800), ("1h30m", 5400), ("1w2d3h4m5.006s", 788_645.006),
        ("999999999s", 999_999_999), ("00010", 10), ("1817975w", 1_099_511_280_000),
    ])
    func accepted(text: String, seconds: Double) {
        #expect(Duration(written: text) == .milliseconds(Int((seconds * 1000).rounded())))
    }

    @Test(arguments: [
        "", "m", "s", ".", ".5", "5.", "-5m", "+5m", "10 m", " 10m", "10m ", "10M", "10m5", "5s10m", "1m1m",
        "1e3", "nan", "inf", "0x10", "0.1234s", "9999999999s", "1817977w", "999999999w", "１0m", "10µ", "10ms",
        "1,5h", "1.2.3",
    ])
    func rejected(text: String) { #expect(Duration(written: text) == nil) }

    @Test(arguments: [
        (0.0, "0 seconds", "0s"), (1, "1 second", "1s"), (0.5, "0.5 seconds", "0.5s"),
        (1.25, "1.25 seconds", "1.25s"), (119, "119 seconds", "1m59s"), (120, "2 minutes", "2m"),
        (600, "10 minutes", "10m"), (5400, "90 minutes", "1h30m"), (7200, "2 hours", "2h"),
        (172_800, "2 days", "2d"), (86_400.5, "24 hours", "1d0.5s"), (31_536_000, "365 days", "365d"),
    ])
    func words(seconds: Double, words: String, written: String) {
        let duration = Duration.milliseconds(Int(seconds * 1000))
        #expect(duration.words == words)
        #expect(duration.written == written)
    }

    @Test(arguments: [(-5.0, 0), (1.99, 1), (1e300, 1_000_000_000_000), (-.infinity, 0)])
    func passed(seconds: Double, whole: Int) { #expect(Duration(passed: seconds) == .seconds(whole)) }

    @Test(arguments: [(0.9, "0:00"), (9, "0:09"), (598, "9:58"), (6000, "100:00"), (-3, "0:00")])
    func clock(seconds: Double, text: String) {
        #expect(Duration.milliseconds(Int(seconds * 1000)).clock == text)
    }

    /// Texts of the grammar, and texts one byte away from it, against a reader of another kind: a sum over
    /// the matches of a regular expression.
    @Test func readsAsTheGrammarSays() throws {
        var random = SplitMix64(seed: 13)
        let sizes = [("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
        var counts = (accepted: 0, rejected: 0)
        for _ in 0..<20_000 {
            var text = ""
            var milliseconds = 0
            for (unit, size) in sizes where random.next() % 3 == 0 {
                let (whole, fraction) = (Int(random.next() % 2000), Int(random.next() % 1000))
                let hasFraction = random.next() % 3 == 0
                text += "\(whole)" + (hasFraction ? ".\(String(1000 + fraction).dropFirst())" : "") + unit
                milliseconds += (whole * 1000 + (hasFraction ? fraction : 0)) * size
            }
            if !text.isEmpty { #expect(Duration(written: text) == .milliseconds(milliseconds), "\(text)") }
            var bytes = Array(text.utf8)
            let other = Array("0123456789.wdhms -+eWx".utf8)
            let place = Int(random.next() % UInt64(bytes.count + 1))
            bytes.insert(other[Int(random.next() % UInt64(other.count))], at: place)
            let near = String(decoding: bytes, as: UTF8.self)
            let model = try Self.model(near)
            #expect(Duration(written: near) == model.map { .milliseconds($0) }, "\(near)")
            if model == nil { counts.rejected += 1 } else { counts.accepted += 1 }
        }
        // Both sides of the grammar were met.
        #expect(counts.accepted > 1000 && counts.rejected > 1000)
    }

    /// Thousandths of a second; nil for what the grammar does not have.
    private static func model(_ text: String) throws -> Int? {
        let number = /([0-9]{1,9})(?:\.([0-9]{1,3}))?/
        func thousandths(_ match: Regex<(Substring, Substring, Substring?)>.Match) -> Int {
            let fraction = ((match.2.map(String.init) ?? "") + "000").prefix(3)
            return (Int(match.1) ?? 0) * 1000 + (Int(fraction) ?? 0)
        }
        if let match = try number.wholeMatch(in: text) { return thousandths(match) }
        let n = "[0-9]{1,9}(\\.[0-9]{1,3})?"
        let whole = try Regex("(?=.)(\(n)w)?(\(n)d)?(\(n)h)?(\(n)m)?(\(n)s)?")
        guard try whole.wholeMatch(in: text) != nil else { return nil }
        let sizes: [Character: Int] = ["w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1]
        var sum = 0
        var rest = text[...]
        while let match = rest.prefixMatch(of: number) {
            rest = rest[match.range.upperBound...]
            sum += thousandths(match) * (sizes[rest.removeFirst()] ?? 0)
        }
        return sum <= 1000 << 40 ? sum : nil
    }
}
