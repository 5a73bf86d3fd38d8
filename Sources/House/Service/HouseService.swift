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
/// It trusts the gate alone, which is its own user's process at the other end of a socket. It reads no key of
/// the hub.
package final class HouseService: Sendable {
    private let group: MultiThreadedEventLoopGroup
    let household: HubHousehold
    private let gate: GateLink
    private let server: LocalServer
    private let watch: StateWatch.Running
    private let lock: HouseLock

    private init(
        _ group: MultiThreadedEventLoopGroup, _ household: HubHousehold, _ gate: GateLink,
        _ server: LocalServer, _ watch: StateWatch.Running, _ lock: HouseLock
    ) {
        (self.group, self.household, self.gate) = (group, household, gate)
        (self.server, self.watch, self.lock) = (server, watch, lock)
    }

    /// Begins; returns once the gate is answered. Waits for another house of the same hub to end, and for the
    /// gate if there was none yet.
    ///
    /// - Parameters:
    ///   - hub: whose sockets lead to the gate and back.
    ///   - clock: returns the current time; replaced in tests.
    package static func start(
        hub: HubState, log: ServeLog, clock: @escaping @Sendable () -> Moment = { .now }
    ) async throws -> HouseService {
        try hub.takeOverHousehold()
        let state = hub.house
        let lock = try await HouseLock(state, log: log)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let client = LocalClient(LocalSocket.gate, in: hub.path, on: group)
            let files = ToldFiles(client: client, house: state)
            try await files.begin()
            guard let settings = try HubState.settings(in: state.open()) else {
                throw HubError.notSetUp(directory: hub.path)
            }
            let gate = GateLink(client)
            gate.keep(files)
            let register = DeviceRegister(state: state)
            let household = await HubHousehold(
                state, settings, gate: gate, register: register, log: log, clock: clock)
            let answers = HouseAnswers(household: household, gate: gate, register: register)
            let server = try await LocalServer.start(LocalSocket.house, in: hub.path, on: group) {
                await answers.answer($0)
            }
            let watch = StateWatch.start(state.path, for: register, on: group.next(), log: log) {
                household.filesChanged()
            }
            household.start()
            gate.start()
            return HouseService(group, household, gate, server, watch, lock)
        } catch {
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
        try? await group.shutdownGracefully()
        lock.release()
    }
}
