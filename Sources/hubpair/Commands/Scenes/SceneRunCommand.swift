import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON
import Pairing

/// `hubpair home scene run`
struct SceneRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Restore a scene.",
        discussion: """
            All appliances at once. What fails is named, and the rest stands. It runs on the hub, which \
            tells of it in its messages. At a terminal it asks before a scene that opens or unlocks something.

            EXAMPLES:
              hubpair home scene run evening
              hubpair home scene run goodnight --all-hubs
            """)
    @OptionGroup var places: ScenePlaces
    @Flag(help: .json) var json = false
    @Argument(help: "The scene's name.") var name: String

    func run() async throws {
        let found = try await SceneShelf(places).scenes(called: PeerName(known: name))
        for (session, scene) in found { try await ask(scene.states.map(\.order), session) }
        try await SharedSceneRun(json: json).run(found.map { ($0.session, $0.scene.name) })
    }

    /// At a terminal. A scene that runs from a script was made for that: what opens is in it by name only.
    private func ask(_ orders: [Order], _ session: HomeSession) async throws {
        guard Question.canBeAnswered, !json else { return }
        async let rooms = session.rooms(isNeeded: false)
        let house = try await session.house()
        try OrderGuard.ask(orders, try await rooms.kinds.applied(to: house.devices))
    }
}

/// Runs a scene on the hubs that keep it, on all at once.
struct SharedSceneRun {
    let json: Bool

    func run(_ scenes: [(session: HomeSession, name: String)]) async throws {
        let answers = await scenes.map { $0.session }.askAtOnce { index, session in
            try await SharedSceneRun.outcomes(session, scenes[index].name)
        }
        var statuses: [ExitStatus] = []
        for (scene, answer) in zip(scenes, answers) {
            switch answer {
            case .success(let ran): statuses.append(try report(ran, scene.session))
            case .failure(let error):
                Console.report(error)
                statuses.append(ExitStatus(of: error))
            }
        }
        let worst = ExitStatus.worst(of: statuses)
        if worst != .done { throw worst }
    }

    /// What has come of a scene, and in which units it is told.
    struct Ran: Sendable {
        let outcomes: [SharedScenes.Outcome]
        let units: StateUnits

        /// The lines of `--json`.
        func json(_ session: HomeSession) -> [JSONValue] { outcomes.map { $0.json(session, units) } }

        var status: ExitStatus { .worst(of: outcomes.map(\.status)) }
    }

    static func outcomes(_ session: HomeSession, _ name: String) async throws -> Ran {
        let waiting = WaitingLine("\(session.hub.name) to run \(quoted(name))")
        defer { waiting.end() }
        async let rooms = session.rooms(isNeeded: false)
        let (outcomes, note) = try await SharedScenes(session.household).run(name)
        if let note {
            waiting.end()
            Console.note("warning: \(note)")
        }
        return Ran(outcomes: outcomes, units: try await rooms.units)
    }

    /// Writes what has come of the states.
    func report(_ ran: Ran, _ session: HomeSession) throws -> ExitStatus {
        let outcomes = ran.outcomes
        if json {
            try JSONLine.write(ran.json(session))
        } else {
            for outcome in outcomes where outcome.result == "confirmed" {
                let state = outcome.state
                let words = ran.units.words(for: state.state, of: state.device, state.activator)
                try Console.output(
                    words: SafeText.escaped("\(shortened(outcome.name)) is \(shortened(words))"))
            }
        }
        let failed = outcomes.filter { $0.result != "confirmed" }
        for outcome in failed.prefix(20) {
            Console.report("\(shortened(outcome.name)): \(outcome.reason)", hint: nil, exit: outcome.status)
        }
        if failed.count > 20 { Console.note("\(failed.count - 20) more are not as the scene says") }
        if !failed.isEmpty, outcomes.count > 1 {
            Console.note("\(outcomes.count - failed.count) of \(outcomes.count) are done and stand")
        }
        return ran.status
    }
}

extension SharedScenes.Outcome {
    var name: String { state.name ?? state.device }

    fileprivate var reason: String { shortened(message ?? result) }

    var status: ExitStatus {
        switch result {
        case "confirmed": .done
        case "unconfirmed", "silent": .tryAgain
        case "missing": .nothingFound
        default: .unavailable
        }
    }

    /// The same keys as those of an order.
    func json(_ session: HomeSession, _ units: StateUnits) -> JSONValue {
        var line = session.json
        line["device"] = .string(state.device)
        line["activator"] = .string(state.activator)
        line["name"] = .string(name)
        line["ordered"] = state.state
        line["outcome"] = .string(["confirmed", "unconfirmed"].contains(result) ? result : "failed")
        line["state"] = result == "confirmed" ? state.state : .null
        if result == "confirmed" { line.add(units.amount(state.state, of: state.device, state.activator)) }
        line["error"] = ["confirmed", "unconfirmed"].contains(result) ? .null : .string(reason)
        return .object(line)
    }
}
