import FoundationEssentials
import Glibc
import Identity

/// A time to come, as a person writes it: by this machine's clock, or in UTC with a `Z`.
///
///     time  = clock / day [ ( " " / "T" ) clock ] / utc
///     day   = 4DIGIT "-" 2DIGIT "-" 2DIGIT
///     clock = 2DIGIT ":" 2DIGIT
///     utc   = as in files: 2026-11-21T10:22:03Z
///
/// A day alone means its end, a clock alone the next time that it says so. Accepted: `18:00`, `2026-11-30`.
/// Rejected: `6pm`, `2026-02-30`, an hour that the change to summer time leaves out.
struct PointInTime: Equatable {
    let date: Date

    init?(_ text: String, now: Date = Date()) {
        if let date = Date(timestamp: text) {
            self.date = date
            return
        }
        let bytes = Array(text.utf8)
        switch bytes.count {
        case 5:
            guard let clock = PointInTime.numbers(bytes[...], separator: ":", lengths: [2, 2]) else {
                return nil
            }
            let today = PointInTime.parts(of: now)
            let (year, month, day) = (today.tm_year + 1900, today.tm_mon + 1, today.tm_mday)
            let times = [0, 1].compactMap { offset in
                PointInTime.date(year, month, day, clock[0], clock[1], daysLater: offset)
            }
            guard let next = times.first(where: { $0 > now }) else { return nil }
            date = next
        case 10:
            guard let day = PointInTime.numbers(bytes[...], separator: "-", lengths: [4, 2, 2]),
                PointInTime.date(day[0], day[1], day[2], 12, 0) != nil,
                let end = PointInTime.date(day[0], day[1], day[2], 0, 0, daysLater: 1)
            else { return nil }
            date = end
        case 16 where bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"):
            guard let day = PointInTime.numbers(bytes[..<10], separator: "-", lengths: [4, 2, 2]),
                let clock = PointInTime.numbers(bytes[11...], separator: ":", lengths: [2, 2]),
                let time = PointInTime.date(day[0], day[1], day[2], clock[0], clock[1])
            else { return nil }
            date = time
        default: return nil
        }
    }

    private static func numbers(
        _ bytes: ArraySlice<UInt8>, separator: Unicode.Scalar, lengths: [Int]
    ) -> [Int32]? {
        let parts = bytes.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
        guard parts.map(\.count) == lengths else { return nil }
        let numbers = parts.compactMap { Int32(digits: String(decoding: $0, as: UTF8.self)) }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func parts(of date: Date) -> tm {
        var time = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        localtime_r(&time, &parts)
        return parts
    }

    /// Nil for a day or an hour that there is not.
    private static func date(
        _ year: Int32, _ month: Int32, _ day: Int32, _ hour: Int32, _ minute: Int32, daysLater: Int32 = 0
    ) -> Date? {
        guard (1970...9998).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day + daysLater)
        (parts.tm_hour, parts.tm_min, parts.tm_isdst) = (hour, minute, -1)
        let time = mktime(&parts)
        // mktime(3) makes the 2nd of March of the 30th of February, and another hour of one that is left out.
        // Midnight may be left out too; the day then begins later.
        let isSameDay = daysLater > 0 || (parts.tm_mon == month - 1 && parts.tm_mday == day)
        let isSameClock = parts.tm_hour == hour && parts.tm_min == minute
        guard isSameDay, isSameClock || (daysLater > 0 && hour == 0) else { return nil }
        return Date(timeIntervalSince1970: Double(time))
    }
}
