import ArgumentParser
import FoundationEssentials
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home scene`: saved states of appliances, on the hub for everybody.
struct HomeSceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Save the states of appliances as a scene, restore it, and say when it runs.",
        discussion: """
            The hub keeps them, for everybody.

            EXAMPLES:
              hubpair home scene save evening
              hubpair home scene run evening
              hubpair home scene at evening sunset-20 'sat sun'
            """,
        subcommands: [
            List.self, SceneSaveCommand.self, SceneRunCommand.self, Show.self, Current.self,
            SceneSetCommand.self, SceneOutCommand.self, SceneAtCommand.self, SceneUploadCommand.self,
            SceneRemoveCommand.self,
        ])
}

extension HomeSceneCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the scenes of the hub.",
            discussion: """
                NOW says which scenes the appliances match, and which one decides what is \
                armed.

                EXAMPLES:
                  hubpair home scene list
                  hubpair home scene list --all-hubs --json
                """)
        @OptionGroup var places: ScenePlaces
        @Flag(help: .json) var json = false

        func run() async throws {
            let shelf = try await SceneShelf(places)
            let present = await SceneStanding.all(shelf.sessions)
            shelf.sayFailures()
            if json {
                for (session, scene) in shelf.scenes {
                    let standing = SceneStanding(of: scene, session.hub, in: present)
                    try JSONLine.write(scene.json(session.hub, standing))
                }
                return
            }
            if !shelf.old.found.isEmpty {
                Console.note(
                    "scenes that an earlier hubpair kept on this computer are in \(quoted(shelf.old.path)); "
                        + "'hubpair home scene upload' takes them to the hub")
            }
            if shelf.scenes.isEmpty {
                return Console.note("no scene is saved; 'hubpair home scene save NAME' saves one")
            }
            let now = Date()
            try Table(
                columns: ["SCENE", "HUB", "STATES", "RUNS", "LAST RUN", "NOW", Authors.title],
                rows: shelf.scenes.map { session, scene in
                    [
                        scene.name, session.hub.name.description, "\(scene.states.count)", scene.whenText,
                        scene.ran.map { LocalTime($0).text(seenAt: now) } ?? "",
                        SceneStanding(of: scene, session.hub, in: present)?.words ?? "", scene.authors.cell,
                    ]
                }
            ).write()
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the states of a scene.",
            discussion: """
                EXAMPLES:
                  hubpair home scene show evening
                  hubpair home scene show evening --json
                """)
        @OptionGroup var places: ScenePlaces
        @Flag(help: .json) var json = false
        @Argument(help: "The scene's name.") var name: String

        func run() async throws {
            let (session, scene) = try await SceneShelf(places).scene(called: PeerName(known: name))
            let units = (try? await session.rooms(isNeeded: false))?.units ?? StateUnits()
            if json {
                for state in scene.states {
                    var line: [String: JSONValue] = [
                        "scene": .string(scene.name), "name": .string(state.name ?? state.device),
                    ]
                    line.add(units.amount(state.state, of: state.device, state.activator))
                    let parts: [String: JSONValue] = [
                        "device": .string(state.device), "activator": .string(state.activator),
                        "state": state.state,
                    ]
                    try JSONLine.write(session.line(line, parts, scene.authors.members))
                }
                return
            }
            if !scene.whenText.isEmpty {
                try Console.output(words: "runs \(SafeText.escaped(scene.whenText))\n")
            }
            if let words = scene.authors.words { try Console.output(words: "\(SafeText.escaped(words))\n") }
            try Table(
                columns: ["NAME", "STATE"],
                rows: scene.states.map {
                    [
                        shortened($0.name ?? $0.device),
                        shortened(units.words(for: $0.state, of: $0.device, $0.activator)),
                    ]
                }
            ).write()
        }
    }

    struct Current: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "current", abstract: "Say which of the hub's scenes the house is in.",
            discussion: """
                A scene is current while all its appliances are as it says; the one that has run last comes \
                first. Without any the exit code is 1.

                EXAMPLES:
                  hubpair home scene current
                  hubpair home scene current --hub Garden
                """)
        @OptionGroup var home: HouseholdOptions
        @Flag(help: .json) var json = false

        func run() async throws {
            try await home.use { session in
                let names = try await SharedScenes(session.household).current()
                if json {
                    try JSONLine.write(names.map { session.line(["scene": .string($0)]) })
                } else if names.isEmpty {
                    Console.note("the house is in no scene")
                }
                if !json { for name in names { try Console.output(SafeText.escaped(name)) } }
                if names.isEmpty { throw ExitStatus.nothingFound }
            }
        }
    }
}

extension StateUnits {
    /// A state of a scene, a rule or the history in a word: `on`, `40%`, `21 °C`.
    func words(for state: JSONValue, of device: String, _ activator: String) -> String {
        switch state {
        case .boolean(let isOn): return isOn ? "on" : "off"
        default:
            if let text = text(state, of: device, activator) { return text }
            if let level = state.asDouble, (0...1).contains(level) { return Setting.level(level).text }
            return state.text
        }
    }
}

extension SharedScene {
    /// `sunset-20 on sat sun`, `07:30`; empty if it does not run by itself.
    var whenText: String {
        guard let time else { return "" }
        let days = days ?? []
        return time + (days.isEmpty || days.count == 7 ? "" : " on \(days.joined(separator: " "))")
    }

    /// The line of `home scene list --json`.
    func json(_ hub: SavedHub, _ standing: SceneStanding?) -> JSONValue {
        var line: [String: JSONValue] = [
            "scene": .string(name), "hub": .text(hub.fingerprint?.description),
            "hub_name": .string(hub.name.description), "states": .count(states.count),
            "kept": .string("hub"), "at": .text(time), "days": .null,
            "ran": .text(ran?.timestamp), "next": .text(next?.timestamp),
            "decides": .boolean(standing?.decides ?? false),
            "matches": standing?.matches.map(JSONValue.boolean) ?? .null,
        ]
        if let days { line["days"] = .array(days.map(JSONValue.string)) }
        line.merge(authors.members) { $1 }
        return .object(line)
    }
}
