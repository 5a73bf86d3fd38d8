import Addresses
import Discovery

/// One thing that a search waits for before it ends.
package struct SearchWait: Hashable, Sendable {
    /// Completes a sentence that begins with "waits for".
    package let subject: String
    /// What the subject is about: names, mostly; they may be from the network.
    package let detail: String?
    /// When it is over at the latest, since the start; nil: when an answer or a failure comes, or at the end
    /// of the search.
    package let until: Duration?

    init(_ subject: String, _ detail: String? = nil, until: Duration? = nil) {
        (self.subject, self.detail, self.until) = (subject, detail, until)
    }

    package var what: String { subject + (detail.map { ": \($0)" } ?? "") }
}

extension SearchState {
    /// The most names that one wait gives.
    private static let maximumNames = 3

    /// What the search waits for at `time`; empty if it is over.
    package func waits(at time: Duration) -> [SearchWait] {
        if !isSweeping, time >= limit { return [] }
        var waits = browses.compactMap { $0.wait(at: time, isEmpty: outlook.isEmpty) }
        if isSweeping { waits.append(SearchWait("the rest of the addresses of --scan")) }
        if tasks > 0 { waits.append(SearchWait("the last addresses of known hubs", "\(tasks)")) }
        if !asking.isEmpty {
            waits.append(SearchWait("the keys of hubs", SearchState.names(asking.map { "\($0)" })))
        }
        let silent = rows.values.filter(isReaching).map(\.hub.name)
        if !silent.isEmpty {
            waits.append(SearchWait("hubs to accept a connection", SearchState.names(Set(silent))))
        }
        return waits
            + currentRule(at: time).waits(at: time).map { wait, until in
                SearchWait(wait.rawValue, detail(of: wait), until: until)
            }
    }

    private func detail(of wait: EndRule.Wait) -> String? {
        switch wait {
        case .firstAnswers:
            ownFamilies.count > 1 ? "IPv4 and IPv6" : ownFamilies.contains(.ipv4) ? "IPv4" : "IPv6"
        case .repetition: lossSign
        case .confirmation: SearchState.names(listing.hintedNames)
        case .quiet: lastName
        case .something, .uncached: nil
        }
    }

    static func names(_ all: some Collection<String>) -> String {
        let few = all.sorted().prefix(maximumNames).joined(separator: ", ")
        return all.count > maximumNames ? "\(few) and \(all.count - maximumNames) more" : few
    }
}
