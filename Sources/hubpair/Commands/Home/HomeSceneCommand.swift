import ArgumentParser
import Home
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home scene`: saved states of appliances.
struct HomeSceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Save the states of appliances as a scene, and restore it.",
        discussion: """
            Scenes are kept on this computer, in the file 'scenes'.

            EXAMPLES:
              hubpair home scene save evening
              hubpair home scene run evening
            """,
        subcommands: [Save.self, Run.self, List.self, Show.self, Remove.self])
}

extension HomeSceneCommand {
    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save",
            abstract: "Save the states of a hub's appliances, all or those that are named.",
            discussion: """
                Locks are left out unless they are named. A scene of the same name is replaced; the file \
                before stays as scenes.bak.

                EXAMPLES:
                  hubpair home scene save evening
                  hubpair home scene save reading Lamp 'Kitchen light'
                """)
        @OptionGroup var home: HomeOptions
        @Argument(help: "The scene's name, 1 to 63 bytes.", completion: NameCompletion.scenes)
        var name: String
        @Argument(
            help: ArgumentHelp("Only these appliances. (default: all but locks)", valueName: "appliance"),
            completion: NameCompletion.appliances)
        var devices: [String] = []

        func run() async throws {
            let name = try PeerName(known: name)
            try await home.use { try await save(name, of: $0) }
        }

        private func save(_ name: PeerName, of session: HomeSession) async throws {
            var all = try await session.devices()
            if !devices.isEmpty {
                let chosen = try Set(devices.map { try Selection($0).device(in: all).id })
                all = all.filter { chosen.contains($0.id) }
            } else {
                // A scene is about lights, mostly: it must not unlock the door by the way.
                sayLeftAlone(
                    all.filter(\.isLock), "left out, since a scene would open or close it unless it is named")
                all = all.filter { !$0.isLock }
            }
            let hub: Scene.Hub =
                session.hub.fingerprint.map { .paired($0) } ?? .stock(session.hub.name)
            let scene = Scene(name: name, hub: hub, devices: all)
            let isReplaced = try KeepScenes(configuration: home.configuration.configuration).save(scene)
            Console.note(
                "\(name): \(scene.states.count) state\(scene.states.count == 1 ? "" : "s") "
                    + "of \(session.title) "
                    + (isReplaced ? "saved, replacing those before" : "saved"))
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Restore a scene.",
            discussion: """
                All appliances at once. What fails is named, and the rest stands.

                EXAMPLES:
                  hubpair home scene run evening
                  hubpair home scene run evening --timeout 10
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(help: .json) var json = false
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: "The scene's name.", completion: NameCompletion.scenes) var name: String

        func run() async throws {
            let scene = try KeepScenes(configuration: configuration.configuration).find(PeerName(known: name))
            let reach = try UseHub(configuration: configuration.configuration)
            guard let hub = try reach.all().first(where: { $0.isHub(of: scene) }) else {
                throw SceneError.hubIsGone(scene.name, scene.hub)
            }
            try await HomeSession(hub, reach: reach).use { session in
                try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
                    scene.orders, asJSON: json)
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the scenes.",
            discussion: """
                EXAMPLES:
                  hubpair home scene list
                  hubpair home scene list --json
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(help: .json) var json = false

        func run() throws {
            let hubs = try UseHub(configuration: configuration.configuration).all()
            let scenes = try KeepScenes(configuration: configuration.configuration).all()
            if json {
                for scene in scenes {
                    try JSONLine.write(
                        .object([
                            "scene": .string(scene.name.description), "hub": scene.hubJSON,
                            "hub_name": scene.hubNameJSON(hubs),
                            "states": .integer(Int64(scene.states.count)),
                        ]))
                }
                return
            }
            if scenes.isEmpty { Console.note("no scene is saved; 'hubpair home scene save NAME' saves one") }
            try Table(
                columns: ["SCENE", "HUB", "STATES"],
                rows: scenes.map { scene in
                    let hub = hubs.first { $0.isHub(of: scene) }
                    let name = hub.map { $0.name.description + ($0.isUnprotected ? " (unprotected)" : "") }
                    return [scene.name.description, name ?? "not known any more", "\(scene.states.count)"]
                }
            ).write()
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the states of a scene.",
            discussion: """
                EXAMPLES:
                  hubpair home scene show evening
                  hubpair home scene show evening --json
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(help: .json) var json = false
        @Argument(help: "The scene's name.", completion: NameCompletion.scenes) var name: String

        func run() throws {
            let scene = try KeepScenes(configuration: configuration.configuration).find(PeerName(known: name))
            if json {
                let hubs = try UseHub(configuration: configuration.configuration).all()
                for state in scene.states {
                    try JSONLine.write(
                        .object([
                            "scene": .string(scene.name.description), "hub": scene.hubJSON,
                            "hub_name": scene.hubNameJSON(hubs),
                            "device": .string(state.device), "activator": .string(state.activator),
                            "name": .string(state.name), "state": state.state,
                        ]))
                }
                return
            }
            try Table(
                columns: ["NAME", "STATE"],
                rows: scene.states.map { [shortened($0.name), shortened($0.stateText)] }
            ).write()
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a scene.",
            discussion: """
                EXAMPLES:
                  hubpair home scene remove evening
                  hubpair home scene remove 'movie night'
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Argument(help: "The scene's name.", completion: NameCompletion.scenes) var name: String

        func run() throws {
            let name = try PeerName(known: name)
            try KeepScenes(configuration: configuration.configuration).remove(name)
            Console.note("\(name) is removed")
        }
    }
}

extension SavedHub {
    func isHub(of scene: Scene) -> Bool {
        switch scene.hub {
        case .paired(let fingerprint): self.fingerprint == fingerprint
        case .stock(let name): isUnprotected && self.name == name
        }
    }
}

extension Scene {
    fileprivate var hubJSON: JSONValue {
        if case .paired(let fingerprint) = hub { .string(fingerprint.description) } else { .null }
    }

    /// The name that the hub has on this computer; null if it is not known any more.
    fileprivate func hubNameJSON(_ hubs: [SavedHub]) -> JSONValue {
        if case .stock(let name) = hub { return .string(name.description) }
        return hubs.first { $0.isHub(of: self) }.map { .string($0.name.description) } ?? .null
    }
}

extension Scene.State {
    fileprivate var stateText: String {
        switch state {
        case .boolean(let isOn): isOn ? "on" : "off"
        default:
            if let level = state.asDouble, (0...1).contains(level) {
                Setting.level(level).text
            } else {
                state.text
            }
        }
    }
}
