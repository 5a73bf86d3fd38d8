import Addresses
import Discovery

// When a search is over, and what it may have missed.
extension HubSearch {
    /// True if the search is over at `time`, unless the user has set a duration.
    package func isOver(at time: Duration) -> Bool {
        guard !isSweeping else { return false }
        return time >= limit || isQuiet(at: time)
    }

    private func isQuiet(at time: Duration) -> Bool {
        tasks == 0 && asking.isEmpty
            && !browses.contains { $0.pending(at: time, isEmpty: isEmpty) > 0 }
            && currentRule(at: time).waits(at: time).isEmpty
    }

    /// When the times are over that are waited for now; nil if none is.
    package func quietTime(at time: Duration) -> Duration? {
        currentRule(at: time).waits(at: time).map(\.until).max()
    }

    var isEmpty: Bool { rows.isEmpty }

    /// When it is over whatever is still under way.
    var limit: Duration {
        if browses.contains(where: \.awaitsNameServers) { return QuietRule.domainLimit }
        return QuietRule.limit + min(rule.stalled, QuietRule.maximumStall)
    }

    /// The rule with all that is known at `time`.
    func currentRule(at time: Duration) -> QuietRule {
        var rule = rule
        rule.isEmpty = rows.isEmpty
        rule.hasHints = isBrowsing && listing.hasHints
        rule.isDirect = !isBrowsing && !isProbing
        rule.isPrompt = isPrompt
        rule.isAlone = isAlone
        return rule
    }

    /// True if every hub that multicast DNS has found answers one-shot queries at once: what is not known yet
    /// would have to be different from all of them. A hub on this machine is not asked.
    private var isPrompt: Bool {
        isBrowsing && browses.allSatisfy { !$0.isMulticast || $0.isEnded || $0.isPrompt }
            && rows.values.allSatisfy { row in
                !row.hub.sources.contains(.mdns) || hinted.contains(row.hub.key.name) || isOwn(row)
            }
    }

    /// True if nobody has answered the one-shot queries, and what was found is on this machine, whose
    /// services are not asked for so: there is no sign of any other hub.
    private var isAlone: Bool {
        isBrowsing && browses.allSatisfy { !$0.isMulticast || $0.isEnded || $0.isSilent }
            && rows.values.allSatisfy(isOwn)
    }

    func isOwn(_ row: AssessedHub) -> Bool { row.hub.addresses.contains(where: isOwn) }

    func isOwn(_ address: NetworkAddress) -> Bool { networks.contains { $0.address == address } }

    /// Why hubs may be missing if the search ends at `time`; nil if nothing says so.
    func shortcoming(at time: Duration) -> String? {
        if let browse = browses.first(where: \.isUnanswered) { return browse.silence }
        guard !watches else { return nil }
        let missing = "hubs may be missing"
        let more = "\(missing); a longer --timeout may find them"
        if rule.isBusy, !isQuiet(at: time) || rule.isLossy || listing.hasHints {
            return "this machine is busy and did not let the search listen for "
                + "\(Int(rule.stalled / .milliseconds(1))) ms of its time: \(more)"
        }
        if time >= limit, !isQuiet(at: time) {
            return "the search ended before all had answered: \(more)"
        }
        // An answer to a direct question holds only so much: the rest of a host's hubs comes by multicast.
        if time >= QuietRule.repetition, isBrowsing, listing.hasHints {
            return "multicast DNS has not confirmed \(HubSearch.names(listing.hintedNames)), found by a "
                + "direct question: \(missing); 'hubpair doctor' looks for the cause"
        }
        return nil
    }
}
