import FoundationEssentials
import Identity
import Pairing

/// Makes few lines of many orders, for the journal: pure, with the time as a parameter.
///
/// The first order of a device to an activator is a line at once. Those that follow it within a minute are
/// one more line, with their number and the last state: a slider that somebody holds sends 20 orders a
/// second. A device has ``linesAnHour`` lines that are told one by one; what goes beyond is one line a
/// minute, for everything together. So one device, whatever it sends, needs a day and more to push out what
/// others did.
struct OrderGroups {
    /// How long orders are counted together.
    static let span = Duration.seconds(60)
    static let linesAnHour = 200
    /// The most devices whose lines are counted; more are not in use within an hour.
    private static let maximumDeviceCount = 1_000

    private struct Key: Hashable {
        /// Nil: the hub itself.
        let device: Fingerprint?
        /// Nil: everything beyond ``linesAnHour``.
        let target: [String?]?
    }

    private struct Group {
        let began: ContinuousClock.Instant
        /// The last order that no line has told of.
        var last: Journal.Note?
        var count = 0
    }

    private var groups: [Key: Group] = [:]
    private var rates: [Fingerprint?: RequestRate] = [:]

    /// - Returns: the order, if it is a line of its own.
    mutating func take(_ order: Journal.Note, at now: ContinuousClock.Instant) -> Journal.Note? {
        let device = order.author?.device
        let fact = order.fact
        let isSwitching = fact.event == .order
        let own = Key(
            device: device,
            target: [fact.event.rawValue, fact.appliance, fact.activator, isSwitching ? nil : fact.what])
        if groups[own] != nil {
            add(order, to: own, at: now)
            return nil
        }
        if rates.count >= OrderGroups.maximumDeviceCount { rates = [:] }
        guard
            rates[device, default: RequestRate(most: OrderGroups.linesAnHour, in: .seconds(3_600))]
                .admits(at: now)
        else {
            add(order, to: Key(device: device, target: nil), at: now)
            return nil
        }
        groups[own] = Group(began: now)
        return order
    }

    private mutating func add(_ order: Journal.Note, to key: Key, at now: ContinuousClock.Instant) {
        var group = groups[key] ?? Group(began: now)
        group.count += 1
        group.last = order
        groups[key] = group
    }

    /// When the first group ends; nil if there is none.
    var next: ContinuousClock.Instant? { groups.values.map(\.began).min().map { $0 + OrderGroups.span } }

    /// The lines of the groups that have ended by `now`, in the order of their times; of all if it is nil.
    mutating func ended(by now: ContinuousClock.Instant?) -> [Journal.Note] {
        let over = groups.filter { group in now.map { group.value.began + OrderGroups.span <= $0 } ?? true }
        for key in over.keys { groups[key] = nil }
        let lines = over.compactMap { key, group -> Journal.Note? in
            guard let last = group.last else { return nil }
            var fact = key.target == nil ? JournalEntry.Fact(.order) : last.fact
            fact.count = group.count
            return Journal.Note(fact: fact, author: last.author, door: last.door, time: last.time)
        }
        return lines.sorted { $0.time < $1.time }
    }
}
