package import Pairing
import Synchronization

/// Where the hub's own answers are made: by turns (``AnswerTurns``) and as far as there is room for what
/// devices have not read yet (``AnswerBudget``). Without it a few approved devices that ask and never read
/// would take the hub's memory, and one that asks without end the time of all.
package final class AnswerDesk: Sendable {
    package init() {}

    private let turns = Mutex(AnswerTurns<CheckedContinuation<Bool, Never>>())
    private let budget = Mutex(AnswerBudget())

    /// Makes an answer when it is the device's turn; refuses before it is made where there is no room.
    package func make(for device: Pin, _ body: () async -> ResourceAnswer) async -> ResourceAnswer {
        guard budget.withLock({ $0.hasRoom(for: device) }), await begin(device) else { return .busy }
        defer { end(device) }
        // It may have waited for long.
        guard budget.withLock({ $0.hasRoom(for: device) }) else { return .busy }
        let answer = await body()
        return kept(answer, for: device)
    }

    /// Counts an answer that was made elsewhere; refuses it where there is no room.
    package func kept(_ answer: ResourceAnswer, for device: Pin) -> ResourceAnswer {
        guard case .reply(var reply) = answer, reply.body.count > AnswerBudget.smallByteCount else {
            return answer
        }
        guard let hold = hold(reply.body.count, for: device) else { return .busy }
        reply.hold = hold
        return .reply(reply)
    }

    /// Reads what a stream begins with, when it is the device's turn; nil if too many of its requests wait.
    package func inTurn<Value: Sendable, Failure: Error>(
        of device: Pin, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard await begin(device) else { return nil }
        defer { end(device) }
        return try await body()
    }

    /// Counts bytes that are about to wait for a device.
    ///
    /// - Returns: what counts them as long as it exists; nil if there is no room.
    package func hold(_ count: Int, for device: Pin) -> AnswerHold? {
        guard budget.withLock({ $0.take(count, for: device) }) else { return nil }
        return AnswerHold { [self] in budget.withLock { $0.giveBack(count, for: device) } }
    }

    private func begin(_ device: Pin) async -> Bool {
        await withCheckedContinuation { continuation in
            switch turns.withLock({ $0.ask(continuation, for: device) }) {
            case .now: continuation.resume(returning: true)
            case .later: break
            case .refused: continuation.resume(returning: false)
            }
        }
    }

    private func end(_ device: Pin) { turns.withLock { $0.end(device) }?.resume(returning: true) }
}

/// Stands for bytes that a device has not read yet. It goes with the answer: once that is written to the
/// socket, or dropped with its connection.
package final class AnswerHold: Sendable {
    private let giveBack: @Sendable () -> Void

    fileprivate init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

    deinit { giveBack() }
}
