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
///     since=2026-11-21T08:10:00Z
///     by=7MRM-FEPH-QNYK-029X
///     by-name=Anna's tablet
///
///     [scene Movie night]
///     run=17
///     ran=2026-11-21T17:45:12Z
///     plan=sunset+30 fri sat
///     done=2026-11-20 2026-11-21
///
/// `count` numbers the runs of all scenes. `decided` is the scene that decides what is armed (``Arming``):
/// the last one of those that has run, or in which somebody has armed the house; without it nothing is armed
/// that a scene must arm. `since` and `by` say since when, and by which device. Of each scene: the number and
/// the time of its last run; its time and days as they were when the clock last looked; and the days of the
/// local calendar for which the clock is done with it, the latest 16.
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

    package var file: KeyFile

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

    /// The number of the scene's last run; 0 if it has not run. A later run has a higher one.
    package func number(of scene: PeerName) -> Int {
        file.value("run", in: SceneRuns.group(scene)).flatMap { Int($0) } ?? 0
    }

    /// When the scene ran last; nil if it has not.
    package func time(of scene: PeerName) -> Date? {
        file.value("ran", in: SceneRuns.group(scene)).flatMap { Date(timestamp: $0) }
    }

    /// What decides which rules are armed.
    package struct Decision: Equatable, Sendable {
        /// Nil: no scene does.
        package let scene: PeerName?
        /// Nil: it is not known.
        package let since: Date?
        /// The device through which it was decided; nil: a time or an alarm, or it is not known.
        package let author: JournalEntry.Author?

        package init(scene: PeerName? = nil, since: Date? = nil, author: JournalEntry.Author? = nil) {
            (self.scene, self.since, self.author) = (scene, since, author)
        }
    }

    package var decision: Decision {
        let value = { file.value($0, in: SceneRuns.group) }
        let scene = value("decided").flatMap { try? PeerName(known: $0) }
        let since = value("since").flatMap { Date(timestamp: $0) }
        var author: JournalEntry.Author?
        if let device = value("by").flatMap({ Fingerprint($0) }),
            let name = value("by-name").flatMap({ try? PeerName(known: $0) })
        {
            author = JournalEntry.Author(device: device, name: name)
        }
        // A hub of 0.1 has written down when the scene ran.
        return Decision(scene: scene, since: since ?? scene.flatMap(time(of:)), author: author)
    }

    /// Decides anew; what is so already keeps its time and its author.
    package mutating func decide(_ decision: Decision) {
        guard decision.scene != self.decision.scene else { return }
        file.set("decided", to: decision.scene?.description, in: SceneRuns.group)
        file.set("since", to: decision.since?.timestamp, in: SceneRuns.group)
        file.set("by", to: decision.author?.device.description, in: SceneRuns.group)
        file.set("by-name", to: decision.author?.name.description, in: SceneRuns.group)
    }

    /// Notes that the scene runs.
    package mutating func note(_ scene: PeerName, at now: Date) {
        let count = (file.value("count", in: SceneRuns.group).flatMap { Int($0) } ?? 0) + 1
        file.set("count", to: String(count), in: SceneRuns.group)
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
