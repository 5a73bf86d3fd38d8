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
              hubpair home scene remove 'movie night' --shared
            """)
    @OptionGroup var places: ScenePlaces
    @Flag(help: "The hub's.") var shared = false
    @Flag(help: "This computer's.") var local = false
    @Argument(help: "The scene's name.", completion: NameCompletion.scenes) var name: String

    func validate() throws {
        guard !shared || !local else {
            throw ValidationError("--shared and --local exclude each other. Leave one out")
        }
    }

    func run() async throws {
        let name = try PeerName(known: name)
        let keep = KeepScenes(configuration: places.configuration.configuration)
        if local { return try remove(name, keep) }
        let shelf = try await SceneShelf(places, for: name)
        let found = shelf.shared(called: name)
        let isLocal = shelf.local(called: name) != nil
        if isLocal, !found.isEmpty, !shared {
            throw UsageMistake(
                "\(name) is kept on \(found[0].session.hub.name), and on this computer too",
                hint: "add --shared to remove the hub's, or --local to remove this computer's")
        }
        if isLocal, !shared { return try remove(name, keep) }
        guard !found.isEmpty else { throw shelf.notFound(name) }
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

    private func remove(_ name: PeerName, _ keep: KeepScenes) throws {
        try keep.remove(name)
        Console.note("\(name) is removed")
    }
}

/// `hubpair home scene upload`: this computer's scenes to the hub.
struct SceneUploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Take scenes of this computer to the hub, for everybody.",
        discussion: """
            Those of a hub go to that hub; those of a stock hub that is guarded now to the one that --hub \
            names. A scene of the hub that is called the same stays unless --replace is said.

            EXAMPLES:
              hubpair home scene upload evening
              hubpair home scene upload --all --move
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: "Every scene of the hub.") var all = false
    @Flag(help: "Remove them here once the hub has them.") var move = false
    @Flag(help: "Replace scenes of the hub that are called the same.") var replace = false
    @Argument(
        help: ArgumentHelp("The scenes' names.", valueName: "name"), completion: NameCompletion.scenes)
    var names: [String] = []

    func validate() throws {
        guard all == names.isEmpty else {
            throw ValidationError("'upload' takes names of scenes, or --all. Say one of them")
        }
    }

    func run() async throws {
        let keep = KeepScenes(configuration: home.configuration.configuration)
        let names = try names.map { try PeerName(known: $0) }
        try await home.use { session in
            let isOfHub = { (scene: Scene) -> Bool in
                // A hub that was a stock one before has the same appliances, if the person says so by name.
                if case .stock = scene.hub { return home.hub != nil }
                return session.hub.isHub(of: scene)
            }
            let chosen = try all ? keep.all().filter(isOfHub) : names.map { try keep.find($0) }
            if let other = chosen.first(where: { !isOfHub($0) }) {
                throw UsageMistake(
                    "\(other.name) is of another hub", hint: "name the hub that has its appliances with --hub"
                )
            }
            if chosen.isEmpty { return Console.note("this computer keeps no scene of \(session.hub.name)") }
            var failure: ExitStatus?
            for scene in chosen {
                let isUploaded = try await session.household.changing {
                    try await upload(scene, SharedScenes(session.household))
                }
                guard isUploaded else {
                    Console.report(
                        "\(session.hub.name) has a scene \(scene.name) already",
                        hint: "add --replace to put this one in its place", exit: .usage)
                    failure = .usage
                    continue
                }
                if move { try keep.remove(scene.name) }
                Console.note("\(scene.name) is kept on \(session.hub.name) now, for everybody")
            }
            if let failure { throw failure }
        }
    }

    /// - Returns: false if the hub has one that is called the same, which is to stay.
    private func upload(_ scene: Scene, _ scenes: SharedScenes) async throws -> Bool {
        let before = try await scenes.all().first {
            $0.name.lowercased() == scene.name.description.lowercased()
        }
        guard before == nil || replace else { return false }
        try await scenes.put(SharedScene(scene, replacing: before))
        return true
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
    @Argument(help: "On these days: mon to sun, with spaces between them; weekdays, weekend. (default: all)")
    var days: String?

    func run() async throws {
        // "7:30" is half past seven in the morning.
        let said = self.time.lowercased()
        let time = SceneTime(said) == nil && SceneTime("0\(said)") != nil ? "0\(said)" : said
        let isNever = time == "never"
        guard isNever || SceneTime(time) != nil else {
            throw UsageMistake(
                "\(quoted(self.time)) is no time of a scene",
                hint: "give one like 07:30, sunrise, sunrise+15, sunset-20, or never")
        }
        let days = days.map {
            $0.lowercased().split { $0 == " " || $0 == "," }.flatMap(SceneAtCommand.days)
        }
        if let days, isNever || SceneDays(days) == nil {
            throw UsageMistake(
                isNever ? "never has no days" : "\(quoted(self.days ?? "")) are no days",
                hint: isNever ? "leave out the days" : "give days like 'mon tue sun', each once")
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

    /// The days that a word means, as a hub writes them.
    private static func days(_ word: Substring) -> [String] {
        switch word {
        case "weekdays": ["mon", "tue", "wed", "thu", "fri"]
        case "weekend", "weekends": ["sat", "sun"]
        default: [String(word.prefix(3))]
        }
    }
}
