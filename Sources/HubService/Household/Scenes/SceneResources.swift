import FoundationEssentials
import GatewayRules
import Household
import HubPage
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
            let name = request.resource.segments.first ?? ""
            return switch (request.resource.pattern, request.method) {
            case (.sceneRun, _): try await run(name, for: .asked(by: request.device, through: request.door))
            case (.currentScene, _): try await current()
            case (_, "PUT"): try await put(name, request)
            case (_, "DELETE"): try await remove(name, request)
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
            var members = scene.members
            members["etag"] = .string(EntityTag(of: .object(members)).text)
            members["ran"] = runs.time(of: scene.name).map { .string($0.timestamp) }
            members["next"] = times.next(of: scene, after: now).map { .string($0.time.timestamp) }
            members.merge(content.authors(of: "scene \(scene.name)").members) { $1 }
            list.append(.object(members))
        }
        return list
    }

    private func put(_ name: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let scene = try HubScene(name: name, body: request.body)
        let lacksPlace = scene.time?.needsPlace == true && clock.place() == nil
        let answer = try await store.put(.object(scene.members), .scene, name, request) {
            $0.scene(scene.name).map { JSONValue.object($0.members) }
        } change: { (scenes) throws(HouseholdError) in
            try scenes.put(scene)
            if lacksPlace { throw .noPlace }
        }
        clock.look()
        return answer
    }

    private func remove(_ text: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let name = try SceneResources.name(text)
        return try await store.remove(.scene, text, request) {
            $0.scene(name).map { JSONValue.object($0.members) }
        } change: { (scenes) throws(HouseholdError) in
            try scenes.remove(name)
        }
    }

    private func run(_ text: String, for cause: SceneCause) async throws -> ResourceAnswer {
        let name = try SceneResources.name(text)
        guard let scene = try await store.read().scene(name) else {
            throw HouseholdError.unknown(.scene, text)
        }
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

    private static func name(_ text: String) throws(HouseholdError) -> PeerName {
        do {
            return try PeerName(known: text)
        } catch {
            throw .unknown(.scene, text)
        }
    }
}
