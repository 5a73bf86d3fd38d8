import GatewayRules
import HubService
import Identity
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
import Pairing

/// A running house: of one gate, or a copy of that of several.
final class RunningHouse: Sendable {
    private let group: MultiThreadedEventLoopGroup
    let household: HubHousehold
    private let gate: GateLink
    private let server: LocalServer
    private let watch: StateWatch.Running
    private let lock: HouseLock
    private let keepAlive: KeepAlive
    private let shared: SharedHouse?

    private init(
        _ group: MultiThreadedEventLoopGroup, _ household: HubHousehold, _ gate: GateLink,
        _ server: LocalServer, _ watch: StateWatch.Running, _ lock: HouseLock, _ keepAlive: KeepAlive,
        _ shared: SharedHouse?
    ) {
        self.shared = shared
        (self.group, self.household, self.gate) = (group, household, gate)
        (self.server, self.watch, self.lock, self.keepAlive) = (server, watch, lock, keepAlive)
    }

    /// - Parameter onEnd: called once it has to begin anew; why.
    static func start(
        hub: HubState, manager: ServiceManager, log: ServeLog, clock: @escaping @Sendable () -> Moment,
        onEnd: @escaping @Sendable (String) -> Void
    ) async throws -> RunningHouse {
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
            let site = try await GateRecords.gate(client)
            let gate = GateLink(client, files, site: site) { onEnd("its gate has joined a site, or left it") }
            if site != nil, HouseCopy.adopt(in: state) {
                log.notice(
                    "this gate has the house of its site now; what was here before is in "
                        + "\(state.path)/\(HouseCopy.apart)")
            }
            let shared = site.map {
                SharedHouse(
                    $0, GateRecords(client), of: state, log: log, isTold: { [gate] in gate.tellsOfRecords },
                    onEnd: onEnd)
            }
            gate.whenRecordsChange { [weak shared] in shared?.look() }
            let household = await HubHousehold(
                state, settings, gate: gate, on: group, shared: shared, log: log, clock: clock)
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
            return RunningHouse(group, household, gate, server, watch, lock, keepAlive, shared)
        } catch {
            keepAlive.stop()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    func stop() async {
        household.endStreams()
        await server.stop()
        await gate.stop()
        shared?.close()
        await household.stop()
        await shared?.stop()
        await watch.stop()
        keepAlive.stop()
        try? await group.shutdownGracefully()
        lock.release()
    }
}
