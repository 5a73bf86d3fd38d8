package import FoundationEssentials

/// Which timed scenes are to run now: each once on each of its days.
///
/// A clock may be set back and forth, and the hub may restart at any time: a scene is done with for a day of
/// the local calendar, and what is done is kept in ``SceneRuns``. A scene that is new, or has another time
/// than before, begins with its next run.
package struct SceneClock: Sendable {
    /// A scene runs at most this late: lights that go out at night are not wanted in the morning.
    package static let longestDelay = 600.0

    package enum Event: Equatable, Sendable {
        /// The scene is to run.
        case due(HubScene)
        /// It should have run at this time, and it is too late now.
        case missed(HubScene, Date)
    }

    private let scenes: [HubScene]
    private let times: SceneTimes

    package init(_ scenes: [HubScene], _ times: SceneTimes) {
        (self.scenes, self.times) = (scenes, times)
    }

    /// What is to be done now. `runs` says then that it is done: keep it before anything runs, so that
    /// nothing runs twice.
    package func look(at now: Date, _ runs: inout SceneRuns) -> [Event] {
        runs.keep(scenes.map(\.name))
        return scenes.compactMap { scene in
            guard let time = scene.time else {
                runs.set(nil, of: scene.name)
                return nil
            }
            let text = "\(time) \(scene.days)"
            let last = times.last(of: scene, through: now)
            guard let plan = runs.plan(of: scene.name), plan.text == text else {
                runs.set(.init(text: text, done: last.map { [$0.day] } ?? []), of: scene.name)
                return nil
            }
            guard let last, !plan.done.contains(last.day) else { return nil }
            runs.set(.init(text: text, done: plan.done + [last.day]), of: scene.name)
            if now.timeIntervalSince(last.time) <= SceneClock.longestDelay { return .due(scene) }
            // A clock that was set back comes by days before those that are done: nothing is missed on them.
            let isBehind = plan.done.contains { $0 > last.day }
            return isBehind ? nil : .missed(scene, last.time)
        }
    }

    /// The seconds until the next scene is to run; nil if none is in the next week.
    package func secondsLeft(at now: Date) -> Double? {
        scenes.compactMap { times.next(of: $0, after: now)?.time.timeIntervalSince(now) }.min()
    }
}
