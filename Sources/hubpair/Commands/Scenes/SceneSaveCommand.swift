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
            Locks, sensors and what does not answer are left out unless they are named. A scene of the same \
            name is replaced; this computer keeps the file before as scenes.bak, and the hub keeps when its \
            scene runs.

            EXAMPLES:
              hubpair home scene save evening
              hubpair home scene save reading Lamp 'Kitchen light'
              hubpair home scene save 'movie night' --shared
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: "Keep it on the hub, for everybody, instead of on this computer.") var shared = false
    @Argument(help: "The scene's name, 1 to 63 bytes.", completion: NameCompletion.scenes)
    var name: String
    @Argument(
        help: ArgumentHelp("Only these appliances. (default: all but locks)", valueName: "appliance"),
        completion: NameCompletion.appliances)
    var devices: [String] = []

    func run() async throws {
        let name = try PeerName(known: name)
        try await home.use { session in
            if shared, session.hub.isUnprotected { throw HouseholdRefusal.stock(session.hub.name) }
            try await save(name, of: session)
        }
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
            if house.absence != nil { throw NoStates(hub: session.hub.name) }
            sayLeftAlone(silent, "warning: left out, since it does not answer and is not named")
            all = all.filter { session.silence(of: $0.id) == nil }
        }
        let hub: Scene.Hub =
            session.hub.fingerprint.map { .paired($0) } ?? .stock(session.hub.name)
        let scene = Scene(name: name, hub: hub, devices: all)
        let isReplaced =
            try await shared
            ? session.household.changing { try await share(scene, session) }
            : KeepScenes(configuration: home.configuration.configuration).save(scene)
        Console.note(
            "\(name): \(scene.states.count) state\(scene.states.count == 1 ? "" : "s") "
                + "of \(session.title) "
                + (isReplaced ? "saved, replacing those before" : "saved")
                + (shared ? ", on the hub for everybody" : ""))
    }

    /// - Returns: true if it takes the place of one of the same name.
    private func share(_ scene: Scene, _ session: HomeSession) async throws -> Bool {
        guard !scene.states.isEmpty else { throw SceneError.empty }
        let scenes = SharedScenes(session.household)
        let before = try await scenes.all().first {
            $0.name.lowercased() == scene.name.description.lowercased()
        }
        try await scenes.put(SharedScene(scene, replacing: before))
        return before != nil
    }
}

/// The house does not answer: what its states are is not known.
private struct NoStates: UserError {
    let hub: PeerName

    var description: String { "\(hub): how its appliances are now is not known, so nothing was saved" }
    var hint: String? { "appliances that are named are saved as they were: 'hubpair home' shows how" }
    var kind: UserErrorKind { .unavailable }
}

extension SharedScene {
    /// A scene of this computer for the hub.
    ///
    /// - Parameter before: the hub's scene of that name: when it runs and what it arms stay.
    init(_ scene: Scene, replacing before: SharedScene?) {
        self.init(
            name: before?.name ?? scene.name.description,
            states: scene.states.map {
                HubScene.State(
                    device: $0.device, activator: $0.activator, name: SharedScene.cut($0.name),
                    state: $0.state)
            })
        (time, days, arms) = (before?.time, before?.days, before?.arms)
    }

    /// The hub keeps names of 256 bytes.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > 256 else { return name }
        var kept = ""
        for character in name {
            guard kept.utf8.count + character.utf8.count <= 253 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
