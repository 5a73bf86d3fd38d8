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

    /// The subject and what it is about.
    package var what: String { subject + (detail.map { ": \($0)" } ?? "") }
}

extension SearchState {
    /// The most names that one wait gives.
    private static let maximumNames = 3

    /// What the search waits for at `time`; empty if it is over.
    package func waits(at time: Duration) -> [SearchWait] {
        if !isSweeping, time >= limit { return [] }
        var waits = browses.compactMap { $0.wait(at: time, isEmpty: isEmpty) }
        if isSweeping { waits.append(SearchWait("the rest of the addresses of --scan")) }
        if tasks > 0 { waits.append(SearchWait("the last addresses of known hubs", "\(tasks)")) }
        if !asking.isEmpty {
            waits.append(SearchWait("the keys of hubs", SearchState.names(asking.map { "\($0)" })))
        }
        let silent = rows.values.filter(isReaching).map(\.hub.name)
        if !silent.isEmpty {
            waits.append(SearchWait("hubs to accept a connection", SearchState.names(Set(silent))))
        }
        return waits + currentRule(at: time).waits(at: time).map { self.wait($0.wait, until: $0.until) }
    }

    private func wait(_ wait: EndRule.Wait, until: Duration) -> SearchWait {
        let repetition = "the answer to the repeated question (RFC 6762 § 5.2), as"
        return switch wait {
        case .firstAnswers:
            SearchWait(
                "the first answers, which responders delay by up to 120 ms (RFC 6762 § 6)", families,
                until: until)
        case .repetition: SearchWait("\(repetition) a packet was lost", lossSign, until: until)
        case .something: SearchWait("\(repetition) there is no hub yet", until: until)
        case .uncached:
            SearchWait(
                "answers that responders hold back, since others have just had them (RFC 6762 § 6) and no "
                    + "avahi-daemon has heard those", until: until)
        case .confirmation:
            SearchWait(
                "multicast DNS to confirm what one host alone has said",
                SearchState.names(listing.hintedNames), until: until)
        case .quiet: SearchWait("what may follow the last news", lastName, until: until)
        }
    }

    /// `IPv4 and IPv6`, as far as this machine has networks of them.
    private var families: String {
        let own = Set(networks.filter { !$0.address.isLoopback }.map(\.address.family))
        return own.count == 1 ? (own.contains(.ipv4) ? "IPv4" : "IPv6") : "IPv4 and IPv6"
    }

    static func names(_ all: some Collection<String>) -> String {
        let few = all.sorted().prefix(maximumNames).joined(separator: ", ")
        return all.count > maximumNames ? "\(few) and \(all.count - maximumNames) more" : few
    }
}
