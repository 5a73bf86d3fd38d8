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
        // Without further arrays: the files of a hub have hundreds of these.
        func mark(_ index: Int, _ mark: Unicode.Scalar) -> Bool { text[index] == UInt8(ascii: mark) }
        guard mark(4, "-"), mark(7, "-"), mark(10, "T"), mark(13, ":"), mark(16, ":"), mark(19, "Z") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for index in range {
                guard (0x30...0x39).contains(text[index]) else { return nil }
                number = 10 * number + Int(text[index] - 0x30)
            }
            return number
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        guard year >= 1583, (1...12).contains(month), hour < 24, minute < 60, second < 60 else { return nil }
        func start(of month: Int) -> Int { monthStarts[month - 1] + (isLeapYear && month > 2 ? 1 : 0) }
        guard day >= 1, day <= start(of: month + 1) - start(of: month) else { return nil }
        // The Gregorian years before this one, and those before 1970: 719,162 days.
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let days = 365 * before + leapDays + start(of: month) + day - 1 - 719_162
        self.init(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
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

/// The days before each month of a year that is no leap year, and those of the whole year.
private let monthStarts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
