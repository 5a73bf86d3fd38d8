import Addresses
import Discovery

// When a search is over, and what it may have missed.
extension SearchState {
    /// True if the search is over at `time`, unless the user has set a duration.
    package func isOver(at time: Duration) -> Bool {
        guard !isSweeping else { return false }
        return time >= limit || isQuiet(at: time)
    }

    private func isQuiet(at time: Duration) -> Bool {
        !isUnderWay(at: time) && currentRule(at: time).waits(at: time).isEmpty
    }

    /// True while something was asked whose answer, or failure, is still to come.
    private func isUnderWay(at time: Duration) -> Bool {
        isStale || isSweeping || tasks > 0 || !asking.isEmpty || isReachingSome
            || browses.contains { $0.pending(at: time, isEmpty: outlook.isEmpty) > 0 }
    }

    /// When the times are over that are waited for now; nil if none is.
    package func quietTime(at time: Duration) -> Duration? {
        currentRule(at: time).waits(at: time).map(\.until).max()
    }

    /// When it is over whatever is still under way.
    var limit: Duration {
        if browses.contains(where: \.awaitsNameServers) {
            return min(rule.lastNews + EndRule.domainLimit, EndRule.longestDomainSearch)
        }
        return EndRule.limit + min(rule.stalled, EndRule.maximumStall)
    }

    func currentRule(at time: Duration) -> EndRule {
        var rule = rule
        (rule.isEmpty, rule.isLossy) = (outlook.isEmpty, lossSign != nil)
        rule.hasHints = isBrowsing && listing.hasHints
        rule.isDirect = !isBrowsing && !isProbing
        rule.certainty = certainty
        rule.isUncached = rule.uncachedSince != nil
        if outlook.hasAnnounced, outlook.answersDirectly { rule.uncachedSince = nil }
        return rule
    }

    /// What the table says of the end, looked at once for each table: every step asks for that.
    struct Outlook: Sendable {
        /// Nothing has been found that is looked for.
        var isEmpty = true
        var hasAnnounced = false
        /// Every host on which multicast DNS has found a hub answers one-shot queries: what is not known yet
        /// would have to be different from all of them. Such an answer holds six hubs of a host, so it counts
        /// for all of that host's. A hub on this machine is not asked.
        ///
        /// An answer to a one-shot query is held back by nobody (RFC 6762 § 6.7).
        var answersDirectly = true
        /// All of it is on this machine.
        var isOwn = true
    }

    var newOutlook: Outlook {
        var new = Outlook()
        for row in rows.values {
            let isOwn = isOwn(row)
            if !isOwn { new.isOwn = false }
            if wanted?(row.hub) != false { new.isEmpty = false }
            guard row.hub.sources.contains(.mdns) else { continue }
            new.hasAnnounced = true
            if !isOwn, !directHosts.contains(row.hub.key.host) { new.answersDirectly = false }
        }
        return new
    }

    private var certainty: EndRule.Certainty? {
        func all(_ sign: (SourceProgress) -> Bool) -> Bool {
            isBrowsing && browses.allSatisfy { !$0.isMulticast || $0.isEnded || sign($0.source) }
        }
        // At once.
        if outlook.answersDirectly {
            if all(\.isConfirmed) { return .confirmed }
            if all(\.isPrompt) { return .prompt }
        }
        // Nobody has answered the one-shot queries, and what was found is on this machine, whose services are
        // not asked for so.
        return all(\.isSilent) && outlook.isOwn ? .alone : nil
    }

    func isOwn(_ row: AssessedHub) -> Bool { row.hub.addresses.contains(where: isOwn) }

    func isOwn(_ address: NetworkAddress) -> Bool { networks.contains { $0.address == address } }

    /// Why hubs may be missing if the search ends at `time`; nil if nothing says so.
    func shortcoming(at time: Duration) -> String? {
        if let silence = browses.lazy.compactMap(\.silence).first { return silence }
        guard !watches else { return nil }
        // Until then the repeated question may still be answered.
        let hasRepeated = time >= rule.begun + EndRule.repetition
        let unconfirmed = isBrowsing && hasRepeated ? unconfirmedNames : []
        let isCut = isUnderWay(at: time) && (time >= limit || isSweeping)
        // Half a second of a long search says nothing.
        if rule.isBusy, rule.stalled * 10 >= time,
            isCut || outlook.isEmpty || lossSign != nil || !unconfirmed.isEmpty
        {
            let stalled = Int(rule.stalled / .milliseconds(1))
            return "this machine is busy: hubpair could not run for \(stalled) ms of the search; "
                + "hubs may be missing: try again"
        }
        if isCut { return "the search ended before all had answered; hubs may be missing: try again" }
        // An answer to a direct question holds only so much: the rest of a host's hubs comes by multicast.
        if !unconfirmed.isEmpty {
            return "multicast DNS has not confirmed \(SearchState.names(unconfirmed)), found by a direct "
                + "question; hubs may be missing: 'hubpair doctor' looks for the cause"
        }
        return nil
    }

    /// The hubs that multicast DNS has not confirmed on any interface, in any family.
    private var unconfirmedNames: Set<String> {
        expired.subtracting(rows.values.map(\.hub.name)).union(listing.unconfirmedNames)
    }
}
