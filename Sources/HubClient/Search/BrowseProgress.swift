package import Discovery

extension SearchState {
    package enum Browse: Hashable, Sendable {
        case multicast(ServiceType)
        case domain(SearchDomain)
    }
}

/// How far one browse is. A pure value, like the search that holds it.
struct BrowseProgress: Sendable {
    let browse: SearchState.Browse
    private(set) var source = SourceProgress()
    private var interrupted: Duration?
    /// It brings what it heard itself until then, or what name servers say.
    private var isSettling = false
    private(set) var isEnded = false

    init(_ browse: SearchState.Browse) {
        self.browse = browse
        if case .domain = browse { isSettling = true }
    }

    /// True if name servers have not answered all questions yet.
    var awaitsNameServers: Bool { !isMulticast && !isEnded && !source.hasSettled }

    var isMulticast: Bool { if case .multicast = browse { true } else { false } }

    mutating func take(_ new: SourceProgress, at time: Duration) {
        if new.interruption == nil {
            interrupted = nil
        } else if source.interruption == nil {
            interrupted = time
        }
        if new.hasSettled { isSettling = false }
        source = new
    }

    /// It has failed, and brings nothing more.
    mutating func end() {
        isEnded = true
        source.pendingCount = 0
    }

    /// A stack without a daemon goes on.
    mutating func becomeEmbedded() { (isSettling, interrupted) = (!source.hasSettled, nil) }

    /// How many answers are still to come. An empty result is reported only after no more are expected.
    func pending(at time: Duration, isEmpty: Bool) -> Int {
        guard !isEnded else { return 0 }
        let count = source.pendingCount
        if let interrupted { return count + (time - interrupted < EndRule.comeback ? 1 : 0) }
        let isBeginning = !source.hasBegun && !(source.isHanging && !isEmpty)
        return count + (isBeginning || isSettling || isEmpty && !source.hasSettled ? 1 : 0)
    }

    func wait(at time: Duration, isEmpty: Bool) -> SearchWait? {
        guard pending(at: time, isEmpty: isEmpty) > 0 else { return nil }
        switch browse {
        case .domain(let domain):
            return SearchWait("answers of the name servers", "\(domain)")
        case .multicast(let type):
            if let interrupted {
                return SearchWait(
                    "avahi-daemon to come back", until: interrupted + EndRule.comeback)
            }
            if !source.hasBegun {
                return SearchWait("avahi-daemon to take the question", "\(type)")
            }
            if source.pendingCount > 0 {
                return SearchWait(
                    "the addresses of hubs that are announced", "\(type), \(source.pendingCount)")
            }
            return SearchWait("avahi-daemon to end its first questions", "\(type)")
        }
    }

    /// What is to be said where it was asked and never answered.
    var silence: String? {
        switch browse {
        case .multicast where !isEnded && !source.hasBegun:
            "avahi-daemon does not answer; hubs may be missing"
        case .domain(let domain) where awaitsNameServers:
            "the name servers have not answered all questions about \(domain); hubs may be missing"
        default: nil
        }
    }
}
