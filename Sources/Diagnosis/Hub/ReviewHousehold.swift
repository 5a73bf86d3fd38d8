package import Home
import Household
package import HubService
import Identity
import Pairing

/// Looks for what the household's files name and the house does not have. Nothing is written, no lock is
/// taken.
package struct ReviewHousehold: Sendable {
    /// What is wrong with a scene or a rule.
    package struct Fault: Equatable, Sendable {
        /// In lower case, without a full stop. It may hold names of strangers.
        package let text: String
        /// What mends it.
        package let mend: String

        package init(text: String, mend: String) { (self.text, self.mend) = (text, mend) }
    }

    package struct Review: Equatable, Sendable {
        package var roomCount = 0
        package var sceneCount = 0
        package var ruleCount = 0
        package var faults: [Fault] = []
        /// False if the server behind the hub did not say which appliances there are.
        package var isWhole = true

        package init() {}
    }

    private let state: HubState

    package init(_ state: HubState) { self.state = state }

    /// - Parameter appliances: what there is in the house; nil if that is not known.
    /// - Throws: a `UserError` for a file that cannot be read.
    package func run(appliances: () async -> [ControlledDevice]?) async throws -> Review {
        let settings = try HubState.settings(in: state.open())
        let files = try HouseFiles(of: state)
        let (rooms, scenes, rules) = try read(files)
        var review = Review()
        (review.roomCount, review.sceneCount, review.ruleCount) = (rooms.count, scenes.count, rules.count)
        review.faults = files.lost.map { Fault(text: $0.description, mend: $0.hint ?? "") }
        guard !rooms.isEmpty || !scenes.isEmpty || !rules.isEmpty else { return review }
        review.faults += faults(scenes, rules, hasPlace: settings?.place != nil)
        guard let house = await appliances() else {
            review.isWhole = false
            return review
        }
        review.faults += gone(house, rooms, scenes, rules)
        return review
    }

    private func read(_ files: HouseFiles) throws -> ([Room], [HubScene], [Rule]) {
        func content<Content>(
            _ name: String, _ parse: ([UInt8]) throws(KeyFileError) -> Content
        ) throws -> Content? {
            if let fault = files.faults[name] { throw fault }
            return try files.contents[name].map(parse)
        }
        return (
            try content(Rooms.fileName, Rooms.init(parsing:))?.rooms ?? [],
            try content(HubScenes.fileName, HubScenes.init(parsing:))?.scenes ?? [],
            try content(Rules.fileName, Rules.init(parsing:))?.rules ?? []
        )
    }

    /// Names that lead nowhere, among the files themselves.
    private func faults(_ scenes: [HubScene], _ rules: [Rule], hasPlace: Bool) -> [Fault] {
        let sceneNames = Set(scenes.map { $0.name.folded })
        let ruleNames = Set(rules.map { $0.name.folded })
        var faults: [Fault] = []
        for rule in rules {
            for name in (rule.scenes ?? []) + [rule.run].compactMap(\.self)
            where !sceneNames.contains(name.folded) {
                faults.append(
                    Fault(
                        text: "the rule \"\(rule.name)\" names the scene \"\(name)\", and there is none",
                        mend: mend(Rules.fileName)))
            }
        }
        for scene in scenes {
            for name in scene.arms ?? [] where !ruleNames.contains(name.folded) {
                faults.append(
                    Fault(
                        text: "the scene \"\(scene.name)\" arms the rule \"\(name)\", and there is none",
                        mend: mend(HubScenes.fileName)))
            }
            if scene.time?.needsPlace == true, !hasPlace {
                faults.append(
                    Fault(
                        text: "the scene \"\(scene.name)\" runs by the sun, and the hub does not know where "
                            + "it is",
                        mend: "hubpair setup --change --place '52.52 13.41'\(state.argument)"))
            }
        }
        return faults
    }

    private func gone(
        _ house: [ControlledDevice], _ rooms: [Room], _ scenes: [HubScene], _ rules: [Rule]
    ) -> [Fault] {
        var faults: [Fault] = []
        let states = Set(
            house.flatMap { device in
                device.activators.map { StateKey(device: device.id, activator: $0.id) }
            })
        let devices = Set(house.map(\.id))
        for rule in rules where !states.contains(StateKey(device: rule.device, activator: rule.activator)) {
            faults.append(
                Fault(
                    text: "the rule \"\(rule.name)\" watches an appliance that is gone "
                        + "(\(shortened(rule.device)))",
                    mend: mend(Rules.fileName)))
        }
        for scene in scenes {
            let missing = scene.states.filter {
                !states.contains(StateKey(device: $0.device, activator: $0.activator))
            }
            guard let first = missing.first else { continue }
            let more = missing.count > 1 ? " (and \(missing.count - 1) more of it)" : ""
            faults.append(
                Fault(
                    text: "the scene \"\(scene.name)\" is for an appliance that is gone: "
                        + "\(shortened(first.name ?? first.device))\(more)",
                    mend: mend(HubScenes.fileName)))
        }
        for room in rooms {
            let missing = room.devices.filter { !devices.contains($0) }
            guard let first = missing.first else { continue }
            let more = missing.count > 1 ? " (and \(missing.count - 1) more in it)" : ""
            faults.append(
                Fault(
                    text: "the room \"\(shortened(room.name))\" has an appliance that is gone: "
                        + "\(shortened(first))\(more)",
                    mend: mend(Rooms.fileName)))
        }
        return faults
    }

    private func mend(_ file: String) -> String {
        "take it out of \(state.household.path)/\(file), which counts at once"
    }
}
