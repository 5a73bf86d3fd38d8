package import FoundationEssentials
import Glibc

/// A point in time as people at the hub read their clock.
package struct LocalTime {
    /// `2026-11-21`.
    package let day: String
    /// `10:32:03`.
    package let clock: String
    /// The time zone's abbreviation: `CET`.
    package let zone: String

    package init(_ date: Date) {
        var time = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&time, &parts)
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        zone = parts.tm_zone.map { String(cString: $0) } ?? ""
    }

    /// The clock alone, with the day before it if that is not the day of `now`.
    package func text(seenAt now: Date) -> String {
        LocalTime(now).day == day ? clock : "\(day) \(clock)"
    }
}
