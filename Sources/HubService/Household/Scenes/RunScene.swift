import FoundationEssentials
import Home
import Household
import Identity
import Synchronization

/// Runs a scene of the hub: all orders at once, as far as the server takes them, each read back.
final class RunScene: Sendable {
    /// Why a scene does not run. Never reaches a user: ``SceneResources`` answers with a status and words.
    enum Refusal: Error {
        /// ``maximumAtOnce`` scenes are running.
        case busy
        /// The server behind the hub cannot be asked: why.
        case unavailable(String)
    }

    /// The one who started it.
    enum Cause: Sendable {
        case device(String)
        case time
        case alarm(String)
    }

    /// How long a run takes at most.
    static let time = Duration.seconds(30)
    /// The most scenes that run at once: each may have a thousand orders, and any guest may run one.
    static let maximumAtOnce = 4
    /// How long the list of appliances is waited for. A dead appliance may hold it up for long, and the scene
    /// runs without it.
    private static let listTime = Duration.seconds(3)

    private let house: UpstreamHouse
    private let poller: StatePoller
    private let scenes: HouseholdStore<HubScenes>
    private let rules: HouseholdStore<Rules>
    private let runs: HouseholdStore<SceneRuns>
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let tell: @Sendable (String) async -> Void
    private let running = Mutex(0)

    /// - Parameters:
    ///   - poller: sees at once what a run has changed.
    ///   - tell: tells people what has come of a run.
    init(
        house: UpstreamHouse, poller: StatePoller, scenes: HouseholdStore<HubScenes>,
        rules: HouseholdStore<Rules>, runs: HouseholdStore<SceneRuns>, log: ServeLog,
        clock: @escaping @Sendable () -> Date,
        tell: @escaping @Sendable (String) async -> Void
    ) {
        (self.house, self.poller) = (house, poller)
        (self.scenes, self.rules, self.runs) = (scenes, rules, runs)
        (self.log, self.clock, self.tell) = (log, clock, tell)
    }

    /// Runs it; returns when every order is confirmed, or the time is over.
    ///
    /// - Throws: ``Refusal``; nothing was ordered then.
    func run(_ scene: HubScene, for cause: Cause) async throws -> SceneOutcome {
        let mayRun = running.withLock { running in
            guard running < RunScene.maximumAtOnce else { return false }
            running += 1
            return true
        }
        guard mayRun else { throw Refusal.busy }
        defer { running.withLock { $0 -= 1 } }
        let end = ContinuousClock.now + RunScene.time
        let missing = try await missing(of: scene)
        await note(scene)
        let wanted = scene.states.indices.filter { !missing.contains($0) }
        let outcomes = await Orders(
            wanted.map { scene.states[$0].order }, home: house, time: RunScene.time, until: end
        ).run { _ in poller.orderPassed() }
        var results = scene.states.map { _ in SceneOutcome.Result.missing }
        for (index, outcome) in zip(wanted, outcomes) { results[index] = RunScene.result(outcome) }
        let outcome = SceneOutcome(scene: scene, results: results)
        log.info("\(cause): \(outcome.text)")
        await tell(outcome.text)
        return outcome
    }

    /// Runs it without anybody who waits for an answer: people are told if it does not run.
    func runUnasked(_ scene: HubScene, for cause: Cause) async {
        do {
            _ = try await run(scene, for: cause)
        } catch Refusal.busy {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): too many were running")
        } catch Refusal.unavailable(let reason) {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): \(reason)")
        } catch {
            await tell("the scene \"\(scene.name)\" did not run (\(cause)): \(message(of: error))")
        }
    }

    private static func result(_ outcome: Orders.Outcome) -> SceneOutcome.Result {
        switch outcome {
        case .confirmed: .confirmed
        case .unconfirmed: .unconfirmed
        case .failed(ServerError.refused(404, _, _, _)): .missing
        case .failed(let error): .failed(message(of: error))
        }
    }

    /// The states whose appliances the house does not have. A server that cannot list its appliances, since
    /// one of them is dead, may still take orders: none is missing then.
    private func missing(of scene: HubScene) async throws -> Set<Int> {
        let house = house
        let devices: [ControlledDevice]
        do {
            guard let list = try await Deadline(in: RunScene.listTime).run({ try await house.devices() })
            else { return [] }
            devices = list
        } catch UpstreamCallError.noUpstream {
            throw Refusal.unavailable(UpstreamCallError.noUpstream.description)
        } catch let error as UpstreamCallError {
            guard case .unreachable = error else { return [] }
            throw Refusal.unavailable(error.description)
        } catch {
            return []
        }
        let known = Set(devices.flatMap { device in device.activators.map { [device.id, $0.id] } })
        return Set(
            scene.states.indices.filter {
                !known.contains([scene.states[$0].device, scene.states[$0].activator])
            })
    }

    /// Keeps that it runs, before it does. If that cannot be written it runs all the same: people want their
    /// light on a full disk, too.
    private func note(_ scene: HubScene) async {
        do {
            let arming = Arming(try await rules.read().rules, try await scenes.read().scenes)
            let (name, now) = (scene.name, clock())
            try await runs.change { runs in
                runs.note(name, at: now, decides: arming.decides(name))
            }
        } catch {
            log.warning(.fault, "cannot keep that \"\(scene.name)\" runs: \(describing(error))")
        }
    }
}

extension RunScene.Cause: CustomStringConvertible {
    var description: String {
        switch self {
        case .device(let name): "asked by \"\(name)\""
        case .time: "at its time"
        case .alarm(let rule): "at the alarm \"\(rule)\""
        }
    }
}
