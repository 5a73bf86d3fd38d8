import Synchronization

/// The page while it is open: what all connections of the browser share.
final class PageVisit: Sendable {
    struct Activity {
        /// How many connections are open.
        var open = 0
        /// How many requests are being answered.
        var running = 0
        var last = ContinuousClock.now

        mutating func begin() { running += 1 }
        mutating func end() { (running, last) = (running - 1, .now) }
        var idleTime: Duration { running > 0 ? .zero : .now - last }
    }

    let gate: Mutex<BrowserGate>
    let shown: ShownHub
    /// Nil on a hub.
    let local: LocalPaths?
    let activity = Mutex(Activity())

    init(_ gate: BrowserGate, _ shown: ShownHub, _ local: LocalPaths?) {
        self.gate = Mutex(gate)
        (self.shown, self.local) = (shown, local)
    }
}
