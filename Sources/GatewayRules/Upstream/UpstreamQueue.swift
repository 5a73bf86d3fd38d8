/// Decides who may use the upstream next: a pure value, which the caller tells who comes and who goes.
///
/// An upstream takes so many requests at a time as it has places; a stock Hestia server has one, since its
/// database breaks when two requests overlap. The others wait in a lane for each sender. People come before
/// polls, and senders take turns, so that one with many connections delays the others by one request each. A
/// poll that people have passed ``patience`` times goes next: rules need it.
///
/// What waits is bounded, in all and for each sender. A place is given back once, however often its holder
/// leaves: who is not known any more changes nothing.
package struct UpstreamQueue<Sender: Hashable & Sendable>: Sendable {
    package typealias ID = UInt64

    package enum Lane: Hashable, Sendable {
        /// A device, or the hub where it does what people have asked for.
        case person(Sender)
        /// The hub, for what it asks by itself.
        case poll
    }

    /// What comes of a new request.
    package enum Entry: Equatable, Sendable {
        case begins(ID)
        case waits(ID)
        /// Too many wait already.
        case refused(waiting: Int)
    }

    /// How often people may pass a poll that waits.
    package static var patience: Int { 8 }
    /// How many may wait for each place, and the part of them that one sender may take.
    package static var waitingPerPlace: Int { 64 }
    private static var senderPart: Int { 2 }

    /// How many requests the upstream takes at a time; at least 1.
    package private(set) var places: Int
    /// Those that are under way. More than `places` while there were more of these a moment ago.
    package private(set) var running: Set<ID> = []
    /// How many wait.
    package private(set) var waitingCount = 0
    private var people: [Sender: [ID]] = [:]
    /// The senders with a lane, in the order of their turns.
    private var turns: [Sender] = []
    private var polls: [ID] = []
    private var passed = 0
    private var next: ID = 0

    package init(places: Int) { self.places = max(1, places) }

    /// The most that wait.
    package var maximumWaiting: Int { places * Self.waitingPerPlace }

    /// Adds a request.
    package mutating func enter(_ lane: Lane) -> Entry {
        if running.count < places, waitingCount == 0 {
            let id = newID()
            running.insert(id)
            return .begins(id)
        }
        // The hub bounds its own requests; a poll is never refused for people.
        if case .person(let sender) = lane {
            guard waitingCount < maximumWaiting,
                people[sender]?.count ?? 0 < maximumWaiting / Self.senderPart
            else { return .refused(waiting: waitingCount) }
        }
        let id = newID()
        waitingCount += 1
        switch lane {
        case .poll: polls.append(id)
        case .person(let sender):
            if people[sender] == nil { turns.append(sender) }
            people[sender, default: []].append(id)
        }
        return .waits(id)
    }

    /// A request is over, or does not wait any more. One that is unknown changes nothing.
    ///
    /// - Returns: those that begin now.
    package mutating func leave(_ id: ID) -> [ID] {
        if running.remove(id) == nil { removeWaiting(id) }
        return fill()
    }

    /// - Returns: those that begin now.
    package mutating func setPlaces(_ count: Int) -> [ID] {
        places = max(1, count)
        return fill()
    }

    private mutating func newID() -> ID {
        next += 1
        return next
    }

    private mutating func removeWaiting(_ id: ID) {
        if let index = polls.firstIndex(of: id) {
            polls.remove(at: index)
            // The next one has been passed by nobody as the first.
            if index == 0 { passed = 0 }
            waitingCount -= 1
            return
        }
        for (sender, lane) in people {
            guard let index = lane.firstIndex(of: id) else { continue }
            people[sender]?.remove(at: index)
            waitingCount -= 1
            if lane.count == 1 {
                people[sender] = nil
                turns.removeAll { $0 == sender }
            }
            return
        }
    }

    private mutating func fill() -> [ID] {
        var begun: [ID] = []
        while running.count < places, let id = takeNext() {
            waitingCount -= 1
            running.insert(id)
            begun.append(id)
        }
        return begun
    }

    private mutating func takeNext() -> ID? {
        let isPollDue = !polls.isEmpty && (turns.isEmpty || passed >= Self.patience)
        if isPollDue {
            passed = 0
            return polls.removeFirst()
        }
        guard !turns.isEmpty else { return nil }
        if !polls.isEmpty { passed += 1 }
        let sender = turns.removeFirst()
        guard var lane = people.removeValue(forKey: sender), !lane.isEmpty else { return nil }
        let id = lane.removeFirst()
        if !lane.isEmpty {
            people[sender] = lane
            turns.append(sender)
        }
        return id
    }
}
