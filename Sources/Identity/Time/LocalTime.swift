package import FoundationEssentials
import Glibc

/// A point in time as a person's clock shows it, in the time zone of this process (`$TZ`, else
/// `/etc/localtime`). Everything that people read says times by it; JSON, logs and files have UTC
/// (`Date.timestamp`).
package struct LocalTime: Equatable, Sendable {
    /// `2026-11-21`.
    package let day: String
    /// `10:32`, rounded down.
    package let clock: String
    /// `10:32:03`.
    package let clockWithSeconds: String
    /// The time zone: `CET`; `UTC-03` for one without a name of its own.
    package let zone: String

    package init(_ date: Date) {
        var time = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        localtime_r(&time, &parts)
        let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        clock = "\(two(parts.tm_hour)):\(two(parts.tm_min))"
        clockWithSeconds = "\(clock):\(two(parts.tm_sec))"
        let name = parts.tm_zone.map { String(cString: $0) } ?? ""
        zone = name.hasPrefix("+") || name.hasPrefix("-") ? "UTC\(name)" : name
    }

    /// The clock alone on the day of `now`, else with the day before it: `10:32`, `2026-11-21 10:32`.
    package func text(seenAt now: Date) -> String { text(clock, seenAt: now) }

    /// The same with seconds.
    package func textWithSeconds(seenAt now: Date) -> String { text(clockWithSeconds, seenAt: now) }

    /// For what is read on another day or in another place, like paper: `2026-11-21 10:32 CET`.
    package var textWithZone: String { "\(day) \(clock) \(zone)" }

    private func text(_ clock: String, seenAt now: Date) -> String {
        LocalTime(now).day == day ? clock : "\(day) \(clock)"
    }
}
