package import HubService
import Identity
package import Pairing
import Synchronization

/// The household of a hub, behind its gate.
///
/// It trusts the gate alone, at the other end of a socket that nobody else reaches. It reads no key of the
/// hub. When its gate joins or leaves a site, or another gate of the site polls, it begins anew.
package final class HouseService: Sendable {
    private static let pause = Duration.seconds(1)

    private struct State {
        var running: RunningHouse?
        var isOver = false
        /// The house that begins now.
        var beginning: Task<Void, any Error>?
        /// That one is to begin anew, too.
        var isToBeginAgain = false
    }

    private let begin: @Sendable (@escaping @Sendable (String) -> Void) async throws -> RunningHouse
    private let log: ServeLog
    private let state = Mutex(State())

    private init(
        _ log: ServeLog,
        _ begin: @escaping @Sendable (@escaping @Sendable (String) -> Void) async throws -> RunningHouse
    ) {
        (self.log, self.begin) = (log, begin)
    }

    /// Begins; returns once the gate is answered. Waits for another house of the same hub to end, and for the
    /// gate if there was none yet.
    ///
    /// - Parameters:
    ///   - hub: whose sockets lead to the gate and back.
    ///   - manager: is told that the house lives.
    ///   - clock: returns the current time; replaced in tests.
    package static func start(
        hub: HubState, manager: ServiceManager = ServiceManager(environment: [:]), log: ServeLog,
        clock: @escaping @Sendable () -> Moment = { .now }
    ) async throws -> HouseService {
        let service = HouseService(log) { onEnd in
            try await RunningHouse.start(hub: hub, manager: manager, log: log, clock: clock, onEnd: onEnd)
        }
        let beginning = Task { try await service.beginOnce() }
        service.state.withLock { $0.beginning = beginning }
        try await withTaskCancellationHandler {
            try await beginning.value
        } onCancel: {
            beginning.cancel()
        }
        service.began()
        return service
    }

    /// Nil while it begins anew.
    var household: HubHousehold? { state.withLock { $0.running?.household } }

    private func beginOnce() async throws {
        let running = try await begin { [weak self] in self?.beginAgain($0) }
        state.withLock { $0.running = running }
    }

    /// Has begun, as far as it does not have to do so once more.
    private func began() {
        let isToBeginAgain = state.withLock { state in
            state.beginning = nil
            defer { state.isToBeginAgain = false }
            return state.isToBeginAgain
        }
        if isToBeginAgain { beginAgain("what it shares has changed meanwhile") }
    }

    private func beginAgain(_ words: String) {
        state.withLock { state in
            guard !state.isOver else { return }
            guard state.beginning == nil else {
                state.isToBeginAgain = true
                return
            }
            state.beginning = Task { [self] in
                log.notice("the house begins anew: \(words)")
                await self.state.withLock { $0.running.take() }?.stop()
                while !Task.isCancelled {
                    do {
                        try await beginOnce()
                        return began()
                    } catch {
                        if !Task.isCancelled { log.error("the house cannot begin: \(describing(error))") }
                        try? await Task.sleep(for: HouseService.pause)
                    }
                }
            }
        }
    }

    package func stop() async {
        let beginning = state.withLock { state in
            state.isOver = true
            return state.beginning
        }
        beginning?.cancel()
        _ = try? await beginning?.value
        await state.withLock { $0.running.take() }?.stop()
    }
}
