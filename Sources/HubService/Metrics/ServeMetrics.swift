import NIOCore
import Synchronization

/// What the hub has done since it began, in numbers for operators. No name of a device or a person is in it.
final class ServeMetrics: Sendable {
    /// Who has made an answer.
    enum Answerer: Hashable, Sendable {
        /// The hub itself, its house with it.
        case hub
        /// The server behind it.
        case upstream
        /// A web service, by its name.
        case service(String)

        var label: String {
            switch self {
            case .hub: "hub"
            case .upstream: "upstream"
            case .service(let name): "service:\(name)"
            }
        }
    }

    private struct Outcome: Hashable {
        let by: Answerer
        let status: Int
    }

    private struct Counts {
        var answers: [Outcome: UInt64] = [:]
        var times: [Answerer: TimeHistogram] = [:]
        var refusals: [String: UInt64] = [:]
        var pairings: [String: UInt64] = [:]
    }

    private let counts = Mutex(Counts())

    /// The head of an answer is on its way.
    ///
    /// - Parameter began: when the head of its request had come; nil if that cannot be said.
    func note(status: Int, by answerer: Answerer, since began: NIODeadline?) {
        let seconds = began.map { Double((NIODeadline.now() - $0).nanoseconds) / 1e9 }
        counts.withLock { counts in
            // An upstream may answer with any three digits: no more rows than there are of them.
            counts.answers[Outcome(by: answerer, status: status), default: 0] += 1
            if let seconds { counts.times[answerer, default: TimeHistogram()].add(seconds) }
        }
    }

    /// - Parameter word: the answer's `error`, one of a few.
    func noteRefusal(_ word: String) { counts.withLock { $0.refusals[word, default: 0] += 1 } }

    /// - Parameter result: what the answer says: a status or an error.
    func notePairing(_ result: String) { counts.withLock { $0.pairings[result, default: 0] += 1 } }

    /// Adds the rows of what has been counted.
    func write(to text: inout PrometheusText) {
        let counts = counts.withLock { $0 }
        text.add(
            "hubpair_requests_total", .counter, "Answers that have begun, by who made them and their status.",
            counts.answers.map { ([("by", $0.by.label), ("code", "\($0.status)")], Double($1)) })
        text.add(
            "hubpair_request_duration_seconds",
            "Seconds from the head of a request to the head of its answer.",
            counts.times.map { ([("by", $0.label)], $1) })
        text.add(
            "hubpair_refusals_total", .counter, "Refused requests, by the error that the answer names.",
            counts.refusals.map { ([("reason", $0)], Double($1)) })
        text.add(
            "hubpair_pairings_total", .counter,
            "Answers to devices that asked to be let in, by their result.",
            counts.pairings.map { ([("result", $0)], Double($1)) })
    }
}

/// How long something took, in buckets.
struct TimeHistogram: Equatable, Sendable {
    /// Upper ends in seconds: what a lamp, a person and a time-out take.
    static let bounds = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30]

    /// For each bound the times up to it that no smaller one has; behind them those above all.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    private(set) var sum = 0.0

    mutating func add(_ seconds: Double) {
        counts[TimeHistogram.bounds.firstIndex { seconds <= $0 } ?? TimeHistogram.bounds.count] += 1
        sum += seconds
    }
}
