import Household
import HubService
import Identity
import Pairing

/// What a device leaves in the household that acts without it: timed scenes, rules, and scenes that alarms
/// run, if it saved them last.
struct LeftRecords: Sendable {
    private let device: Fingerprint
    private let state: HubState

    init(of device: Fingerprint, in state: HubState) { (self.device, self.state) = (device, state) }

    func things() throws -> [LeftThing] {
        let (scenes, rules) = try LeftRecords.files(in: state.open())
        return self.scenes(scenes, rules).map(\.thing) + self.rules(rules).map(\.thing)
    }

    /// Takes it away, and returns what there was.
    func takeAway() throws -> [LeftThing] {
        try state.open().withLock { directory in
            var (scenes, rules) = try LeftRecords.files(in: directory)
            let before = (scenes, rules)
            let things = try takeAway(&scenes, &rules)
            if scenes != before.0 { try directory.replace(HubScenes.fileName, with: scenes.serialized) }
            if rules != before.1 { try directory.replace(Rules.fileName, with: rules.serialized) }
            return things
        }
    }

    /// The same at all gates that share the house.
    func takeAway(from files: FileTable) async throws -> [LeftThing] {
        try await files.change { files in
            var scenes = try files[HubScenes.fileName].map { try HubScenes(parsing: $0) } ?? HubScenes()
            var rules = try files[Rules.fileName].map { try Rules(parsing: $0) } ?? Rules()
            let things = try takeAway(&scenes, &rules)
            guard !things.isEmpty else { return things }
            files[HubScenes.fileName] = scenes.serialized
            files[Rules.fileName] = rules.serialized
            return things
        }.0
    }

    private func takeAway(
        _ scenes: inout HubScenes, _ rules: inout Rules
    ) throws(HouseholdError) -> [LeftThing] {
        let (oldScenes, oldRules) = (self.scenes(scenes, rules), self.rules(rules))
        for (name, _) in oldScenes { try scenes.remove(HubScene.self, name.description) }
        for (name, _) in oldRules { try rules.remove(Rule.self, name.description) }
        return oldScenes.map(\.thing) + oldRules.map(\.thing)
    }

    private static func files(in directory: borrowing ProtectedDirectory) throws -> (HubScenes, Rules) {
        (
            try directory.read(HubScenes.fileName, HubScenes.init(parsing:)) ?? HubScenes(),
            try directory.read(Rules.fileName, Rules.init(parsing:)) ?? Rules()
        )
    }

    private func scenes(_ file: HubScenes, _ rules: Rules) -> [(name: PeerName, thing: LeftThing)] {
        file.scenes.compactMap { scene in
            guard file.authors(of: scene).last?.device == device else { return nil }
            let alarm = rules.rules.first { $0.run?.folded == scene.name.folded }
            let days = scene.days == .all ? "" : " on \(scene.days)"
            let what = [
                scene.time.map { "at \($0)\(days); held until somebody saves it again" },
                alarm.map { "the alarm \(quoted($0.name.description)) runs it" },
            ].compactMap(\.self)
            guard !what.isEmpty else { return nil }
            return (
                scene.name,
                LeftThing(
                    kind: "scene", name: scene.name.description, what: what.joined(separator: "; "))
            )
        }
    }

    private func rules(_ file: Rules) -> [(name: PeerName, thing: LeftThing)] {
        file.rules.filter { file.authors(of: $0).last?.device == device }.map { rule in
            let scene = rule.run.map { ", runs the scene \(quoted($0.description))" } ?? ""
            return (
                rule.name,
                LeftThing(
                    kind: "rule", name: rule.name.description,
                    what: "\(rule.kind.rawValue): \(shortened(rule.text))\(scene)")
            )
        }
    }
}
