/// The bookkeeping of one browse: which instances there are, which of them are asked for an address and which
/// wait for their turn, what a one-shot query has hinted at, and when the browse has settled.
///
/// A pure value: what an mDNS stack says comes in, with the time; steps come out, to be carried out one
/// after the other.
struct BrowseBook: Sendable {
    enum Step: Hashable, Sendable {
        case say(Sighting)
        case ask(ServiceInstance, domain: [UInt8])
        /// The question for this instance is over.
        case free(ServiceInstance)
    }

    private struct Question {
        let domain: [UInt8]
        let deadline: ContinuousClock.Instant
        /// It has its answer. It is kept only to hear of changes, and gives way to one that has none.
        var isAnswered = false
        /// Reported as timed out. avahi goes on asking for some seconds; a late answer still counts.
        var isLate = false

        var isAwaited: Bool { !isAnswered && !isLate }
    }

    /// The most instances. The threat is one host that announces thousands.
    static let maximumInstances = 16_384
    /// The most hints from one host in a family, and in all: no home hub sends more. One more than a table
    /// takes, so that the flood is named.
    static let maximumHintsPerHost = HubListing.maximumServicesPerAddress + 1
    static let maximumHints = 4_096

    /// Who follows asks again so long after a failure: avahi tells of the service only once, and its host may
    /// have been out of reach for a moment.
    static let rest = Duration.seconds(60)

    /// From so many questions on that are not answered yet, no instance is asked for on a second way.
    private static let firstQuestions = 32

    /// The domain of what is multicast.
    private static let local = Array("local".utf8)

    private let follows: Bool
    private let patience: Duration
    private let maximumQuestions: Int

    private var steps = Queue<Step>()
    private var instances = Seniority<ServiceInstance>()
    // How many of them bear each name.
    private var names: [[UInt8]: Int] = [:]
    // Seen before the stack went away, and not again since.
    private var stale: Set<ServiceInstance> = []
    private var waiting = Queue<(instance: ServiceInstance, domain: [UInt8])>()
    // Seen before on another interface or in the other family: their names are asked for already.
    private var waitingAgain = Queue<(instance: ServiceInstance, domain: [UInt8])>()
    private var secondWays = SecondWays()
    private var questions: [ServiceInstance: Question] = [:]
    // Those whose question has failed, and when they are asked for again.
    private var resting: [ServiceInstance: (domain: [UInt8], end: ContinuousClock.Instant)] = [:]
    // Those that wait, and those whose question is neither answered nor late.
    private var unanswered: Set<ServiceInstance> = []
    // Multicast by a host, with less than a hint, and not yet seen by the stack: until when it is waited for.
    private var heard: [ServiceInstance: ContinuousClock.Instant] = [:]
    private var hints: [ServiceInstance: ResolvedService] = [:]
    // In each family by itself: a message brings what it completes in both.
    private var hintCounts: [NetworkAddress.Family: [NetworkAddress: Int]] = [:]
    private var mayAsk: Bool
    private var isAlone = false
    private var isAllForNow = false
    /// What the browse says of itself: each change is said.
    var progress = SourceProgress() {
        didSet { if progress != oldValue { say(.quiet(progress)) } }
    }

    /// - Parameters:
    ///   - follows: questions stay open after their answer, to hear of changes.
    ///   - patience: how long an answer may take before it counts as late.
    ///   - maximumQuestions: the most at a time; the rest waits, first come first served.
    ///   - awaitsHints: nothing is asked before ``hintsAreIn(at:)``.
    init(follows: Bool, patience: Duration, maximumQuestions: Int, awaitsHints: Bool) {
        (self.follows, self.patience, self.maximumQuestions) = (follows, patience, maximumQuestions)
        mayAsk = !awaitsHints
    }

    mutating func nextStep() -> Step? { steps.next() }

    /// When ``expire(at:)`` has something to do.
    var nextDeadline: ContinuousClock.Instant? {
        let questions = questions.values.lazy.filter(\.isAwaited).map(\.deadline).min()
        let rests = resting.values.lazy.map(\.end).min()
        return [questions, heard.values.min(), rests].compactMap { $0 }.min()
    }

    mutating func announce(
        _ instance: ServiceInstance, domain: [UInt8], at now: ContinuousClock.Instant
    ) {
        if stale.remove(instance) == nil {
            guard !instances.keys.contains(instance) else { return }
            if instances.count >= BrowseBook.maximumInstances {
                progress.isFlooded = true
                // A list ends soon. Who follows must not go deaf.
                guard follows, let oldest = instances.removeOldest() else { return settle() }
                end(oldest, at: now)
            }
            instances.insert(instance)
            names[instance.nameBytes, default: 0] += 1
        }
        heard[instance] = nil
        if let service = hints[instance] {
            say(.found(service, by: .announced))
            // Without a stack there is nobody to ask.
            guard follows, !isAlone else { return }
        } else {
            setUnanswered(instance, true)
        }
        // Every hub once, before any of them on a second way: 200 hubs take 400 answers of the stack, and
        // each can be used with the first of its two.
        if names[instance.nameBytes, default: 0] > 1 {
            waitingAgain.append((instance, domain))
        } else {
            waiting.append((instance, domain))
        }
        ask(at: now)
    }

