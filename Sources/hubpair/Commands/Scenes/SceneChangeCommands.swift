import ArgumentParser
import Home
import Household
import HubClient
import Identity
import Pairing

/// `hubpair home scene remove`
struct SceneRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a scene.",
        discussion: """
            EXAMPLES:
              hubpair home scene remove evening
              hubpair home scene remove 'movie night' --hub House
            """)
    @OptionGroup var places: ScenePlaces
    @Argument(help: "The scene's name.") var name: String

    func run() async throws {
        let found = try await SceneShelf(places).scenes(called: PeerName(known: name))
        for (session, scene) in found {
            try await session.use { session in
                let scenes = SharedScenes(session.household)
                try await session.household.changing {
                    // The version that is removed is the one that is there now.
                    _ = try await scenes.all()
                    try await scenes.remove(scene.name)
                }
                Console.note("\(scene.name) is removed from \(session.hub.name)")
            }
        }
    }
}

/// `hubpair home scene at`: when a scene of the hub runs by itself.
struct SceneAtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at", abstract: "Say when a scene of the hub runs by itself.",
        discussion: """
            A time of day of the hub's clock, or minutes before or after sunrise or sunset, for which the \
            hub must know its place ('hubpair setup --change --place' there). 'never' ends it.

            EXAMPLES:
              hubpair home scene at 'good morning' 07:30 'mon tue wed thu fri'
              hubpair home scene at evening sunset-20
              hubpair home scene at evening never
            """)
    @OptionGroup var home: HouseholdOptions
    @Argument(help: "The scene's name.") var name: String
    @Argument(help: ArgumentHelp("07:30, sunrise, sunset-20, or never.", valueName: "time"))
    var time: String
    @Argument(help: "On these days: 'tue sat', mon-fri, weekdays, weekend. (default: all)")
    var days: String?

    func run() async throws {
        let time = SaidTime.clock(self.time) ?? SaidTime.sun(self.time) ?? self.time.lowercased()
        let isNever = time == "never"
        guard isNever || SceneTime(time) != nil else {
            throw UsageMistake(
                "\(quoted(self.time)) is no time of a scene",
                hint: "give one like 07:30, sunrise, sunrise+15, sunset-20, or never")
        }
        let days = days.map { SaidDays.names($0) ?? [] }
        if let days, isNever || SceneDays(days) == nil {
            throw UsageMistake(
                isNever ? "never has no days" : "\(quoted(self.days ?? "")) are no days",
                hint: isNever ? "leave out the days" : "give days like mon-fri or 'tue sat sun', each once")
        }
        try await home.change { session in
            let scenes = SharedScenes(session.household)
            let all = try await scenes.all()
            guard var scene = all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                let near = Orthography.suggestions(for: name, among: all.map(\.name))
                throw SelectionError.unknown(
                    name, kind: "scene of the hub", near: near, all: all.prefix(8).map(\.name))
            }
            scene.time = isNever ? nil : time
            scene.days = isNever ? nil : days.flatMap { SceneDays($0)?.names }
            try await scenes.put(scene)
            Console.note(
                isNever
                    ? "\(scene.name) does not run by itself now"
                    : "\(scene.name) runs by itself: \(scene.whenText)")
        }
    }
}
