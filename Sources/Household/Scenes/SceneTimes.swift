package import FoundationEssentials

/// When timed scenes run, in one time zone and at one place.
package struct SceneTimes: Sendable {
    /// One run of a timed scene.
    package struct Run: Equatable, Sendable {
        /// The day that it belongs to. A shift may take it over midnight.
        package let day: LocalDay
        package let time: Date
    }

    private let zone: LocalZone
    private let sun: SunTimes?

    /// - Parameter place: nil if it is not known; times of the sun do not come then.
    package init(zone: LocalZone, place: Place?) {
        self.zone = zone
        sun = place.map(SunTimes.init)
    }

    /// The last run of the scene up to `now`; nil if there was none in the last week.
    package func last(of scene: HubScene, through now: Date) -> Run? {
        firstRun(of: scene, around: now, days: (-8...1).reversed()) { $0 <= now }
    }

    /// The first run of the scene after `now`; nil if there is none in the next week.
    package func next(of scene: HubScene, after now: Date) -> Run? {
        firstRun(of: scene, around: now, days: -1...8) { $0 > now }
    }

    /// The run of the first of `days`, counted from today, whose time is as wanted.
    private func firstRun(
        of scene: HubScene, around now: Date, days: some Sequence<Int>, where isWanted: (Date) -> Bool
    ) -> Run? {
        guard let time = scene.time else { return nil }
        let today = zone.day(at: Int(now.timeIntervalSince1970.rounded(.down)))
        for number in days {
            let day = today.adding(number)
            guard scene.days.contains(weekday: day.weekday), let seconds = seconds(of: time, on: day) else {
                continue
            }
            let run = Run(day: day, time: Date(timeIntervalSince1970: Double(seconds)))
            if isWanted(run.time) { return run }
        }
        return nil
    }

    /// Seconds since 1970; nil if the day has no such time.
    private func seconds(of time: SceneTime, on day: LocalDay) -> Int? {
        switch time {
        case .clock(let minutes): return zone.time(of: minutes, on: day)
        case .sun(let event, let shift):
            let noon = Double(zone.time(of: 720, on: day))
            return sun?.time(of: event, around: noon).map { Int($0.rounded()) + 60 * shift }
        }
    }
}
