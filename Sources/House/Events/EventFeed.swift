import Synchronization

/// The last events of one kind, for all who watch: each event is made once, and every watcher takes from here
/// what came after the last one it has seen.
///
/// A watcher that reads slowly costs no memory: once its next event has left the feed, it is told that it is
/// behind, and reads on from the database.
final class EventFeed: Sendable {
    struct Event: Sendable {
        let bytes: [UInt8]
        /// Nil for an event that leaves the client's last id standing.
        let id: EventID?
    }

    /// A heartbeat: every watcher is told the last one, as far as it has none that is as new.
    struct Beat: Sendable {
        let forOwners: [UInt8]
        let forOthers: [UInt8]
    }

    /// What comes next for a watcher.
    enum Next: Sendable {
        /// Events, the position after them, and the last id among them.
        case events([UInt8], position: Int, last: EventID?)
        /// There is no event; the last heartbeat, and its number.
        case beat(Beat, number: Int)
        /// The next event is no longer here.
        case behind
        /// The feed has ended, or the watcher's task was cancelled.
        case ended
    }

    /// How many events are kept, and how many bytes of them: a watcher that takes a second for a burst of
    /// 1,000 finds them here.
    private static let maximumCount = 2_048
    private static let maximumByteCount = 1 << 20
    /// The most bytes that a watcher gets at once.
    private static let maximumPieceByteCount = 65_536

    private struct State {
        /// The position before the first event here.
        var start = 0
        var events: [Event] = []
        var byteCount = 0
        var waiting: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]
        var isOver = false
        var beat: Beat?
        var beatCount = 0

        var end: Int { start + events.count }
    }

    /// Identifies a waiting watcher.
    private final class Watcher: Sendable {}

    private let state = Mutex(State())

    /// The position after the last event.
    var end: Int { state.withLock { $0.end } }

    /// Adds events, and wakes all watchers.
    func publish(_ events: [Event]) {
        wake { state in
            state.events += events
            state.byteCount += events.reduce(0) { $0 + $1.bytes.count }
            var dropped = 0
            // A quarter at once, so that dropping costs little.
            if state.events.count > EventFeed.maximumCount || state.byteCount > EventFeed.maximumByteCount {
                let limit = EventFeed.maximumByteCount / 4 * 3
                while dropped < state.events.count - 1,
                    state.events.count - dropped > EventFeed.maximumCount / 4 * 3 || state.byteCount > limit
                {
                    state.byteCount -= state.events[dropped].bytes.count
                    dropped += 1
                }
            }
            state.events.removeFirst(dropped)
            state.start += dropped
        }
    }

    /// Takes the place of the heartbeat before, and wakes all watchers.
    func publish(_ beat: Beat) {
        wake { state in
            state.beat = beat
            state.beatCount += 1
        }
    }

    /// Makes every watcher go back to the database, where something else is now.
    func restart() {
        wake { state in
            state.start = state.end + 1
            state.events = []
            state.byteCount = 0
        }
    }

    /// Ends the streams of all watchers.
    func close() { wake { $0.isOver = true } }

    private func wake(_ change: (inout sending State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// What comes after a position; waits for it.
    ///
    /// - Parameter beat: the number of the last heartbeat that the watcher has; nil if it wants none.
    func next(after position: Int, beat: Int? = nil) async -> Next {
        while !Task.isCancelled {
            if let next = state.withLock({ EventFeed.next(after: position, beat, in: $0) }) { return next }
            await wait(at: position, beat)
        }
        return .ended
    }

    private static func next(after position: Int, _ beat: Int?, in state: State) -> Next? {
        if state.isOver { return .ended }
        guard position >= state.start, position <= state.end else { return .behind }
        guard position < state.end else {
            guard let beat, beat != state.beatCount, let last = state.beat else { return nil }
            return .beat(last, number: state.beatCount)
        }
        var bytes: [UInt8] = []
        var next = position
        var last: EventID?
        repeat {
            let event = state.events[next - state.start]
            bytes += event.bytes
            last = event.id ?? last
            next += 1
        } while next < state.end && bytes.count < maximumPieceByteCount
        return .events(bytes, position: next, last: last)
    }

    private func wait(at position: Int, _ beat: Int?) async {
        let watcher = Watcher()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    let next = EventFeed.next(after: position, beat, in: state)
                    if Task.isCancelled || next != nil { return true }
                    state.waiting[ObjectIdentifier(watcher)] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(watcher)) }?.resume()
        }
    }
}

/// How an event is written (WHATWG HTML § 9.2).
enum ServerEvent {
    /// - Parameters:
    ///   - type: nil for the usual one, `message`.
    ///   - id: without line ends; nil to leave the last one standing.
    ///   - json: on one line.
    static func bytes(type: String? = nil, id: String?, json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        if let type { bytes += "event: \(type)\n".utf8 }
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "data: ".utf8
        bytes += json
        bytes += "\n\n".utf8
        return bytes
    }
}
