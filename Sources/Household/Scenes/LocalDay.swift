import Identity

/// A day of the local calendar, by its number: 0 is 1 January 1970.
package struct LocalDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    /// Reads `2026-11-22`; the years from 1583 on.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Int(digits: text.prefix(4)), let month = Int(digits: text.dropFirst(5).prefix(2)),
            let day = Int(digits: text.dropFirst(8)), year >= 1583
        else { return nil }
        number = LocalDay.number(year, month, day)
        // 30 February would be a day in March.
        guard description == text else { return nil }
    }

    /// 0 is Monday, 6 Sunday.
    package var weekday: Int { ((number + 3) % 7 + 7) % 7 }

    /// `2026-11-22`.
    package var description: String {
        // The reverse of `number`: eras of 400 years begin on 1 March.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// The number of a day of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", `days_from_civil`).
    private static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func < (one: LocalDay, other: LocalDay) -> Bool { one.number < other.number }

    func adding(_ days: Int) -> LocalDay { LocalDay(number + days) }
}

/// A time zone: how far its clocks are ahead of UTC at each time.
package struct LocalZone: Sendable {
    /// Beyond what any zone is ahead or behind, in seconds.
    private static let farthest = 26 * 3600

    /// Seconds ahead of UTC at a time in seconds since 1970.
    private let offset: @Sendable (Int) -> Int

    package init(offset: @escaping @Sendable (_ time: Int) -> Int) { self.offset = offset }

    /// The day that its calendars show.
    package func day(at time: Int) -> LocalDay {
        let local = time + offset(time)
        return LocalDay(local >= 0 ? local / 86_400 : -((86_399 - local) / 86_400))
    }

    /// When its clocks show a time of a day, in seconds since 1970.
    ///
    /// Of a time that comes twice, since the clock is set back, the first. Of one that does not come, since
    /// the clock jumps over it, the moment when it jumps.
    ///
    /// - Parameter minutes: since midnight, 0 to 1439.
    package func time(of minutes: Int, on day: LocalDay) -> Int {
        let local = day.number * 86_400 + minutes * 60
        let offsets = [offset(local - LocalZone.farthest), offset(local + LocalZone.farthest)]
        let times = offsets.map { local - $0 }
        if let first = times.filter({ offset($0) == local - $0 }).min() { return first }
        // The clock jumps between the two, from the offset before to the one after.
        var (early, late) = (min(times[0], times[1]), max(times[0], times[1]))
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if offset(middle) == offsets[0] { early = middle } else { late = middle }
        }
        return late
    }
}
