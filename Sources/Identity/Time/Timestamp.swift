package import FoundationEssentials
import Glibc

extension Date {
    /// Reads `2026-11-21T10:22:03Z` (RFC 3339 in UTC, whole seconds, from 1583 on) and nothing else.
    ///
    /// Without Foundation's calendar, which first looks for time zones on the disk: most starts of the
    /// command read such a time.
    package init?(timestamp: String) {
        let text = Array(timestamp.utf8)
        guard text.count == 20 else { return nil }
        for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")] {
            guard text[index] == mark.utf8.first else { return nil }
        }
        var numbers: [Int] = []
        for range in [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19] {
            guard text[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(text[range].reduce(0) { 10 * $0 + Int($1 - 0x30) })
        }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1583, (1...12).contains(month), (1...lengths[month - 1]).contains(day),
            numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
        else { return nil }
        // The Gregorian years before this one, and those before 1970: 719,162 days.
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let days = 365 * before + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
        self.init(
            timeIntervalSince1970: Double(((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]))
    }

    /// `2026-11-21T10:22:03Z`: RFC 3339 in UTC, rounded down to whole seconds. Times outside of the years 1
    /// to 9999, which it has no digits for, count as the first or the last of them.
    ///
    /// By the C library: Foundation's calendar would look for time zones first.
    package var timestamp: String {
        let exact = timeIntervalSince1970.rounded(.down)
        var seconds = time_t(max(-62_135_596_800, min(253_402_300_799, exact)))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(10_000 + parts.tm_year + 1900).dropFirst()
        return "\(year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }

    /// `2026-11-21T10:22:03.123Z`: RFC 3339 in UTC, rounded down to milliseconds; for what needs an order.
    package var timestampWithMilliseconds: String {
        let milliseconds = Int((timeIntervalSince1970 * 1000).rounded(.down))
        let rest = ((milliseconds % 1000) + 1000) % 1000
        let fraction = String(1000 + rest).dropFirst()
        return timestamp.dropLast() + ".\(fraction)Z"
    }

    /// Milliseconds since 1970, rounded down; for files and tables. Times beyond the year 9999 count as that.
    package var milliseconds: Int64 {
        let exact = (timeIntervalSince1970 * 1000).rounded(.down)
        return Int64(max(-62_135_596_800_000, min(253_402_300_799_999, exact)))
    }

    /// - Parameter milliseconds: since 1970.
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
