import Dispatch
import FoundationEssentials
import JSON
import Pairing
import Synchronization

/// Writes into the journal who switched what, through the gate and by scenes, on a thread of its own: no
/// order waits for the disk. What a crash takes with it is at most the numbers of the last minute.
final class OrderJournal: Sendable {
    private struct Waiting {
        var groups = OrderGroups()
        var notes: [Journal.Note] = []
        var isWriting = false
        var hasTimer = false
        /// It was said that nothing can be written.
        var isFaultTold = false
    }

    private let state: HubState
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let name: @Sendable (_ appliance: String, _ activator: String) -> String?
    private let queue = DispatchQueue(label: "hubpair.orders")
    private let waiting = Mutex(Waiting())

    /// - Parameter name: what people call an activator, as the hub knows it; nil if it does not.
    init(
        of state: HubState, log: ServeLog, clock: @escaping @Sendable () -> Date,
        name: @escaping @Sendable (_ appliance: String, _ activator: String) -> String?
    ) {
        (self.state, self.log, self.clock, self.name) = (state, log, clock, name)
    }

    /// Notes an order to an activator.
    func noteOrder(
        _ appliance: String, _ activator: String, state: JSONValue?, by author: JournalEntry.Author
    ) {
        var fact = JournalEntry.Fact(.order)
        (fact.appliance, fact.activator) = (shortened(appliance), shortened(activator))
        fact.what = name(appliance, activator).map(shortened)
        fact.state = state
        note(fact, by: author, through: author.door)
    }

    func note(_ fact: JournalEntry.Fact, by author: JournalEntry.Author?, through door: JournalEntry.Door?) {
        let order = Journal.Note(fact: fact, author: author, door: door, time: clock())
        let mustWrite = waiting.withLock { waiting in
            guard let line = waiting.groups.take(order, at: .now) else {
                startTimer(&waiting)
                return false
            }
            waiting.notes.append(line)
            startTimer(&waiting)
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if mustWrite { queue.async { [self] in write() } }
    }

    private func startTimer(_ waiting: inout Waiting) {
        guard !waiting.hasTimer, let next = waiting.groups.next else { return }
        waiting.hasTimer = true
        let seconds = max(0.01, (next - .now).inSeconds)
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.look() }
    }

    private func look() {
        waiting.withLock { waiting in
            waiting.hasTimer = false
            waiting.notes += waiting.groups.ended(by: .now)
            startTimer(&waiting)
        }
        write()
    }

    private func write() {
        let notes = waiting.withLock { waiting in
            waiting.isWriting = false
            defer { waiting.notes = [] }
            return waiting.notes
        }
        guard !notes.isEmpty else { return }
        do {
            try state.open().withLock { try Journal.write(notes, in: $0) }
            waiting.withLock { $0.isFaultTold = false }
        } catch {
            // Once, and not for each order: the disk may be full for days.
            let isTold = waiting.withLock { waiting in
                defer { waiting.isFaultTold = true }
                return waiting.isFaultTold
            }
            if !isTold { log.warning(.fault, "cannot write down who switched what: \(describing(error))") }
        }
    }

    /// Writes down what is not yet.
    func close() {
        waiting.withLock { $0.notes += $0.groups.ended(by: nil) }
        queue.sync { write() }
    }
}
