/// Spans of time as people write and read them. Every option that takes one reads it so:
///
///     duration = number / 1*( number unit )    ; a number alone is seconds, as curl has it
///     number   = 1*9DIGIT [ "." 1*3DIGIT ]
///     unit     = "w" / "d" / "h" / "m" / "s"   ; each once at most, the larger first
///
/// Accepted: `90`, `90s`, `0.5`, `10m`, `2h`, `7d`, `1h30m`, `1.5h`. Rejected: `-5m`, `10 m`, `10M` (months,
/// perhaps), `10m5`, `5s10m`, `.5`, `1e3`, and more than 2^40 seconds.
extension Duration {
    /// Each unit and its seconds, the largest first.
    private static let units: [(letter: UInt8, seconds: Int)] = [
        (UInt8(ascii: "w"), 604_800), (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600),
        (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
    ]

    /// Reads a span that a person wrote; nil if it is not a span.
    package init?(written text: String) {
        var milliseconds = 0
        var rest = Array(text.utf8)[...]
        // The units that may still come.
        var units = Duration.units[...]
        repeat {
            guard let number = Duration.readNumber(&rest) else { return nil }
            if rest.isEmpty {
                // No unit is good for the only number.
                guard units.count == Duration.units.count else { return nil }
                milliseconds = number
            } else {
                guard let index = units.firstIndex(where: { $0.letter == rest.first }) else { return nil }
                rest.removeFirst()
                // At most 1e12 ms of 604,800 s each, five times: no overflow.
                milliseconds += number * units[index].seconds
                units = units[(index + 1)...]
            }
        } while !rest.isEmpty
        guard milliseconds <= 1000 << 40 else { return nil }
        self = .milliseconds(milliseconds)
    }

    /// Takes a number from the front of `bytes`: in thousandths, below 10^12.
    private static func readNumber(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        func readDigits(atMost limit: Int) -> [Int]? {
            let digits = bytes.prefix { (0x30...0x39).contains($0) }
            guard (1...limit).contains(digits.count) else { return nil }
            bytes = bytes.dropFirst(digits.count)
            return digits.map { Int($0 - 0x30) }
        }
        guard let whole = readDigits(atMost: 9) else { return nil }
        var thousandths: [Int] = []
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            guard let digits = readDigits(atMost: 3) else { return nil }
            thousandths = digits
        }
        thousandths += [Int](repeating: 0, count: 3 - thousandths.count)
        return (whole + thousandths).reduce(0) { $0 * 10 + $1 }
    }

    /// Time that has passed: whole seconds, rounded down, none below 0.
    package init(passed seconds: Double) {
        // Beyond any two dates; a Duration traps on what it cannot hold.
        self = .seconds(Int(max(0, min(seconds, 1e12))))
    }

    /// In seconds.
    package var inSeconds: Double { self / .seconds(1) }

    /// As a person writes it, for examples and defaults: `10m`, `1h30m`, `0.5s`.
    package var written: String {
        guard self > .zero else { return "0s" }
        var seconds = Int(components.seconds)
        var text = ""
        // Days, hours and minutes; seconds come last, with their fraction.
        for (letter, size) in Duration.units.dropFirst().dropLast() where seconds >= size {
            text += "\(seconds / size)\(Character(Unicode.Scalar(letter)))"
            seconds %= size
        }
        let rest = Duration.fraction(of: self)
        return seconds == 0 && rest.isEmpty && !text.isEmpty ? text : "\(text)\(seconds)\(rest)s"
    }

    /// In words: `10 minutes`, `1 hour`, `3 days`, rounded down to its largest unit; `90 seconds`, `0.5
    /// seconds`.
    package var words: String {
        let whole = max(0, Int(components.seconds))
        let (count, unit) =
            switch whole {
            case ..<120: ("\(whole)\(Duration.fraction(of: self))", "second")
            case ..<7200: ("\(whole / 60)", "minute")
            case ..<172_800: ("\(whole / 3600)", "hour")
            default: ("\(whole / 86_400)", "day")
            }
        return "\(count) \(unit)\(count == "1" ? "" : "s")"
    }

    /// As a clock that runs down shows it: `9:58`.
    package var clock: String {
        let seconds = max(0, components.seconds)
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    /// What is left beside whole seconds: `.5`, `.125`; empty if nothing is.
    private static func fraction(of duration: Duration) -> String {
        let thousandths = Int(max(0, duration.components.attoseconds) / 1_000_000_000_000_000)
        guard thousandths > 0 else { return "" }
        let digits = String(1000 + thousandths).dropFirst()
        return "." + String(digits.reversed().drop { $0 == "0" }.reversed())
    }
}
