import ArgumentParser
import FoundationEssentials
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home scene`: saved states of appliances, on this computer or on the hub for everybody.
struct HomeSceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene",
        abstract: "Save the states of appliances as a scene, restore it, and say when it runs.",
        discussion: """
            Scenes are kept on this computer, in the file 'scenes', or on the hub for everybody: 'save \
            --shared' and 'upload'. Of two that are called the same the hub's is meant.

            EXAMPLES:
              hubpair home scene save evening --shared
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
            commandName: "list", abstract: "List the scenes of the hub and of this computer.",
            discussion: """
                NOW says which of the hub's scenes the appliances match, and which one decides what is \
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
            if json {
                for (hub, scene) in shelf.shared {
                    try JSONLine.write(scene.json(hub, SceneStanding(of: scene, hub, in: present)))
                }
                for scene in shelf.local { try JSONLine.write(scene.listJSON(shelf.hubs)) }
                return
            }
            shelf.sayFailures()
            if shelf.local.isEmpty, shelf.shared.isEmpty {
                return Console.note("no scene is saved; 'hubpair home scene save NAME' saves one")
            }
            let now = Date()
            let local = shelf.local.map { scene in
                [
                    scene.name.description, scene.hubTitle(shelf.hubs), "\(scene.states.count)",
                    "this computer",
                    "", "", "", "",
                ]
            }
            let shared = shelf.shared.map { hub, scene in
                [
                    scene.name, hub.name.description, "\(scene.states.count)", "the hub", scene.whenText,
                    scene.ran.map { LocalTime($0).text(seenAt: now) } ?? "",
                    SceneStanding(of: scene, hub, in: present)?.words ?? "", scene.authors.cell,
                ]
            }
            // Without any on a hub the table is what it was before hubs kept scenes.
            let width = shared.isEmpty ? 3 : 8
            let columns = ["SCENE", "HUB", "STATES", "KEPT ON", "RUNS", "LAST RUN", "NOW", Authors.title]
            try Table(
                columns: Array(columns.prefix(width)),
                rows: (shared + local).map { Array($0.prefix(width)) }
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
        @Argument(help: "The scene's name.", completion: NameCompletion.scenes) var name: String

        func run() async throws {
            let name = try PeerName(known: name)
            let shelf = try await SceneShelf(places, for: name)
            let found = try shelf.find(name)
            // The hub's would have been meant.
            if case .local = found { shelf.sayFailures() }
            let units = await shelf.units(of: found)
            if json {
                for state in found.states { try JSONLine.write(found.json(of: state, shelf.hubs, units)) }
                return
            }
            if case .shared(_, let scene) = found, !scene.whenText.isEmpty {
                try Console.output("runs \(SafeText.escaped(scene.whenText))\n")
            }
            if case .shared(_, let scene) = found, let words = scene.authors.words {
                try Console.output("\(SafeText.escaped(words))\n")
            }
            try Table(
                columns: ["NAME", "STATE"],
                rows: found.states.map {
                    [shortened($0.name), shortened(units.words(for: $0.state, of: $0.device, $0.activator))]
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
                    try JSONLine.write(
                        names.map { name in
                            JSONValue.object(
                                session.householdJSON.merging(["scene": .string(name)]) { _, new in new })
                        })
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

extension Scene {
    fileprivate func listJSON(_ hubs: [SavedHub]) -> JSONValue {
        .object([
            "scene": .string(name.description), "hub": hubJSON, "hub_name": hubNameJSON(hubs),
            "states": .count(states.count), "kept": .string("computer"), "at": .null, "days": .null,
            "ran": .null, "next": .null, "decides": .boolean(false), "matches": .null,
        ])
    }

    fileprivate func hubTitle(_ hubs: [SavedHub]) -> String {
        let hub = hubs.first { $0.isHub(of: self) }
        return hub.map { $0.name.description + ($0.isUnprotected ? " (unprotected)" : "") }
            ?? "not known any more"
    }
}
