import FoundationEssentials
package import GatewayRules
import Identity
import NIOCore
import Synchronization

/// Whose turn it is at the upstream: one queue for all event loops, for what devices send and what the hub
/// asks; and whether it answers at all. ``UpstreamQueue`` and ``UpstreamBreaker`` decide.
package final class UpstreamTurns: Sendable {
    enum Sender: Hashable, Sendable {
        case hub
        case device(fingerprint: String)
    }

    /// Why a request does not get a turn. Never reaches a user: ``ServeReply`` and ``UpstreamCallError`` have
    /// words for it.
    package enum Refusal: Error, Equatable {
        /// Too many wait, or this one has waited too long; how many wait.
        case busy(waiting: Int)
        /// It has not answered others.
        case away(UpstreamBreaker.Outage)

        package var words: String {
            switch self {
            case .busy(let count):
                "the server behind the hub is busy: \(count) request\(count == 1 ? " waits" : "s wait")"
            case .away(let outage):
                "the server behind the hub has not answered since "
                    + LocalTime(outage.since).text(seenAt: Date())
            }
        }
    }

    enum Entry {
        case begins(UpstreamTurn)
        /// The closure is called later; until then the turn is a place in the queue.
        case waits(UpstreamTurn)
        case refused(Refusal)
    }

    private struct Waiting {
        let come: @Sendable (Refusal?) -> Void
        let isProbe: Bool
        var alarm: Scheduled<Void>?
    }

    private struct State {
        var queue = UpstreamQueue<Sender>(places: 1)
        var breaker = UpstreamBreaker()
        var waiting: [UInt64: Waiting] = [:]

        /// What those are told that begin now.
        mutating func come(_ begun: [UInt64]) -> [Waiting] {
            begun.compactMap { waiting.removeValue(forKey: $0) }
        }
    }

    private let state = Mutex(State())
    /// False if there is no outage that an answer would end: what each answer would ask the lock for.
    private let isAway = Atomic(false)

    /// True if requests must not overlap: then an answer is read to its end, whoever waits for it, before the
    /// next request begins.
    var isExclusive: Bool { state.withLock { $0.queue.places == 1 } }

    /// Since when it does not answer, and why; nil: it does.
    var outage: UpstreamBreaker.Outage? { state.withLock { $0.breaker.outage } }

    /// How many requests wait.
    var waitingCount: Int { state.withLock { $0.queue.waitingCount } }

    /// How many requests it takes at a time.
    func setPlaces(_ count: Int) {
        tell(nil, state.withLock { $0.come($0.queue.setPlaces(count)) })
    }

    /// Asks for a turn.
    ///
    /// - Parameters:
    ///   - eventLoop: the one that this is called on.
    ///   - time: how long it may wait; nil: as long as it takes.
    ///   - isProbe: true if it finds out whether the upstream answers.
    ///   - come: called on the event loop once its turn has come, or with the reason if it will not; only for
    ///     one that waits.
    func enter(
        _ lane: UpstreamQueue<Sender>.Lane, on eventLoop: any EventLoop, within time: Duration?,
        isProbe: Bool = false, _ come: @escaping (Refusal?) -> Void
    ) -> Entry {
        state.withLock { state in
            if !isProbe, state.breaker.isOpen, let outage = state.breaker.outage {
                return .refused(.away(outage))
            }
            switch state.queue.enter(lane) {
            case .begins(let id): return .begins(UpstreamTurn(id, self))
            case .refused(let count): return .refused(.busy(waiting: count))
            case .waits(let id):
                let bound = NIOLoopBound(come, eventLoop: eventLoop)
                let alarm = time.map { time in
                    eventLoop.scheduleTask(in: TimeAmount(time)) { [weak self] in self?.giveUp(id) ?? () }
                }
                state.waiting[id] = Waiting(
                    come: { refusal in eventLoop.execute { bound.value(refusal) } }, isProbe: isProbe,
                    alarm: alarm)
                return .waits(UpstreamTurn(id, self))
            }
        }
    }

    fileprivate func leave(_ id: UInt64) {
        let (left, begun) = state.withLock { state in
            let left = state.waiting.removeValue(forKey: id)
            return (left, state.come(state.queue.leave(id)))
        }
        left?.alarm?.cancel()
        tell(nil, begun)
    }

    private func giveUp(_ id: UInt64) {
        let (late, begun, count) = state.withLock { state in
            guard let late = state.waiting.removeValue(forKey: id) else {
                return (Waiting?.none, [Waiting](), 0)
            }
            let count = state.queue.waitingCount
            return (late, state.come(state.queue.leave(id)), count)
        }
        late?.come(.busy(waiting: count))
        tell(nil, begun)
    }

    private func tell(_ refusal: Refusal?, _ all: [Waiting]) {
        for one in all {
            one.alarm?.cancel()
            one.come(refusal)
        }
    }

    // MARK: Whether it answers

    /// It has answered.
    ///
    /// - Returns: true if that is new.
    func noteAnswer() -> Bool {
        guard isAway.load(ordering: .acquiring) else { return false }
        return state.withLock { state in
            let isNew = state.breaker.outage != nil && state.breaker.answer()
            isAway.store(state.breaker.outage != nil, ordering: .releasing)
            return isNew
        }
    }

    /// It has not; those that wait are told at once if they would wait for nothing.
    ///
    /// - Returns: true if that is new.
    func noteFault(_ words: String, isToldAtOnce: Bool) -> Bool {
        let (isNew, outage, refused, begun) = state.withLock { state in
            let isNew = state.breaker.fail(words, isToldAtOnce: isToldAtOnce, at: Date())
            isAway.store(state.breaker.outage != nil, ordering: .releasing)
            guard state.breaker.isOpen else {
                return (isNew, state.breaker.outage, [Waiting](), [Waiting]())
            }
            let refused = state.waiting.filter { !$0.value.isProbe }
            for id in refused.keys { state.waiting[id] = nil }
            // A probe may be left, and begin.
            let begun = refused.keys.flatMap { state.queue.leave($0) }
            return (isNew, state.breaker.outage, Array(refused.values), state.come(begun))
        }
        if let outage { tell(.away(outage), refused) }
        tell(nil, begun)
        return isNew
    }

    /// In how many seconds to probe; nil: there is no reason to.
    func nextProbe() -> Double? { state.withLock { $0.breaker.nextProbe() } }
}

/// A request's place in the queue, and then at the upstream. It is given back at ``end()``, or when the last
/// reference goes: once.
final class UpstreamTurn: Sendable {
    private let id: UInt64
    private let turns: UpstreamTurns

    fileprivate init(_ id: UInt64, _ turns: UpstreamTurns) { (self.id, self.turns) = (id, turns) }

    deinit { end() }

    func end() { turns.leave(id) }
}
