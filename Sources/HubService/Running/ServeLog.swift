import FoundationEssentials
import Glibc
import Identity
import JSON
package import Logging
package import NIOCore
import Synchronization

/// The log of `serve`, one line per event. Events that strangers can cause are limited, so that they cannot
/// fill the disk: 10 lines of each kind in 10 minutes, then the number of suppressed lines.
package final class ServeLog: Sendable {
    /// Events that anyone on the network can cause.
    package enum Kind: Hashable, Sendable {
        /// A refused request, by its status.
        case refusal(Int)
        /// A fault of the hub itself, separate so that refused requests cannot use up its lines.
        case fault
        /// A failed pairing.
        case pairing
        /// A connection over the limits.
        case limit
        /// A connection could not be accepted.
        case accept
        /// A connection closed for being too slow.
        case slow
        /// A failed TLS handshake.
        case tls
        /// The upstream became reachable or unreachable.
        case upstream
        /// The household became reachable or unreachable.
        case house
        /// Another machine with this hub's key.
        case twin

        /// The word in figures and in JSON.
        var word: String {
            switch self {
            case .refusal: "refusal"
            case .fault: "fault"
            case .pairing: "pairing"
            case .limit: "limit"
            case .accept: "accept"
            case .slow: "slow"
            case .tls: "tls"
            case .upstream: "upstream"
            case .house: "house"
            case .twin: "twin"
            }
        }
    }

    private static let burst = 10
    private static let period = TimeAmount.minutes(10)

    private struct Count {
        var periodStart: NIODeadline
        var written = 0
        var leftOut = 0
        /// Of all periods.
        var all: UInt64 = 0
    }

    private let logger: Logger
    private let counts = Mutex<[Kind: Count]>([:])

    package init(_ logger: Logger) { self.logger = logger }

    /// To standard error, as a terminal, the journal, or a program wants it.
    package convenience init(label: String, level: Logger.Level, format: ServeLogFormat = .text) {
        let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        let isForJournal = ServiceManager.isJournal(STDERR_FILENO, stream: stream)
        self.init(
            Logger(label: label) { _ in
                ServeLogHandler(level: level, format: format, isForJournal: isForJournal)
            })
    }

    /// How often each kind of event was warned of, by its word.
    var totals: [String: UInt64] {
        counts.withLock { Dictionary($0.map { ($0.word, $1.all) }, uniquingKeysWith: +) }
    }

    package func notice(_ text: String) { logger.notice("\(text)") }
    package func error(_ text: String) { logger.error("\(text)") }
    /// Root's `serve` becomes this user.
    package func runs(as user: String) { info("runs as the user \(user), whose files these are") }
    package func debug(_ text: @autoclosure () -> String) { logger.debug("\(text())") }

    /// Logs an event that strangers cannot cause, without a limit.
    package func info(_ text: String) { logger.info("\(text)") }

    /// Logs an event that strangers can cause, with the limit.
    package func warning(_ kind: Kind, _ text: @autoclosure () -> String, now: NIODeadline = .now()) {
        let (mayWrite, leftOut) = counts.withLock { counts in
            var count = counts[kind] ?? Count(periodStart: now)
            count.all += 1
            defer { counts[kind] = count }
            var leftOut = 0
            if now - count.periodStart >= ServeLog.period {
                leftOut = count.leftOut
                count = Count(periodStart: now, all: count.all)
            }
            guard count.written < ServeLog.burst else {
                count.leftOut += 1
                return (false, 0)
            }
            count.written += 1
            return (true, leftOut)
        }
        guard mayWrite, logger.logLevel <= .warning else { return }
        let event: Logger.Metadata = ["event": "\(kind.word)"]
        if leftOut > 0 {
            logger.warning("\(leftOut) lines like the next one were left out", metadata: event)
        }
        logger.warning("\(text())", metadata: event)
    }
}

package enum ServeLogFormat: String, Sendable, CaseIterable {
    case text
    /// One object a line: `time`, `level`, `text`, and for what is warned of `event`, its kind.
    case json
}

/// Writes log lines to standard error: `2026-11-21T10:22:03Z info TEXT`, or for the journal with a prefix
/// such as `<6>` and without the time (sd-daemon(3)). Control and invisible characters are escaped, because
/// names and targets come from the network.
package struct ServeLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let format: ServeLogFormat
    private let isForJournal: Bool

    package init(level: Logger.Level, format: ServeLogFormat = .text, isForJournal: Bool) {
        logLevel = level
        (self.format, self.isForJournal) = (format, isForJournal)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let prefix = isForJournal ? "<\(priority(event.level))>" : ""
        var line: [UInt8]
        switch format {
        case .text:
            let start = isForJournal ? prefix : "\(Date().timestamp) \(event.level) "
            line = Array((start + SafeText.escaped("\(event.message)")).utf8)
        case .json:
            line = Array(prefix.utf8)
            var fields: [String: JSONValue] = [
                "time": .string(Date().timestamp), "level": .string(event.level.rawValue),
                "text": .string(SafeText.escaped("\(event.message)")),
            ]
            if let kind = event.metadata?["event"] { fields["event"] = .string("\(kind)") }
            JSONValue.object(fields).write(to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        // One write(2) per line, so that lines of several threads do not mix. A write error is ignored.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
