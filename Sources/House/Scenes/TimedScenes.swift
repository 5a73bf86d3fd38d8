import FoundationEssentials
import Household
import HubService
import Identity
import Pairing
import Synchronization

/// Runs the timed scenes when it is time.
///
/// It looks every few seconds, since the clock may be set and the files be changed by hand, and exactly when
/// the next scene is to run.
final class TimedScenes: Sendable {
    private static let pause = 15.0

    private let scenes: HouseholdStore<HubScenes>
    private let runs: HouseholdStore<SceneRuns>
    private let runScene: RunScene
    /// Where the hub is, as its settings say now.
    let place: @Sendable () -> Place?
    /// False while nothing could be switched.
    private let canSwitch: @Sendable () async -> Bool
    private let approved: @Sendable (Fingerprint) -> ApprovedDevice?
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let tell: @Sendable (String) async -> Void
    private let looking = Mutex<RecurringLook?>(nil)

    /// - Parameter approved: the device with this fingerprint, if it is let in now.
    init(
        scenes: HouseholdStore<HubScenes>, runs: HouseholdStore<SceneRuns>, runScene: RunScene,
        place: @escaping @Sendable () -> Place?, canSwitch: @escaping @Sendable () async -> Bool,
        approved: @escaping @Sendable (Fingerprint) -> ApprovedDevice?, log: ServeLog,
        clock: @escaping @Sendable () -> Date,
        tell: @escaping @Sendable (String) async -> Void
    ) {
        (self.scenes, self.runs, self.runScene, self.place) = (scenes, runs, runScene, place)
        self.canSwitch = canSwitch
        (self.approved, self.log, self.clock, self.tell) = (approved, log, clock, tell)
    }

    func now() -> Date { clock() }

    /// When scenes run, in the time zone and at the place as they are now.
    func times() -> SceneTimes { SceneTimes(zone: .system, place: place()) }

    /// Begins to look.
    func start() {
        looking.withLock { looking in
            looking = RecurringLook(remembering: false) { [weak self] hasFailed in
                await self?.look(&hasFailed)
            }
            looking?.look()
        }
    }

    /// Looks again, soon.
    func look() { looking.withLock { $0 }?.look() }

    func stop() async { await looking.withLock { $0 }?.stop() }

    /// - Parameter hasFailed: whether the last look could not be made; its reason is told once.
    /// - Returns: in how many seconds to look again.
    private func look(_ hasFailed: inout Bool) async -> Double? {
        do {
            let content = try await scenes.read()
            let clock = SceneClock(content.scenes, times())
            for event in try await events(clock) { await take(event, content) }
            hasFailed = false
            return min(TimedScenes.pause, max(0.01, clock.secondsLeft(at: now()) ?? TimedScenes.pause))
        } catch {
            if !hasFailed { log.error("timed scenes do not run: \(describing(error))") }
            hasFailed = true
            return TimedScenes.pause
        }
    }

    /// What is to be done, kept as done before it is.
    private func events(_ clock: SceneClock) async throws -> [SceneClock.Event] {
        let now = now()
        let known = try await runs.read()
        var changed = known
        _ = clock.look(at: now, &changed)
        // What is due while nothing can be switched runs as soon as it can, or is told as missed.
        guard changed != known, await canSwitch() else { return [] }
        return try await runs.change { runs in clock.look(at: now, &runs) }
    }

    private func take(_ event: SceneClock.Event, _ content: HubScenes) async {
        switch event {
        case .missed(let scene, let time):
            await tell(
                "the scene \"\(scene.name)\" did not run at \(LocalTime(time).text(seenAt: now())): the hub "
                    + "came to it too late")
        case .due(let scene):
            // A device that is not let in any more does nothing in the house, by the clock neither.
            let mark = content.authors(of: scene).last
            let author = mark.flatMap { approved($0.device) }
            if let mark, author == nil {
                return await tell(
                    "the scene \"\(scene.name)\" did not run at its time: \"\(mark.name)\", which saved it "
                        + "last, is let in no more; whoever saves it again lets it run")
            }
            // Two scenes of the same time run at the same time, and a look does not wait for them.
            Task { [runScene] in await runScene.runUnasked(scene, for: .time(of: author)) }
        }
    }
}
