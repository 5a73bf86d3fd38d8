import FoundationEssentials
import Glibc
import Identity
import Testing

@testable import hubpair

/// Serialized: the time zone is the process's.
@Suite(.serialized) struct PointInTimeTests {
    /// 2026-11-22T10:22:03Z.
    private static let now = Date(timeIntervalSince1970: 1_795_342_923)

    @Test(
        arguments: [
            ("2026-11-30T18:00:00Z", "2026-11-30T18:00:00Z"), ("18:00", "2026-11-22T18:00:00Z"),
            ("10:22", "2026-11-23T10:22:00Z"), ("10:23", "2026-11-22T10:23:00Z"),
            ("2026-11-30", "2026-12-01T00:00:00Z"), ("2026-12-31", "2027-01-01T00:00:00Z"),
            ("2026-11-30 18:00", "2026-11-30T18:00:00Z"), ("2026-11-30T18:00", "2026-11-30T18:00:00Z"),
            ("2028-02-29", "2028-03-01T00:00:00Z"),
            ("2026-02-30", nil), ("2026-13-01", nil), ("24:00", nil), ("18:60", nil), ("6pm", nil), ("", nil),
            ("2026-11-30 24:00", nil), ("+1:00", nil), ("18-00", nil), ("2026/11/30", nil), ("tomorrow", nil),
            ("2026-11-30_18:00", nil), ("１８:００", nil),
        ] as [(String, String?)])
    func timesInUTC(text: String, time: String?) {
        setenv("TZ", "UTC", 1)
        tzset()
        #expect(PointInTime(text, now: Self.now)?.date.timestamp == time)
    }
}
