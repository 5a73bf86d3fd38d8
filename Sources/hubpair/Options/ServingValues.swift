import Addresses
import ArgumentParser
import HubService
import Identity
import Logging

/// A number of bytes as a person writes it, in powers of 1024, at most 1,024 g.
///
///     size = 1*12DIGIT [ "k" / "m" / "g" ]
///
/// Accepted: `4096`, `500k`, `32M`. Rejected: `32MB`, `-1`, `0`, `1.5g`, `1025g`.
struct ByteCount: Equatable, CustomStringConvertible {
    let count: Int

    init(_ count: Int) { self.count = count }

    init?(argument: String) {
        let shifts: [Character: Int] = ["k": 10, "m": 20, "g": 30]
        let unit = argument.last.flatMap { shifts[Character($0.lowercased())] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard digits.utf8.count <= 12, let number = Int(digits: digits), number > 0,
            number <= (1 << 40) >> (unit ?? 0)
        else { return nil }
        count = number << (unit ?? 0)
    }

    var description: String { count % (1 << 20) == 0 ? "\(count >> 20)m" : "\(count)" }
}

/// How many connections there may be at a time: `512`, `512/16`; for a relay also `10000/32/512`.
struct ConnectionCounts: Equatable {
    private(set) var all = 512
    private(set) var perSource = 16
    /// Nil: not said.
    private(set) var perHub: Int?

    init() {}

    /// - Parameter most: how many numbers there may be.
    init?(argument: String, most: Int = 2) {
        let texts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = texts.compactMap { Int(digits: $0) }.filter { (1...100_000).contains($0) }
        guard (1...most).contains(numbers.count), numbers.count == texts.count else { return nil }
        all = numbers[0]
        if numbers.count > 1 { perSource = numbers[1] }
        if numbers.count > 2 { perHub = numbers[2] }
    }
}

/// What a server writes to its log, and how.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What to log. (default: info)", valueName: "level"))
    var logLevel: LogLevel?

    @Option(help: ArgumentHelp("text, or json for programs. (default: text)", valueName: "format"))
    var logFormat: ServeLogFormat?

    func log(_ label: String) -> ServeLog {
        ServeLog(label: label, level: (logLevel ?? .info).level, format: logFormat ?? .text)
    }

    /// The same for `hubpair-house`.
    var words: [String] {
        ["--log-level", (logLevel ?? .info).level.rawValue, "--log-format", (logFormat ?? .text).rawValue]
    }
}

extension ServeLogFormat: ExpressibleByArgument {}

enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case debug, info, warning, error

    var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
