import FoundationEssentials
import Identity
import Testing

@Suite struct TimestampTests {
    /// As Foundation's calendar writes it: every month of 1583 to 9999, and seconds of every kind.
    @Test func readsAndWritesAsFoundation() {
        var second = -12_212_553_600.0
        while second < 253_402_300_800 {
            let date = Date(timeIntervalSince1970: second)
            #expect(date.timestamp == date.formatted(.iso8601))
            #expect(Date(timestamp: date.timestamp) == date)
            second += 2_593_741
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2000-02-29T23:59:59Z", 951_868_799),
        ("1583-01-01T00:00:00Z", -12_212_553_600),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func reads(_ text: String, _ seconds: Double) {
        #expect(Date(timestamp: text)?.timeIntervalSince1970 == seconds)
    }

    /// A wrong clock, or a number out of a file, can say any time.
    @Test(arguments: [
        (-0.5, "1969-12-31T23:59:59Z"), (0.999, "1970-01-01T00:00:00Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"), (-62_135_596_801, "0001-01-01T00:00:00Z"),
        (253_402_300_800, "9999-12-31T23:59:59Z"), (.infinity, "9999-12-31T23:59:59Z"),
        (-.greatestFiniteMagnitude, "0001-01-01T00:00:00Z"), (.nan, "9999-12-31T23:59:59Z"),
    ])
    func writes(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).timestamp == text)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:22:03", "2026-11-21 10:22:03Z", "2026-11-21t10:22:03z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
        "+026-01-01T00:00:00Z", "1582-12-31T00:00:00Z", "2026-01-01T00:00:0\u{0660}",
    ])
    func refuses(_ text: String) { #expect(Date(timestamp: text) == nil) }
}
