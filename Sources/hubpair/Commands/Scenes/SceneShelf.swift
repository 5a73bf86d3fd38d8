import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// Of which hubs scenes are looked for, beside those of this computer.
struct ScenePlaces: ParsableArguments {
    @Option(help: .chosenHub)
    var hub: PeerSelector?

    @Flag(help: "Of every hub with which this computer is paired.") var allHubs = false

    @OptionGroup var configuration: ConfigurationOption

    func validate() throws {
        guard !allHubs || hub == nil else {
            throw ValidationError("--hub and --all-hubs exclude each other. Leave one out")
        }
    }
}

/// The scenes that a name may mean: those of the chosen hubs, and those of this computer.
///
/// This computer's are known without the network, and a hub that is gone delays them by ``patience`` at most.
/// A hub that keeps none, or cannot be asked, is passed over: its failure counts where the scene is not found
/// without it.
struct SceneShelf {
    /// A scene that was looked for.
    enum Found {
        case local(Scene)
        case shared(HomeSession, SharedScene)
    }

    /// How long connecting may take where this computer has an answer too.
    private static let patience = Duration.seconds(3)

    let local: [Scene]
    /// All hubs that this computer may use.
    let hubs: [SavedHub]
    let shared: [(hub: SavedHub, scene: SharedScene)]
    /// The hubs that were asked.
    let sessions: [HomeSession]
    private let failures: [(hub: SavedHub, error: any Error)]

    /// - Parameter name: the scene that is looked for; nil: all.
    init(_ places: ScenePlaces, for name: PeerName? = nil) async throws {
        let configuration = places.configuration.configuration
        let local = try KeepScenes(configuration: configuration).all()
        let reach = try UseHub(configuration: configuration)
        hubs = try reach.all()
        let chosen: [SavedHub]
        if places.allHubs {
            chosen = hubs.filter { !$0.isUnprotected }
        } else {
            do {
                chosen = [try reach.find(places.hub)].filter { !$0.isUnprotected }
            } catch  where places.hub == nil {
                // Scenes of this computer say themselves which hub they are of.
                chosen = []
            }
        }
        let isHere = name.map { name in local.contains { $0.name == name } } ?? !local.isEmpty
        let connecting = isHere ? SceneShelf.patience : HubConnector.deadline
        sessions = chosen.map { HomeSession($0, reach: reach, connecting: connecting) }
        self.local = local
        (shared, failures) = await SceneShelf.ask(sessions)
    }

    /// All hubs at once; answers in the order of the hubs.
    private static func ask(
        _ sessions: [HomeSession]
    ) async -> ([(hub: SavedHub, scene: SharedScene)], [(hub: SavedHub, error: any Error)]) {
        let answers = await sessions.askAtOnce { _, session in
            try await SharedScenes(session.household).all()
        }
        var shared: [(hub: SavedHub, scene: SharedScene)] = []
        var failures: [(hub: SavedHub, error: any Error)] = []
        for (session, answer) in zip(sessions, answers) {
            switch answer {
            case .success(let scenes): shared += scenes.map { (hub: session.hub, scene: $0) }
            case .failure(let error): failures.append((session.hub, error))
            }
        }
        return (shared, failures)
    }

    /// Warns of the hubs that could not be asked.
    func sayFailures() {
        for (_, error) in failures {
            if case HouseholdRefusal.older = error { continue }
            Console.note("warning: \(message(of: error))")
        }
    }

    /// The hub's scenes of a name, whatever its case: hubs keep none that differ in it alone.
    func shared(called name: PeerName) -> [(session: HomeSession, scene: SharedScene)] {
        sessions.compactMap { session in
            let own = shared.filter { $0.hub.fingerprint == session.hub.fingerprint }
            let wanted = name.description.lowercased()
            return own.first { $0.scene.name.lowercased() == wanted }.map {
                (session: session, scene: $0.scene)
            }
        }
    }

    /// This computer's scene of a name, to the byte.
    func local(called name: PeerName) -> Scene? { local.first { $0.name == name } }

    /// The scene of a name: a hub's, or this computer's.
    func find(_ name: PeerName) throws -> Found {
        if let (session, scene) = shared(called: name).first { return .shared(session, scene) }
        if let scene = local(called: name) { return .local(scene) }
        throw notFound(name)
    }

    /// What the levels of a scene count, as its hub says; none if it cannot be asked.
    func units(of found: Found) async -> StateUnits {
        let session: HomeSession?
        switch found {
        case .shared(let keeper, _): session = keeper
        case .local(let scene):
            session = sessions.first { session in
                session.hub.isHub(of: scene) && !failures.contains { $0.hub == session.hub }
            }
        }
        return (try? await session?.rooms(isNeeded: false))?.units ?? StateUnits()
    }

    /// Why there is no such scene: a hub that could not be asked, or an unknown name.
    func notFound(_ name: PeerName) -> any Error {
        let names = local.map(\.name.description) + shared.map(\.scene.name)
        // A refusal is reported as such; a scene may also be of an older hub, which keeps none.
        if let error = failures.first?.error {
            if case HouseholdRefusal.older = error {} else { return error }
        }
        return SceneError.unknown(name, near: Orthography.suggestions(for: name.description, among: names))
    }
}

extension SceneShelf.Found {
    /// One state, with a name for people.
    struct State {
        let device: String
        let activator: String
        let name: String
        let state: JSONValue
    }

    var states: [State] {
        switch self {
        case .local(let scene):
            scene.states.map {
                State(device: $0.device, activator: $0.activator, name: $0.name, state: $0.state)
            }
        case .shared(_, let scene):
            scene.states.map {
                State(
                    device: $0.device, activator: $0.activator, name: $0.name ?? $0.device, state: $0.state)
            }
        }
    }

    /// The line of `home scene show --json`.
    func json(of state: State, _ hubs: [SavedHub], _ units: StateUnits) -> JSONValue {
        var line: [String: JSONValue] = [
            "device": .string(state.device), "activator": .string(state.activator),
            "name": .string(state.name), "state": state.state,
        ]
        line.add(units.amount(state.state, of: state.device, state.activator))
        switch self {
        case .local(let scene):
            line["scene"] = .string(scene.name.description)
            (line["hub"], line["hub_name"]) = (scene.hubJSON, scene.hubNameJSON(hubs))
        case .shared(let session, let scene):
            line["scene"] = .string(scene.name)
            line.merge(session.householdJSON) { _, new in new }
            line.merge(scene.authors.members) { $1 }
        }
        return .object(line)
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
    /// The names of the hub's scenes; none if it keeps none, or cannot be asked.
    func sharedSceneNames() async -> [String] {
        guard !hub.isUnprotected else { return [] }
        return ((try? await SharedScenes(household).all()) ?? []).map(\.name)
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
    var hubJSON: JSONValue {
        if case .paired(let fingerprint) = hub { .string(fingerprint.description) } else { .null }
    }

    /// The name that the hub has on this computer; null if it is not known any more.
    func hubNameJSON(_ hubs: [SavedHub]) -> JSONValue {
        if case .stock(let name) = hub { return .string(name.description) }
        return hubs.first { $0.isHub(of: self) }.map { .string($0.name.description) } ?? .null
    }
}
