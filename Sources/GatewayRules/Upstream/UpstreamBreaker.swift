package import FoundationEssentials

/// Knows whether the upstream answers, and whether to ask it at all: a pure value.
///
/// Who asks a server that hangs waits for nothing. So after a request without an answer the others are told
/// at once, and the hub alone goes on asking, with pauses, until there is an answer. A server that refuses
/// connections says so at once, and everybody may ask it.
package struct UpstreamBreaker: Equatable, Sendable {
    /// Since when, and why, there is no answer.
    package struct Outage: Equatable, Sendable {
        package let since: Date
        package let words: String
        /// False if a request would wait for its answer.
        package fileprivate(set) var isToldAtOnce: Bool

        package init(since: Date, words: String, isToldAtOnce: Bool = false) {
            (self.since, self.words, self.isToldAtOnce) = (since, words, isToldAtOnce)
        }
    }

    /// The pauses between probes in seconds; the last one stays.
    static let pauses: [Double] = [1, 2, 4, 5]

    /// Nil while it answers.
    package private(set) var outage: Outage?
    private var probes = 0

    package init() {}

    /// True if requests of others than the probe are refused.
    package var isOpen: Bool { outage.map { !$0.isToldAtOnce } ?? false }

    /// A request had no answer.
    ///
    /// - Parameter isToldAtOnce: true if the upstream, or the system, has said so at once.
    /// - Returns: true if that is new.
    package mutating func fail(_ words: String, isToldAtOnce: Bool, at now: Date) -> Bool {
        let isNew = outage == nil
        // The beginning stays, whatever comes after it.
        outage = Outage(since: outage?.since ?? now, words: words, isToldAtOnce: isToldAtOnce)
        return isNew
    }

    /// The upstream has answered.
    ///
    /// - Returns: true if that is new.
    package mutating func answer() -> Bool {
        probes = 0
        defer { outage = nil }
        return outage != nil
    }

    /// In how many seconds to probe; nil: there is no reason to.
    package mutating func nextProbe() -> Double? {
        guard outage != nil else { return nil }
        defer { probes += 1 }
        return Self.pauses[min(probes, Self.pauses.count - 1)]
    }
}
