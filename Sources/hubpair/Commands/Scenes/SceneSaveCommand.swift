import ArgumentParser
import Home
import Household
import HubClient
import Identity
import Pairing

/// `hubpair home scene save`: the appliances as they are now.
struct SceneSaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Save the states of a hub's appliances, all or those that are named.",
        discussion: """
            The hub keeps it, for everybody. Locks, sensors and what does not answer are left out unless \
            they are named. A scene of the same name is replaced, and runs when it did.

            EXAMPLES:
              hubpair home scene save evening
              hubpair home scene save reading Lamp 'Kitchen light'
            """)
    @OptionGroup var home: HouseholdOptions
    @Argument(help: "The scene's name, 1 to 63 bytes.")
    var name: String
    @Argument(
        help: ArgumentHelp("Only these appliances. (default: all but locks)", valueName: "appliance"),
        completion: NameCompletion.appliances)
    var devices: [String] = []

    func run() async throws {
        if devices.count == 2, (try? Setting(devices[1])) != nil {
            throw UsageMistake(
                "a scene is saved as the house is; \(quoted(devices[1])) is no appliance",
                meant: ["home", "scene", "set"], [name] + devices)
        }
        if devices.count == 2, ["as", "in", "to", "als"].contains(devices[0].lowercased()) {
            throw UsageMistake(
                "the scene's name comes first", meant: ["home", "scene", "save"], [devices[1], name])
        }
        let name = try PeerName(known: name)
        try await home.use { session in try await save(name, of: session) }
    }

    private func save(_ name: PeerName, of session: HomeSession) async throws {
        async let rooms = session.rooms(isNeeded: false)
        let house = try await session.lookedAt()
        var all = try await rooms.kinds.applied(to: house.devices)
        if !devices.isEmpty {
            let chosen = try Set(devices.map { try Selection($0).device(in: all).id })
            all = all.filter { chosen.contains($0.id) }
            for device in all {
                guard let silence = session.silence(of: device.id) else { continue }
                Console.note("warning: \(quoted(device.name)) is \(silence.words): its last state is saved")
            }
        } else {
            // A scene is about lights, mostly: it must not unlock the door by the way.
            sayLeftAlone(
                all.filter(\.isLock), "left out, since a scene would open or close it unless it is named")
            // What only tells how something is, cannot be brought back to it.
            all = all.filter { !$0.isLock && !$0.onlyTells }
            // How they are is not known.
            let silent = all.filter { session.silence(of: $0.id) != nil }
            guard house.absence == nil else {
                throw Failure(
                    .unavailable,
                    "\(session.hub.name): how its appliances are now is not known, so nothing was saved",
                    hint: "appliances that are named are saved as they were: 'hubpair home' shows how")
            }
            sayLeftAlone(silent, "warning: left out, since it does not answer and is not named")
            all = all.filter { session.silence(of: $0.id) == nil }
        }
        let states = HubScene.State.all(of: all)
        guard !states.isEmpty else { throw SceneError.nothingToSave }
        let isReplaced = try await session.household.changing {
            try await save(states, as: name.description, session)
        }
        Console.note(
            "\(name): \(states.count) state\(states.count == 1 ? "" : "s") of \(session.title) "
                + (isReplaced ? "saved, replacing those before" : "saved"))
    }

    /// - Returns: true if it takes the place of one of the same name: when that runs and what it arms stay.
    private func save(
        _ states: [HubScene.State], as name: String, _ session: HomeSession
    ) async throws -> Bool {
        let scenes = SharedScenes(session.household)
        let before = try await scenes.all().first { $0.name.lowercased() == name.lowercased() }
        var scene = before ?? SharedScene(name: name, states: [])
        scene.states = states
        try await scenes.put(scene)
        return before != nil
    }
}

extension HubScene.State {
    /// The states of appliances as they are: every activator of a kind that can be set.
    static func all(of devices: [ControlledDevice]) -> [HubScene.State] {
        devices.flatMap { device in
            device.activators.compactMap { activator -> HubScene.State? in
                guard activator.kind == .bool || activator.kind == .float else { return nil }
                let name = "\(shortened(device.name)): \(shortened(activator.name))"
                return HubScene.State(
                    device: device.id, activator: activator.id, name: name, state: activator.state
                ).cut
            }
        }
    }

    /// The same, with a name that a hub keeps: 256 bytes.
    var cut: HubScene.State {
        guard let name, name.utf8.count > 256 else { return self }
        var kept = ""
        for character in name {
            guard kept.utf8.count + character.utf8.count <= 253 else { break }
            kept.append(character)
        }
        return HubScene.State(device: device, activator: activator, name: kept + "…", state: state)
    }
}
