import NIOCore

/// What a connection waits for, and until when. All waits share one event-loop timer. It is rescheduled only
/// for an earlier deadline; when it fires, it checks for a later one. So a request on a busy connection needs
/// no rescheduling.
final class ConnectionTimer {
    enum Reason: Equatable {
        // The next step of the client or the upstream: only one at a time.
        case handshake
        case idle
        case head
        case body
        case upstream
        case linger
        // Independent of those:
        /// The client does not read the response.
        case stall
        /// The device's approval expires.
        case expiry
    }

    /// Called when a deadline has passed.
    var onExpiry: ((Reason) -> Void)?

    private let eventLoop: NIOIsolatedEventLoop
    private var next = Reason.idle
    private var deadline = NIODeadline.distantFuture
    private var stallDeadline = NIODeadline.distantFuture
    private var expiryDeadline = NIODeadline.distantFuture
    private var fires = NIODeadline.distantFuture
    private var scheduled: Scheduled<Void>?

    /// Must be called on the event loop.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop.assumeIsolated() }

    /// True if there is a deadline for `reason`.
    func isRunning(_ reason: Reason) -> Bool {
        switch reason {
        case .stall: stallDeadline != .distantFuture
        case .expiry: expiryDeadline != .distantFuture
        default: next == reason && deadline != .distantFuture
        }
    }

    /// Sets the deadline for `reason` to `time` from now. All reasons except `stall` and `expiry` replace
    /// each other.
    func start(_ reason: Reason, _ time: TimeAmount) {
        let end = NIODeadline.now() + time
        switch reason {
        case .stall: stallDeadline = end
        case .expiry: expiryDeadline = end
        default: (next, deadline) = (reason, end)
        }
        arm()
    }

    /// Removes the deadline for the next step of the client or the upstream.
    func stop() { deadline = .distantFuture }

    /// Removes the deadline for `reason`.
    func clear(_ reason: Reason) {
        switch reason {
        case .stall: stallDeadline = .distantFuture
        case .expiry: expiryDeadline = .distantFuture
        default: if next == reason { stop() }
        }
    }

    /// Removes all deadlines, the event-loop timer and the callback.
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
