import Dispatch
package import FoundationEssentials
package import JSON
package import Pairing
import Synchronization

/// Writes into the journal who switched what, through the gate and by scenes; no order waits for the disk.
/// What a crash takes with it is at most the numbers of the last minute.
package final class OrderJournal: Sendable {
    private struct Waiting {
        var groups = OrderGroups()
        var notes: [Journal.Note] = []
        var isWriting = false
        var hasTimer = false
        var isClosed = false
        /// It was said that nothing can be written.
        var isFaultTold = false
    }

    /// An order whose appliance's name is being asked for.
    private struct Unnamed: Sendable {
        var note: Journal.Note
        let appliance: String
        let activator: String
    }

    /// The most orders that wait for a name; others go without one.
    private static let maximumUnnamed = 1_000

    private let writeNotes: @Sendable ([Journal.Note]) async throws -> Void
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let unnamed: AsyncStream<Unnamed>.Continuation
    private let naming: Mutex<Task<Void, Never>?>
    private let queue = DispatchQueue(label: "hubpair.orders")
    private let waiting = Mutex(Waiting())
    /// The last of the tasks that write, each of which waits for the one before.
    private let writing = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - write: writes into the journal.
    ///   - name: what people call an activator, as the hub knows it; nil if it does not.
    package init(
        log: ServeLog, clock: @escaping @Sendable () -> Date,
        write: @escaping @Sendable ([Journal.Note]) async throws -> Void,
        name: @escaping @Sendable (_ appliance: String, _ activator: String) async -> String?
    ) {
        (writeNotes, self.log, self.clock) = (write, log, clock)
        let (orders, unnamed) = AsyncStream.makeStream(
            of: Unnamed.self, bufferingPolicy: .bufferingOldest(OrderJournal.maximumUnnamed))
        self.unnamed = unnamed
        naming = Mutex(nil)
        let task = Task { [weak self] in
            for await order in orders {
                var note = order.note
                note.fact.what = await name(order.appliance, order.activator).map(shortened)
                self?.take(note)
            }
        }
        naming.withLock { $0 = task }
    }

    /// Notes an order to an activator.
    package func noteOrder(
        _ appliance: String, _ activator: String, state: JSONValue?, by author: JournalEntry.Author
    ) {
        var fact = JournalEntry.Fact(.order)
        (fact.appliance, fact.activator) = (shortened(appliance), shortened(activator))
        fact.state = state
        let note = Journal.Note(fact: fact, author: author, door: author.door, time: clock())
        switch unnamed.yield(Unnamed(note: note, appliance: appliance, activator: activator)) {
        case .enqueued: break
        default: take(note)
        }
    }

    package func note(
        _ fact: JournalEntry.Fact, by author: JournalEntry.Author?, through door: JournalEntry.Door?
    ) {
        take(Journal.Note(fact: fact, author: author, door: door, time: clock()))
    }

    private func take(_ order: Journal.Note) {
        let mustWrite = waiting.withLock { waiting in
            guard !waiting.isClosed else { return false }
            guard let line = waiting.groups.take(order, at: .now) else {
                startTimer(&waiting)
                return false
            }
            waiting.notes.append(line)
            startTimer(&waiting)
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if mustWrite { write() }
    }

    private func startTimer(_ waiting: inout Waiting) {
        guard !waiting.hasTimer, let next = waiting.groups.next else { return }
        waiting.hasTimer = true
        let seconds = max(0.01, (next - .now).inSeconds)
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in self?.look() }
    }

    private func look() {
        let mustWrite = waiting.withLock { waiting in
            waiting.hasTimer = false
            guard !waiting.isClosed else { return false }
            waiting.notes += waiting.groups.ended(by: .now)
            startTimer(&waiting)
            return true
        }
        if mustWrite { write() }
    }

    private func write() {
        writing.withLock { last in
            let before = last
            last = Task { [self] in
                await before?.value
                await writeWaiting()
            }
        }
    }

    private func writeWaiting() async {
        let notes = waiting.withLock { waiting in
            waiting.isWriting = false
            defer { waiting.notes = [] }
            return waiting.notes
        }
        guard !notes.isEmpty else { return }
        do {
            try await writeNotes(notes)
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

    /// Writes down what is not yet. What happens afterwards is not: whoever writes it has no loop any more.
    package func close() async {
        unnamed.finish()
        await naming.withLock { $0 }?.value
        waiting.withLock { waiting in
            waiting.notes += waiting.groups.ended(by: nil)
            waiting.isClosed = true
        }
        write()
        await writing.withLock { $0 }?.value
    }
}
