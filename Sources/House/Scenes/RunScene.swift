import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import Pairing
import Synchronization

/// Runs a scene of the hub: all orders at once, as far as the server takes them, each read back.
final class RunScene: Sendable {
    /// Why a scene does not run. Never reaches a user: ``SceneResources`` answers with a status and words.
    enum Refusal: Error {
        /// ``maximumAtOnce`` scenes are running.
        case busy
        /// It sets what the device for which it runs may not set: which.
        case notAllowed(String)
        /// The server behind the hub cannot be asked: why.
        case unavailable(String)
    }

    /// How long a run takes at most.
    static let time = Duration.seconds(30)
    /// The most scenes that run at once: each may have a thousand orders, and any guest may run one.
    static let maximumAtOnce = 4
    /// How long the list of appliances is waited for. A dead appliance may hold it up for long, and the scene
    /// runs without it.
    private static let listTime = Duration.seconds(3)

    private let servers: HouseServers
    private let orders: OrderJournal
    private let poller: StatePoller
    private let arm: ArmHouse
    private let guests: GuestRights
    private let log: ServeLog
    private let running = Mutex(0)

    /// - Parameters:
    ///   - poller: sees at once what a run has changed.
    ///   - arm: keeps that a scene runs, and tells people what has come of it.
    ///   - guests: says what guests may set.
    init(
        servers: HouseServers, orders: OrderJournal, poller: StatePoller, arm: ArmHouse, guests: GuestRights,
        log: ServeLog
    ) {
        (self.servers, self.orders, self.poller, self.arm) = (servers, orders, poller, arm)
        (self.guests, self.log) = (guests, log)
    }

    /// Runs it; returns when every order is confirmed, or the time is over.
    ///
    /// - Throws: ``Refusal``; nothing was ordered then.
    func run(_ scene: HubScene, for cause: SceneCause) async throws -> SceneOutcome {
        // Whoever asks for it, and a member who has become a guest since the scene was saved.
        if !RoleTable.allows(cause.role, Capability.open) { try await refuseGuards(in: scene) }
        let mayRun = running.withLock { running in
            guard running < RunScene.maximumAtOnce else { return false }
            running += 1
            return true
        }
        guard mayRun else { throw Refusal.busy }
        defer { running.withLock { $0 -= 1 } }
        let end = ContinuousClock.now + RunScene.time
        let house = servers.whole(as: cause.sender)
        let missing = try await missing(of: scene, as: cause.sender)
        let note = await note(scene, cause)
        var fact = JournalEntry.Fact(.sceneRun)
        fact.what = scene.name.description
        orders.note(fact, by: cause.author, through: cause.door)
        let wanted = scene.states.indices.filter { !missing.contains($0) }
        let outcomes = await Orders(
            wanted.map { scene.states[$0].order }, home: house, time: RunScene.time, until: end
        ).run { _ in poller.orderPassed() }
        var results = scene.states.map { _ in SceneOutcome.Result.missing }
        for (index, outcome) in zip(wanted, outcomes) { results[index] = RunScene.result(outcome) }
        let outcome = SceneOutcome(scene: scene, results: results, note: note)
        log.info("\(cause): \(outcome.text)")
        await tell(outcome.text, cause, isQuiet: outcome.confirmedCount == results.count)
        return outcome
    }

    /// Runs it without anybody who waits for an answer: people are told if it does not run.
    func runUnasked(_ scene: HubScene, for cause: SceneCause) async {
        do {
            _ = try await run(scene, for: cause)
        } catch Refusal.busy {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): too many were running", cause)
        } catch Refusal.notAllowed(let reason) {
            let saver = cause.device.map { "\"\($0.name)\", which saved it last, is a guest, and " } ?? ""
            await tell(
                "the scene \"\(scene.name)\" did not run (\(cause)): \(saver)\(reason); "
                    + "a member who saves it again lets it run", cause)
        } catch Refusal.unavailable(let reason) {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): \(reason)", cause)
        } catch {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): \(message(of: error))", cause)
        }
    }

    /// Refuses all of the scene if it opens what guests do not open.
    private func refuseGuards(in scene: HubScene) async throws(Refusal) {
        for state in scene.states {
            switch await guests.verdict(on: state) {
            case .allowed: continue
            case .guarded:
                throw .notAllowed(
                    "guests do not run this scene, since it sets \(state.name ?? state.device), and guests "
                        + "do not set what keeps people, water or thieves out")
            case .unknown: throw .unavailable(RequestRefusal.unknownAppliance.message)
            }
        }
    }

    private func tell(_ text: String, _ cause: SceneCause, isQuiet: Bool = false) async {
        await arm.tell(
            MessageDraft(
                kind: .notification, text: text, rule: cause.rule, author: cause.asker?.device.description,
                isQuiet: isQuiet))
    }

    private static func result(_ outcome: Orders.Outcome) -> SceneOutcome.Result {
        switch outcome {
        case .confirmed: .confirmed
        case .unconfirmed: .unconfirmed
        case .silent: .silent
        case .failed(ServerError.refused(404, _, _, _)): .missing
        case .failed(let error): .failed(message(of: error))
        }
    }

    /// The states whose appliances the house does not have. A server that cannot list its appliances, since
    /// one of them is dead, may still take orders: none is missing then.
    private func missing(of scene: HubScene, as sender: DeviceFields?) async throws -> Set<Int> {
        var missing: Set<Int> = []
        var upstream: [Int] = []
        for (index, state) in scene.states.enumerated() {
            switch servers.joinedThing(state.device) {
            case .device(let device):
                if !device.activators.contains(where: { $0.id == state.activator }) { missing.insert(index) }
            case .absent: missing.insert(index)
            case .unknown: break
            case nil: upstream.append(index)
            }
        }
        guard !upstream.isEmpty else { return missing }
        let devices: [ControlledDevice]
        do {
            let hestia = servers.hestia
            guard
                let list = try await Deadline(in: RunScene.listTime).run({
                    try await hestia.devices(as: sender)
                })
            else { return missing }
            devices = list
        } catch UpstreamCallError.noUpstream {
            throw Refusal.unavailable(UpstreamCallError.noUpstream.description)
        } catch let error as UpstreamCallError {
            switch error {
            // What others have is switched all the same.
            case .unreachable, .refused(.away):
                guard upstream.count < scene.states.count else {
                    throw Refusal.unavailable(error.description)
                }
                return missing
            default: return missing
            }
        } catch {
            return missing
        }
        let known = Set(devices.flatMap { device in device.activators.map { [device.id, $0.id] } })
        return missing.union(
            upstream.filter { !known.contains([scene.states[$0].device, scene.states[$0].activator]) })
    }

    /// Keeps that it runs, before it does. If that cannot be written it runs all the same: people want their
    /// light on a full disk, too.
    ///
    /// - Returns: ``SceneOutcome/note``.
    private func note(_ scene: HubScene, _ cause: SceneCause) async -> String? {
        do {
            return try await arm.note(
                scene.name,
                ArmHouse.Cause(
                    author: cause.asker, words: cause.description,
                    mayDisarm: RoleTable.allows(cause.role, Capability.arrange)))
        } catch {
            log.warning(.fault, "cannot keep that \"\(scene.name)\" runs: \(describing(error))")
            return nil
        }
    }
}
