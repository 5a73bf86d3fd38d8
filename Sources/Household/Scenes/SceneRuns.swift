package import FoundationEssentials
package import Identity
package import Pairing

/// The hub's file `scene-runs`: what it has to remember of the scenes, so that none runs twice.
///
///     [keyfile]
///     format=1
///
///     [runs]
///     count=17
///     decided=Away
///
///     [scene Movie night]
///     run=17
///     ran=2026-11-21T17:45:12Z
///     plan=sunset+30 fri sat
///     done=2026-11-20 2026-11-21
///
/// `count` numbers the runs of all scenes. `decided` is the last one that has run of those that decide what
/// is armed (``Arming``). Of each scene: the number and the time of its last run; its time and days as they
/// were when the clock last looked; and the days of the local calendar for which the clock is done with it,
/// the latest 16.
///
/// Accepted: the above. Rejected: `run=x`, `done=yesterday`, another kind of group, `format=2`.
package struct SceneRuns: HouseholdFile, Equatable {
    package static let fileName = "scene-runs"
    package static let words = "what it knows of the scenes' runs"
    private static let kind = "scene"
    private static let group = "runs"
    /// A clock that is set back and forth comes to the same days again.
    static let maximumDayCount = 16

    /// How the clock stands with a timed scene.
    struct Plan: Equatable {
        /// The time and the days of the scene.
        let text: String
        /// The days for which nothing is to be done any more, in the order in which they were done.
        let done: [LocalDay]
    }

    private var file: KeyFile

    package init() { file = .empty(comment: "Which scenes have run; written by 'hubpair serve' alone.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        _ = try SceneRuns.number("count", in: SceneRuns.group, of: file)
        for name in try file.identifiers(of: SceneRuns.kind, besides: [SceneRuns.group]) {
            let group = "\(SceneRuns.kind) \(name)"
            _ = try SceneRuns.number("run", in: group, of: file)
            if let text = file.value("ran", in: group), Date(timestamp: text) == nil {
                throw .invalidValue("not a time like 2026-11-21T10:22:03Z", key: "ran", group: group)
            }
            let days = file.value("done", in: group)?.split(separator: " ") ?? []
            guard days.allSatisfy({ LocalDay(String($0)) != nil }) else {
                throw .invalidValue("not days like 2026-11-21", key: "done", group: group)
            }
        }
    }

    private static func number(
        _ key: String, in group: String, of file: KeyFile
    ) throws(KeyFileError) -> Int {
        guard let text = file.value(key, in: group) else { return 0 }
        guard text.utf8.count <= 18, let number = Int(digits: text) else {
            throw .invalidValue("not a number of at most 18 digits", key: key, group: group)
        }
        return number
    }

    package var serialized: [UInt8] { file.serialized }

    /// The number of the scene's last run; 0 if it has not run. A later run has a higher one.
    package func number(of scene: PeerName) -> Int {
        file.value("run", in: SceneRuns.group(scene)).flatMap { Int($0) } ?? 0
    }

    /// When the scene ran last; nil if it has not.
    package func time(of scene: PeerName) -> Date? {
        file.value("ran", in: SceneRuns.group(scene)).flatMap { Date(timestamp: $0) }
    }

    /// The last scene that has decided what is armed; nil: none has.
    package var decided: PeerName? {
        file.value("decided", in: SceneRuns.group).flatMap { try? PeerName(known: $0) }
    }

    /// Notes that the scene runs.
    ///
    /// - Parameter decides: whether it changes what is armed.
    package mutating func note(_ scene: PeerName, at now: Date, decides: Bool) {
        let count = (file.value("count", in: SceneRuns.group).flatMap { Int($0) } ?? 0) + 1
        file.set("count", to: String(count), in: SceneRuns.group)
        if decides { file.set("decided", to: scene.description, in: SceneRuns.group) }
        file.set("run", to: String(count), in: SceneRuns.group(scene))
        file.set("ran", to: now.timestamp, in: SceneRuns.group(scene))
    }

    func plan(of scene: PeerName) -> Plan? {
        guard let text = file.value("plan", in: SceneRuns.group(scene)) else { return nil }
        let days = file.value("done", in: SceneRuns.group(scene))?.split(separator: " ") ?? []
        return Plan(text: text, done: days.compactMap { LocalDay(String($0)) })
    }

    mutating func set(_ plan: Plan?, of scene: PeerName) {
        let done = plan?.done.suffix(SceneRuns.maximumDayCount).map(\.description).joined(separator: " ")
        file.set("plan", to: plan?.text, in: SceneRuns.group(scene))
        file.set("done", to: done?.isEmpty == false ? done : nil, in: SceneRuns.group(scene))
    }

    /// Forgets all scenes but these.
    mutating func keep(_ scenes: [PeerName]) {
        let groups = Set(scenes.map(SceneRuns.group))
        let gone = file.groupNames.filter { $0.hasPrefix(SceneRuns.kind + " ") && !groups.contains($0) }
        file.removeGroups(Set(gone))
    }

    private static func group(_ scene: PeerName) -> String { "\(kind) \(scene)" }
}
