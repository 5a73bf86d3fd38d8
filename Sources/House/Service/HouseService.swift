import GatewayRules
package import HubService
import Identity
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
package import Pairing

/// A running house: the household of a hub, behind its gate.
///
/// It trusts the gate alone, at the other end of a socket that nobody else reaches. It reads no key of the
/// hub.
package final class HouseService: Sendable {
    private let group: MultiThreadedEventLoopGroup
    let household: HubHousehold
    private let gate: GateLink
    private let server: LocalServer
    private let watch: StateWatch.Running
    private let lock: HouseLock
    private let keepAlive: KeepAlive

    private init(
        _ group: MultiThreadedEventLoopGroup, _ household: HubHousehold, _ gate: GateLink,
        _ server: LocalServer, _ watch: StateWatch.Running, _ lock: HouseLock, _ keepAlive: KeepAlive
    ) {
        (self.group, self.household, self.gate) = (group, household, gate)
        (self.server, self.watch, self.lock, self.keepAlive) = (server, watch, lock, keepAlive)
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
        // Another user's is brought by root, before the house begins.
        if !hub.isHouseApart { try hub.takeOverHousehold() }
        let state = hub.house
        _ = try state.open()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // Alive also while it waits for another house or for the gate.
        let keepAlive = KeepAlive(manager, [group.next()]) {}
        manager.notify(.ready)
        do {
            let lock = try await HouseLock(state, log: log)
            let client = LocalClient(LocalSocket.gate, in: hub.sockets, on: group)
            let files = ToldFiles(client)
            let settings = try await files.begin()
            let gate = GateLink(client, files)
            let household = await HubHousehold(
                state, settings, gate: gate, on: group, log: log, clock: clock)
            let answers = HouseAnswers(household: household, gate: gate, state: state.absolute)
            let server = try await LocalServer.start(LocalSocket.house, in: hub.sockets, on: group) {
                await answers.answer($0)
            }
            let watch = StateWatch.start(
                state.path, for: DeviceRegister(state: state), on: group.next(), log: log
            ) {
                household.filesChanged()
            }
            household.start()
            gate.start()
            return HouseService(group, household, gate, server, watch, lock, keepAlive)
        } catch {
            keepAlive.stop()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    package func stop() async {
        household.endStreams()
        await server.stop()
        await gate.stop()
        await household.stop()
        await watch.stop()
        keepAlive.stop()
        try? await group.shutdownGracefully()
        lock.release()
    }
}