    /// How many entries it holds of all kinds: what grows without a bound would be seen here.
    var entryCount: Int {
        instances.entryCount + names.count + stale.count + waiting.count + waitingAgain.count
            + questions.count + resting.count + unanswered.count + heard.count + hints.count
            + hintCounts.values.reduce(0) { $0 + $1.count }
    }

    /// A host has multicast `instance`, which the stack will see, too. With a hint that is as good; without
    /// one, only the stack is asked for its address, and only once it has seen it: it may be busy.
    mutating func hear(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
        guard !instances.keys.contains(instance) else { return }
        if hints[instance] != nil { return announce(instance, domain: BrowseBook.local, at: now) }
        // What is seen elsewhere is not waited for: the stack need not use all networks.
        guard names[instance.nameBytes] == nil, heard[instance] == nil,
            heard.count < BrowseBook.maximumHints
        else { return }
        heard[instance] = now + patience
        setUnanswered(instance, true)
    }

    mutating func remove(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
        if instances.remove(instance) { end(instance, at: now) }
    }

    private mutating func end(_ instance: ServiceInstance, at now: ContinuousClock.Instant) {
        stale.remove(instance)
        resting[instance] = nil
        names[instance.nameBytes] = names[instance.nameBytes].flatMap { $0 > 1 ? $0 - 1 : nil }
        let hint = hints.removeValue(forKey: instance)
        finish(instance)
        if progress.unresolved?.instance == instance { progress.unresolved = nil }
        say(.gone(.service(instance)))
        for (other, domain) in secondWays.forget(instance.nameBytes) where instances.keys.contains(other) {
            setUnanswered(other, true)
            waiting.append((other, domain))
        }
        // Most likely a record has expired whose host has just answered: it was told that its record is
        // known, and has not said it again. A hub that says goodbye is waited for in vain. Who follows wants
        // to hear of goodbyes at once.
        if !follows, let hint {
            hints[instance] = hint
            say(.found(hint, by: .heard))
        }
        ask(at: now)
    }

    func names(on interface: NetworkInterface, _ family: NetworkAddress.Family) -> [[UInt8]] {
        instances.keys.filter { $0.interface == interface && $0.family == family && !stale.contains($0) }
            .map(\.nameBytes)
    }

    /// The names of the services that the stack sees, on any interface, in either family.
    var knownNames: some Collection<[UInt8]> { names.keys }

    /// True if the stack sees every service that was hinted at, on any interface, in either family.
    var knowsAllHints: Bool { hints.keys.allSatisfy { names[$0.nameBytes] != nil } }

    /// True if so many services have no address yet that asking for all of them takes a while.
    var awaitsMany: Bool { unanswered.count > BrowseBook.firstQuestions }

    mutating func allForNow() {
        isAllForNow = true
        settle()
    }

    mutating func answer(_ service: ResolvedService, at now: ContinuousClock.Instant) {
        let instance = service.instance
        guard questions[instance] != nil else { return }
        // A hint is as old as the answer to the next question.
        hints[instance] = nil
        questions[instance]?.isAnswered = true
        setUnanswered(instance, false)
        if !follows {
            finish(instance)
            secondWays.noteAnswer(service)
        }
        say(.found(service, by: .announced))
        ask(at: now)
    }

    mutating func fail(_ instance: ServiceInstance, _ error: ResolveError, at now: ContinuousClock.Instant) {
        guard let question = questions[instance] else { return }
        finish(instance)
        if follows { resting[instance] = (question.domain, now + BrowseBook.rest) }
        // A failure that was reported as timed out needs no second report.
        if question.isAwaited, hints[instance] == nil { progress.unresolved = .init(instance, error) }
        ask(at: now)
    }

    mutating func expire(at now: ContinuousClock.Instant) {
        for (instance, question) in questions where question.isAwaited && question.deadline <= now {
            questions[instance]?.isLate = true
            setUnanswered(instance, false)
            if hints[instance] == nil { progress.unresolved = .init(instance, .timedOut) }
        }
        for (instance, deadline) in heard where deadline <= now {
            heard[instance] = nil
            setUnanswered(instance, false)
            progress.unresolved = .init(instance, .timedOut)
        }
        for (instance, rest) in resting where rest.end <= now {
            resting[instance] = (rest.domain, now + BrowseBook.rest)
            guard questions[instance] == nil, makeRoom() else { continue }
            resting[instance] = nil
            // Nobody waits for it, and nobody is told again that it has failed.
            questions[instance] = Question(domain: rest.domain, deadline: now, isLate: true)
            steps.append(.ask(instance, domain: rest.domain))
        }
        ask(at: now)
    }

