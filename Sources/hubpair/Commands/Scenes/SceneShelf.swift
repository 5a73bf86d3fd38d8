import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// Of which hubs scenes are looked for.
struct ScenePlaces: ParsableArguments {
    @OptionGroup var home: HouseholdOptions

    @Flag(help: "Of every hub with which this computer is paired.") var allHubs = false

    func validate() throws {
        guard !allHubs || home.hub == nil else {
            throw ValidationError("--hub and --all-hubs exclude each other. Leave one out")
        }
    }
}

/// The scenes of the chosen hubs.
///
/// Of all hubs one that cannot be asked is passed over with a warning: its failure counts where nothing is
/// found without it. One that keeps no scenes has none.
struct SceneShelf {
    /// The hubs that were asked.
    let sessions: [HomeSession]
    let scenes: [(session: HomeSession, scene: SharedScene)]
    /// The scenes that hubpair 0.1 kept here.
    let old: OldScenes
    private let failures: [any Error]

    init(_ places: ScenePlaces) async throws {
        let configuration = places.home.configuration.configuration
        var sessions: [HomeSession] = []
        if places.allHubs {
            let reach = try UseHub(configuration: configuration)
            sessions = try reach.all().filter { !$0.isUnprotected }.map { HomeSession($0, reach: reach) }
        } else {
            try await places.home.use { sessions = [$0] }
        }
        let answers = await sessions.askAtOnce { _, session in
            try await SharedScenes(session.household).all()
        }
        var scenes: [(session: HomeSession, scene: SharedScene)] = []
        var failures: [any Error] = []
        for (session, answer) in zip(sessions, answers) {
            switch answer {
            case .success(let found): scenes += found.map { (session, $0) }
            case .failure(HouseholdRefusal.older) where places.allHubs: break
            case .failure(let error): failures.append(error)
            }
        }
        if let error = failures.first, failures.count == sessions.count { throw error }
        (self.sessions, self.scenes, self.failures) = (sessions, scenes, failures)
        old = OldScenes(configuration: configuration)
    }

    /// Warns of the hubs that could not be asked.
    func sayFailures() {
        for error in failures { Console.note("warning: \(message(of: error))") }
    }

    /// The scenes of a name, whatever its case, one of each hub at most: hubs keep none that differ in it
    /// alone.
    func scenes(called name: PeerName) throws -> [(session: HomeSession, scene: SharedScene)] {
        let wanted = name.description.lowercased()
        let found = scenes.filter { $0.scene.name.lowercased() == wanted }
        if !found.isEmpty { return found }
        if let error = failures.first { throw error }
        if old.found.contains(where: { $0.name == name }) { throw SceneError.old(name, path: old.path) }
        let near = Orthography.suggestions(for: name.description, among: scenes.map(\.scene.name))
        throw SceneError.unknown(name, near: near)
    }

    /// The first hub's scene of a name.
    func scene(called name: PeerName) throws -> (session: HomeSession, scene: SharedScene) {
        try scenes(called: name)[0]
    }
}

/// Why a scene cannot be found, saved or changed.
enum SceneError: UserError {
    /// No scene has the name; similar names.
    case unknown(PeerName, near: [String])
    /// Hubpair 0.1 has kept it on this computer, in this file.
    case old(PeerName, path: String)
    /// The hub has nothing that can be set.
    case nothingToSave
    case nothingLeft(PeerName)

    var description: String {
        switch self {
        case .unknown(let name, _), .old(let name, _): "no scene is called \"\(name)\""
        case .nothingToSave: "there is nothing on this hub that can be set"
        case .nothingLeft(let name): "nothing would be left in \(name)"
        }
    }

    var kind: UserErrorKind {
        switch self {
        case .unknown, .old: .notFound
        case .nothingToSave, .nothingLeft: .usage
        }
    }

    var hint: String? {
        switch self {
        case .unknown(_, let near):
            near.isEmpty
                ? "'hubpair home scene list' lists the scenes"
                : "did you mean " + near.map(quoted).joined(separator: " or ") + "?"
        case .old(let name, let path):
            "it is in \(quoted(path)), of an earlier hubpair: 'hubpair home scene upload "
                + "\(quoted(name.description))' takes it to the hub"
        case .nothingToSave: nil
        case .nothingLeft(let name):
            "'hubpair home scene remove \(quoted(name.description))' removes it"
        }
    }
}

extension [HomeSession] {
    /// Asks all hubs at once. `ask` gets the place of the hub in this array, too.
    ///
    /// - Returns: the answers in the order of the hubs; an error names its hub.
    func askAtOnce<Answer: Sendable>(
        _ ask: @escaping @Sendable (Int, HomeSession) async throws -> Answer
    ) async -> [Result<Answer, any Error>] {
        let answers = await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            for (index, session) in enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await ask(index, session)))
                    } catch {
                        return (index, .failure(HubFailure.named(error, hub: session.hub.name)))
                    }
                }
            }
            return await group.reduce(into: [Int: Result<Answer, any Error>]()) { $0[$1.0] = $1.1 }
        }
        return indices.compactMap { answers[$0] }
    }
}

extension HomeSession {
    /// The hub's scenes; none if it keeps none, or cannot be asked.
    func sharedScenes() async -> [SharedScene] {
        guard !hub.isUnprotected else { return [] }
        return (try? await SharedScenes(household).all()) ?? []
    }
}
