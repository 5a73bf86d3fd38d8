package import Discovery

extension SearchState {
    /// What is browsed for hubs.
    package enum Browse: Hashable, Sendable {
        /// A service type, over multicast DNS.
        case multicast(ServiceType)
        /// A domain, at its name servers.
        case domain(SearchDomain)
    }
}

/// How far one browse is. A pure value, like the search that holds it.
struct BrowseProgress: Sendable {
    /// How long a search waits for a daemon to come back.
    private static let patience = Duration.seconds(3)

    let browse: SearchState.Browse
    private var resolving = 0
    private var interrupted: Duration?
    private var isBeginning = true
    /// It has not begun for so long that it is waited for only while there is nothing else.
    private var isHanging = false
    private var isSettling = false
    private var hasSettled = false
    private(set) var isEnded = false
    private(set) var isPrompt = false
    private(set) var isConfirmed = false
    private(set) var isSilent = false

    init(_ browse: SearchState.Browse) {
        self.browse = browse
        if case .domain = browse { isSettling = true }
    }

    /// True if name servers have not answered all questions yet.
    var awaitsNameServers: Bool { !isMulticast && !isEnded && !hasSettled }

    var isMulticast: Bool { if case .multicast = browse { true } else { false } }

    mutating func take(_ sighting: Sighting, at time: Duration) {
        switch sighting {
        case .pending(let count): resolving = count
        case .began: isBeginning = false
        case .hanging: isHanging = true
        case .settled: (isSettling, hasSettled) = (false, true)
        case .prompt: isPrompt = true
        case .confirmed: isConfirmed = true
        case .silent: isSilent = true
        case .hinted: isSilent = false
        case .lossy: (isPrompt, isConfirmed) = (false, false)
        case .interrupted:
            (interrupted, resolving) = (time, 0)
            (isPrompt, isConfirmed, isSilent) = (false, false, false)
        case .resumed: interrupted = nil
        default: break
        }
    }

    /// It has failed, and brings nothing more.
    mutating func end() { (isEnded, resolving) = (true, 0) }

    /// A stack without a daemon goes on.
    mutating func becomeEmbedded() { (isSettling, interrupted) = (true, nil) }

    /// How many answers are still to come. An empty result is reported only after no more are expected.
    func pending(at time: Duration, isEmpty: Bool) -> Int {
        guard !isEnded else { return 0 }
        if let interrupted { return resolving + (time - interrupted < BrowseProgress.patience ? 1 : 0) }
        return resolving
            + (isBeginning && !(isHanging && !isEmpty) || isSettling || isEmpty && !hasSettled ? 1 : 0)
    }

    /// What it waits for; nil if nothing is under way.
    func wait(at time: Duration, isEmpty: Bool) -> SearchWait? {
        guard pending(at: time, isEmpty: isEmpty) > 0 else { return nil }
        switch browse {
        case .domain(let domain):
            return SearchWait("answers of the name servers", "\(domain), \(resolving)")
        case .multicast(let type):
            if let interrupted {
                return SearchWait(
                    "avahi-daemon to come back", until: interrupted + BrowseProgress.patience)
            }
            if isBeginning {
                return SearchWait("avahi-daemon to take the question", "\(type)")
            }
            if resolving > 0 {
                return SearchWait("the addresses of hubs that are announced", "\(type), \(resolving)")
            }
            return SearchWait("avahi-daemon to end its first questions", "\(type)")
        }
    }

    /// True if it was asked and never answered.
    var isUnanswered: Bool { isMulticast ? !isEnded && isBeginning : awaitsNameServers }

    /// What that means.
    var silence: String {
        switch browse {
        case .multicast: "avahi-daemon does not answer; hubs may be missing"
        case .domain(let domain):
            "the name servers have not answered all questions about \(domain); hubs may be missing"
        }
    }
}
