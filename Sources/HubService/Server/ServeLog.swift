import FoundationEssentials
import Glibc
import Identity
package import Logging
import NIOCore
import Synchronization

/// What `serve` says, one line an event. What strangers can cause is counted, so that they cannot fill the
/// disk: of each kind 10 lines in 10 minutes, then how many were left out.
package final class ServeLog: Sendable {
    /// Events that anybody on the network may cause.
    enum Kind: Hashable, Sendable {
        /// A request that was refused, by its status.
        case refusal(Int)
        /// A fault of the hub's own: refused strangers must not use up its lines.
        case fault
        /// A pairing that failed.
        case pairing
        /// A connection over the limits.
        case limit
        /// No connection can be taken.
        case accept
        /// A connection that was too slow.
        case slow
        /// TLS that failed.
        case tls
        /// The upstream came or went.
        case upstream
    }

    private static let burst = 10
    private static let period = TimeAmount.minutes(10)

    private struct Count {
        var periodStart: NIODeadline
        var written = 0
        var leftOut = 0
    }

    private let logger: Logger
    private let counts = Mutex<[Kind: Count]>([:])

    package init(_ logger: Logger) { self.logger = logger }

    func notice(_ text: String) { logger.notice("\(text)") }
    func error(_ text: String) { logger.error("\(text)") }
    func debug(_ text: @autoclosure () -> String) { logger.debug("\(text())") }

    /// An event of the owner's own making, which is always written.
    func info(_ text: String) { logger.info("\(text)") }

    /// An event that strangers may cause.
    func warning(_ kind: Kind, _ text: @autoclosure () -> String, now: NIODeadline = .now()) {
        guard logger.logLevel <= .warning else { return }
        let (mayWrite, leftOut) = counts.withLock { counts in
            var count = counts[kind] ?? Count(periodStart: now)
            defer { counts[kind] = count }
            var leftOut = 0
            if now - count.periodStart >= ServeLog.period {
                leftOut = count.leftOut
                count = Count(periodStart: now)
            }
            guard count.written < ServeLog.burst else {
                count.leftOut += 1
                return (false, 0)
            }
            count.written += 1
            return (true, leftOut)
        }
        guard mayWrite else { return }
        if leftOut > 0 { logger.warning("\(leftOut) lines like the next one were left out") }
        logger.warning("\(text())")
    }
}

/// Writes log lines to standard error: `2026-11-21T10:22:03Z info TEXT`, or with a `<6>` in front and without
/// the time where the journal reads (sd-daemon(3)). What could drive a terminal or hides is escaped: names
/// and targets come from the network.
package struct ServeLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let isForJournal: Bool

    package init(level: Logger.Level, isForJournal: Bool) {
        logLevel = level
        self.isForJournal = isForJournal
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let start =
            isForJournal ? "<\(priority(event.level))>" : "\(Date().formatted(.iso8601)) \(event.level) "
        let line = Array((start + SafeText.escaped("\(event.message)") + "\n").utf8)
        // One write(2) a line, so that lines of several threads do not mix. A log that cannot be written is
        // no reason to stop.
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
