import GatewayRules
import HubService
import NIOHTTP1

/// All resources of the house: finds what answers a request. The gate lets devices ask by turns, and bounds
/// what waits for each.
struct HouseResources: HubResources {
    let rooms: RoomResources
    let rules: RuleResources
    let scenes: SceneResources
    let armed: ArmedResources
    let states: StateResources
    let messages: MessageResources
    let timers: TimerResources
    let preferences: PreferenceResources
    let push: PushResources
    let pictures: PictureResources

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        switch request.resource.pattern {
        case .rooms, .room, .unit, .kind: await rooms.answer(request)
        case .scenes, .scene, .currentScene, .sceneRun: await scenes.answer(request)
        case .armed: await armed.answer(request)
        case .rules, .rule: await rules.answer(request)
        case .messages, .messageRead, .messageAcknowledge, .messagesRead, .messagesAcknowledge,
            .messageStream:
            await messages.answer(request)
        case .timers, .timer: await timers.answer(request)
        case .preferences: await preferences.answer(request)
        case .pictures, .picture, .messagePicture: await pictures.answer(request)
        case .push: await push.answer(request)
        case .states, .stateStream, .stateHistory: await states.answer(request)
        case .devices, .device, .deviceApproval, .deviceRefusal, .deviceRevocation, .codes, .code, .codesVoid,
            .journal, .findings, .names, .name, .services, .serviceRights, .serviceDevice, .pushHub,
            .access:
            .refused(.notFound, "not_found", "the house has no such thing")
        }
    }
}
