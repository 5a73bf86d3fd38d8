import NIOCore

/// What a connection waits for, and until when. One timer of the event loop serves all waits: it is set anew
/// only for an earlier moment, and looks when it fires whether a later one counts by now, so that a request
/// on a busy connection costs none.
final class ConnectionTimer {
    enum Reason: Equatable {
        // What the client, or the upstream, is to do next: one at a time.
        case handshake
        case idle
        case head
        case body
        case upstream
        case linger
        // Beside it:
        /// The client reads nothing of what is written.
        case stall
        /// The device's approval expires.
        case expiry
    }

    /// What to do when the time is over.
    var onExpiry: ((Reason) -> Void)?

    private let eventLoop: NIOIsolatedEventLoop
    private var next = Reason.idle
    private var deadline = NIODeadline.distantFuture
    private var stallDeadline = NIODeadline.distantFuture
    private var expiryDeadline = NIODeadline.distantFuture
    private var fires = NIODeadline.distantFuture
    private var scheduled: Scheduled<Void>?

    /// Call it on the event loop.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop.assumeIsolated() }

    /// True if this is waited for.
    func isRunning(_ reason: Reason) -> Bool {
        switch reason {
        case .stall: stallDeadline != .distantFuture
        case .expiry: expiryDeadline != .distantFuture
        default: next == reason && deadline != .distantFuture
        }
    }

    /// Waits for `reason` from now on; all but `stall` and `expiry` take each other's place.
    func start(_ reason: Reason, _ time: TimeAmount) {
        let end = NIODeadline.now() + time
        switch reason {
        case .stall: stallDeadline = end
        case .expiry: expiryDeadline = end
        default: (next, deadline) = (reason, end)
        }
        arm()
    }

    /// Does not wait for the other side to do anything.
    func stop() { deadline = .distantFuture }

    /// Does not wait for `reason` any longer.
    func clear(_ reason: Reason) {
        switch reason {
        case .stall: stallDeadline = .distantFuture
        case .expiry: expiryDeadline = .distantFuture
        default: if next == reason { stop() }
        }
    }

    /// Lets go of the event loop's timer, and of what to do.
    func cancel() {
        (deadline, stallDeadline, expiryDeadline) = (.distantFuture, .distantFuture, .distantFuture)
        onExpiry = nil
        scheduled?.cancel()
        scheduled = nil
    }

    private func arm() {
        let next = min(deadline, stallDeadline, expiryDeadline)
        guard next < fires || scheduled == nil, next < .distantFuture else { return }
        scheduled?.cancel()
        fires = next
        scheduled = eventLoop.scheduleTask(deadline: next) { [weak self] in self?.fire() }
    }

    private func fire() {
        scheduled = nil
        fires = .distantFuture
        let now = NIODeadline.now()
        if stallDeadline <= now {
            stallDeadline = .distantFuture
            onExpiry?(.stall)
        } else if expiryDeadline <= now {
            expiryDeadline = .distantFuture
            onExpiry?(.expiry)
        } else if deadline <= now {
            deadline = .distantFuture
            onExpiry?(next)
        }
        arm()
    }
}
