import FoundationEssentials
import GatewayRules
import Household
import HubPage
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// The scenes: `GET scenes`, `PUT scenes/NAME`, `DELETE scenes/NAME`, `POST scenes/NAME/run`,
/// `GET scenes/current`.
struct SceneResources: HubResources {
    let store: HouseholdStore<HubScenes>
    let runs: HouseholdStore<SceneRuns>
    let runScene: RunScene
    let clock: TimedScenes
    let poller: StatePoller
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: HubScenes.words) {
            switch request.resource.pattern {
            case .sceneRun: try await run(request)
            case .currentScene: try await current()
            case .scene: try await change(request)
            default: .list("scenes", try await list())
            }
        }
    }

    /// One after the other: all scenes may take 4 MiB, and several times that as values.
    private func list() async throws -> JSONElements {
        let content = try await store.read()
        let scenes = content.scenes
        let runs = try await runs.read()
        let times = clock.times()
        let now = clock.now()
        var list = JSONElements()
        for scene in scenes {
            var others: [String: JSONValue] = [:]
            others["ran"] = runs.time(of: scene.name).map { .string($0.timestamp) }
            others["next"] = times.next(of: scene, after: now).map { .string($0.time.timestamp) }
            list.append(content.entry(scene).with(others))
        }
        return list
    }

    private func change(_ request: ResourceRequest) async throws -> ResourceAnswer {
        let hasPlace = clock.place() != nil
        let answer = try await store.change(HubScene.self, request) { (scene) throws(HouseholdError) in
            if scene.time?.needsPlace == true, !hasPlace { throw .noPlace }
        }
        clock.look()
        return answer
    }

    private func run(_ request: ResourceRequest) async throws -> ResourceAnswer {
        let name = request.resource.segments.first ?? ""
        guard let scene = try await store.read().record(HubScene.self, name) else {
            throw HouseholdError.unknown(.scene, name)
        }
        let cause = SceneCause.asked(by: request.device, through: request.door)
        do {
            return .json(try await runScene.run(scene, for: cause).json)
        } catch RunScene.Refusal.busy {
            return .refused(
                .tooManyRequests, "too_many", "\(RunScene.maximumAtOnce) scenes are running; try again soon")
        } catch RunScene.Refusal.notAllowed(let reason) {
            return .refused(.forbidden, "not_allowed", reason)
        } catch RunScene.Refusal.unavailable(let reason) {
            return .refused(.serviceUnavailable, "unavailable", reason)
        }
    }

    private func current() async throws -> ResourceAnswer {
        let report = await poller.report()
        guard report.time != nil || !report.states.changes.isEmpty else {
            return .refused(
                .serviceUnavailable, "unavailable", report.fault ?? "no state of an appliance is known yet")
        }
        let current = CurrentScene(try await store.read().scenes, try await runs.read()) {
            report.states.state(StateKey(device: $0, activator: $1))
        }
        return .object([
            "scene": current.name.map { .string($0.description) } ?? .null,
            "matching": .array(current.matching.map { .string($0.description) }),
        ])
    }
}