    /// A host at `source` has answered a one-shot query, or has multicast all that there is to say.
    mutating func hint(
        _ service: ResolvedService, from source: NetworkAddress, at now: ContinuousClock.Instant
    ) {
        let instance = service.instance
        if isAlone, follows {
            hints[instance] = service
            if heard.removeValue(forKey: instance) != nil { setUnanswered(instance, false) }
            guard instances.keys.contains(instance), !stale.contains(instance) else {
                return announce(instance, domain: BrowseBook.local, at: now)
            }
            return say(.found(service, by: .announced))
        }
        // Two servers may bear one name and one host name, and answer each for itself: both addresses count.
        if let known = hints[instance] {
            guard known.address != service.address else { return }
            return say(
                .changed(service.address, host: service.host, interface: instance.interface))
        }
        let count = hintCounts[instance.family]?[source] ?? 0
        guard hints.count < BrowseBook.maximumHints, count < BrowseBook.maximumHintsPerHost else { return }
        hintCounts[instance.family, default: [:]][source] = count + 1
        if questions[instance]?.isAnswered == true { return }
        hints[instance] = service
        if heard.removeValue(forKey: instance) != nil {
            setUnanswered(instance, false)
            return announce(instance, domain: BrowseBook.local, at: now)
        }
        guard instances.keys.contains(instance) else {
            if isAlone { return announce(instance, domain: BrowseBook.local, at: now) }
            return say(.found(service, by: .heard))
        }
        // The browse has seen it already: this is the answer that it waits for.
        say(.found(service, by: .announced))
        if follows { setUnanswered(instance, false) } else { finish(instance) }
        ask(at: now)
    }

    /// `host` has answered a one-shot query on `interface` over `family`.
    mutating func noteDirect(
        _ host: String, on interface: NetworkInterface, _ family: NetworkAddress.Family
    ) {
        secondWays.noteDirect(host, on: interface, family)
    }

    /// Hints have had their time: what they have not brought is asked for.
    mutating func hintsAreIn(at now: ContinuousClock.Instant) {
        mayAsk = true
        ask(at: now)
    }

    /// There is no stack that confirms what hosts say: it counts by itself from now on.
    mutating func standAlone(at now: ContinuousClock.Instant) {
        isAlone = true
        for instance in hints.keys { announce(instance, domain: BrowseBook.local, at: now) }
    }

    /// The stack is gone, and all its questions with it.
    mutating func interrupt(_ error: DiscoveryError) {
        stale = instances.keys
        (waiting, waitingAgain, secondWays) = (Queue(), Queue(), SecondWays())
        (questions, resting, heard) = ([:], [:], [:])
        if follows { (hints, hintCounts) = ([:], [:]) }
        unanswered = []
        progress.interrupt(error)
    }

    /// A new stack has had the time to see again what the old one saw.
    mutating func removeStale(at now: ContinuousClock.Instant) {
        for instance in stale { remove(instance, at: now) }
    }

    private mutating func say(_ sighting: Sighting) { steps.append(.say(sighting)) }

    private mutating func ask(at now: ContinuousClock.Instant) {
        while mayAsk, !waiting.isEmpty || mayAskAgain, makeRoom() {
            let isSecond = waiting.isEmpty
            guard let (instance, domain) = isSecond ? waitingAgain.next() : waiting.next() else { break }
            // It may be gone meanwhile, or hinted.
            guard instances.keys.contains(instance), questions[instance] == nil,
                follows || unanswered.contains(instance)
            else { continue }
            if isSecond, secondWays.leavesOut(instance, domain: domain) {
                setUnanswered(instance, false)
                continue
            }
            questions[instance] = Question(domain: domain, deadline: now + patience)
            steps.append(.ask(instance, domain: domain))
        }
        settle()
    }

    /// True if a second way may be asked for. While many first ones are under way it would only delay their
    /// answers; a few that never answer do not hold it up.
    private var mayAskAgain: Bool {
        !waitingAgain.isEmpty
            && questions.values.lazy.filter(\.isAwaited).prefix(BrowseBook.firstQuestions).count
                < BrowseBook.firstQuestions
    }

    /// True if there is room for one more question, or can be made.
    private mutating func makeRoom() -> Bool {
        if questions.count < maximumQuestions { return true }
        guard let answered = questions.first(where: { $0.value.isAnswered })?.key else { return false }
        finish(answered)
        return true
    }

    private mutating func finish(_ instance: ServiceInstance) {
        setUnanswered(instance, false)
        if questions.removeValue(forKey: instance) != nil { steps.append(.free(instance)) }
    }

    private mutating func setUnanswered(_ instance: ServiceInstance, _ isUnanswered: Bool) {
        let before = unanswered.count
        if isUnanswered { unanswered.insert(instance) } else { unanswered.remove(instance) }
        if (before == 0) != unanswered.isEmpty { progress.pendingCount = unanswered.count }
    }

    private mutating func settle() {
        if isAllForNow, unanswered.isEmpty || progress.isFlooded { progress.hasSettled = true }
    }
}
