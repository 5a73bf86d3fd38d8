/// When a timed scene runs on its days.
///
///     time  = clock / sun
///     clock = 2DIGIT ":" 2DIGIT                       ; 00:00 to 23:59, by the hub's own time zone
///     sun   = ( "sunrise" / "sunset" ) [ ( "+" / "-" ) 1*3DIGIT ]     ; minutes after or before, up to 720
///
/// Accepted: `07:30`, `sunset`, `sunrise+15`, `sunset-720`. Rejected: `7:30`, `24:00`, `12:60`, `sunset+721`,
/// `sunset +5`, `Sunset`.
package enum SceneTime: Hashable, Sendable, CustomStringConvertible {
    package enum Sun: String, Sendable {
        case rise = "sunrise"
        case set = "sunset"
    }

    /// Minutes since midnight, 0 to 1439.
    case clock(Int)
    /// Minutes after sunrise or sunset; negative: before.
    case sun(Sun, Int)

    /// Beyond half a day it would be another day's.
    package static let maximumShift = 720

    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 5, bytes[2] == UInt8(ascii: ":") {
            guard let hour = SceneTime.number(bytes[0..<2]), let minute = SceneTime.number(bytes[3..<5]),
                hour < 24, minute < 60
            else { return nil }
            self = .clock(hour * 60 + minute)
            return
        }
        guard let sun = [Sun.rise, .set].first(where: { text.utf8.starts(with: $0.rawValue.utf8) }) else {
            return nil
        }
        let rest = bytes[sun.rawValue.utf8.count...]
        guard let sign = rest.first else {
            self = .sun(sun, 0)
            return
        }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), (2...4).contains(rest.count),
            let shift = SceneTime.number(rest.dropFirst()), shift <= SceneTime.maximumShift
        else { return nil }
        self = .sun(sun, sign == UInt8(ascii: "+") ? shift : -shift)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }

    package var description: String {
        switch self {
        case .clock(let minutes):
            let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
            return "\(two(minutes / 60)):\(two(minutes % 60))"
        case .sun(let sun, 0): return sun.rawValue
        case .sun(let sun, let shift): return sun.rawValue + (shift > 0 ? "+\(shift)" : "\(shift)")
        }
    }

    /// True if it needs to be known where the hub is.
    package var needsPlace: Bool { if case .sun = self { true } else { false } }
}

/// On which days of the week a timed scene runs.
///
///     days = day *( SP day )
///     day  = "mon" / "tue" / "wed" / "thu" / "fri" / "sat" / "sun"        ; each at most once
///
/// Accepted: `mon tue`, `sun mon`. Rejected: the empty text, `Mon`, `monday`, `mon,tue`, `mon mon`.
package struct SceneDays: Hashable, Sendable, CustomStringConvertible {
    private static let words = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    package static let all = SceneDays(bits: 0b111_1111)

    private let bits: UInt8

    private init(bits: UInt8) { self.bits = bits }

    package init?(_ text: String) {
        self.init(text.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
    }

    /// Nil if there is no day, an unknown one, or one twice.
    package init?(_ days: [String]) {
        var bits: UInt8 = 0
        for day in days {
            guard let index = SceneDays.words.firstIndex(of: day), bits & 1 << index == 0 else { return nil }
            bits |= 1 << index
        }
        guard bits != 0 else { return nil }
        self.init(bits: bits)
    }

    /// The days' words, from Monday on.
    package var names: [String] {
        SceneDays.words.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element)
    }

    package var description: String { names.joined(separator: " ") }

    /// - Parameter weekday: 0 is Monday, 6 Sunday.
    package func contains(weekday: Int) -> Bool { bits & 1 << weekday != 0 }
}
