import FoundationEssentials
import Household
import HubService
import Identity
import Pairing

/// Decides which rules are armed, keeps that, and tells people.
struct ArmHouse: Sendable {
    /// Who decides, and how far that goes.
    struct Cause: Sendable {
        /// Nil: a time or an alarm.
        let author: JournalEntry.Author?
        /// Of people: `by "Anna"`.
        let words: String
        /// A guest runs scenes, and may arm the house by that; it is not for guests to disarm it.
        let mayDisarm: Bool
    }

    let rules: HouseholdStore<Rules>
    let scenes: HouseholdStore<HubScenes>
    let runs: HouseholdStore<SceneRuns>
    let clock: @Sendable () -> Date
    /// Tells people.
    let tell: @Sendable (MessageDraft) async -> Void

    /// What is armed now.
    func armed() async throws -> ArmedRules {
        let (rules, arming) = try await known()
        return ArmedRules(rules, arming, try await runs.read().decision)
    }

    /// Arms what the scene arms, without running it; nil: disarms all that is not always armed.
    ///
    /// - Throws: a `HouseholdError` if the scene arms nothing.
    func decide(_ scene: PeerName?, _ cause: Cause) async throws -> ArmedRules {
        var known: PeerName?
        if let scene {
            known = try await armed().arming(scene)
            if known == nil { throw HouseholdError.armsNothing(scene.description) }
        }
        var fact = JournalEntry.Fact(scene == nil ? .disarmed : .armed)
        fact.what = known.map { shortened($0.description) }
        let note = Journal.Note(
            fact: fact, author: cause.author, door: cause.author?.door ?? .hub, time: clock())
        return try await decide(known, cause, noting: note) { _, _ in }.after
    }

    /// Notes that the scene runs, and what is armed by that.
    ///
    /// - Returns: what the one who runs it has to know of that; nil: nothing.
    func note(_ scene: PeerName, _ cause: Cause) async throws -> String? {
        let decides = try await known().1.decides(scene)
        let (before, after) = try await decide(scene, cause, isKept: !decides) { runs, now in
            runs.note(scene, at: now)
        }
        guard decides, after.decision.scene != scene, !before.armed.isEmpty else { return nil }
        let words =
            "the scene \(quoted(scene.description)) disarms nothing for a guest: still armed: "
            + ArmedRules.words(before.armed)
        await tell(MessageDraft(kind: .notification, text: "\(words) (\(cause.words))"))
        return words
    }

    /// - Parameters:
    ///   - isKept: leaves what is armed as it is.
    ///   - note: what the journal tells of it, if it is a change. Of a scene that runs it has a line already.
    ///   - alongside: what else is written in the same step.
    private func decide(
        _ scene: PeerName?, _ cause: Cause, isKept: Bool = false, noting note: Journal.Note? = nil,
        alongside: @escaping @Sendable (inout SceneRuns, Date) -> Void
    ) async throws -> (before: ArmedRules, after: ArmedRules) {
        let (rules, arming) = try await known()
        let now = clock()
        let decision = SceneRuns.Decision(scene: scene, since: now, author: cause.author)
        let notes = { @Sendable (_: (ArmedRules, ArmedRules)) in note.map { [$0] } ?? [] }
        let (before, after) = try await runs.change(notes: notes) { runs throws(HouseholdError) in
            let before = ArmedRules(rules, arming, runs.decision)
            let mayDecide = cause.mayDisarm || ArmedRules(rules, arming, decision).keeps(before)
            alongside(&runs, now)
            if !isKept, mayDecide { runs.decide(decision) }
            return (before, ArmedRules(rules, arming, runs.decision))
        }
        if let change = after.change(from: before) {
            let through = scene.map { "scene \(quoted($0.description)), " } ?? ""
            await tell(
                MessageDraft(
                    kind: .notification, text: "\(change) (\(through)\(cause.words))",
                    author: cause.author?.device.description))
        }
        return (before, after)
    }

    private func known() async throws -> ([Rule], Arming) {
        let rules = try await rules.read().rules
        return (rules, Arming(rules, try await scenes.read().scenes))
    }
}
