import GatewayRules
import Pairing

/// All resources of a running hub: finds what answers a request.
struct OwnResources: HubResources {
    let desk: AnswerDesk
    let owners: OwnerPaths
    let rooms: RoomResources
    let rules: RuleResources
    let scenes: SceneResources
    let armed: ArmedResources
    let states: StateResources
    let messages: MessageResources

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        let device = request.device.pin
        return switch request.resource.pattern {
        case .rooms, .room, .unit, .kind: await desk.make(for: device) { await rooms.answer(request) }

        case .scenes, .scene: await desk.make(for: device) { await scenes.answer(request) }

        // They wait for the house, not for the hub.
        case .currentScene, .sceneRun: await scenes.answer(request)

        case .armed: await desk.make(for: device) { await armed.answer(request) }

        case .rules, .rule: await desk.make(for: device) { await rules.answer(request) }

        case .messages, .messageRead, .messageAcknowledge, .messagesRead, .messagesAcknowledge:
            await desk.make(for: device) { await messages.answer(request) }

        case .messageStream: await messages.answer(request)

        case .stateHistory: await desk.make(for: device) { await states.answer(request) }

        case .states, .stateStream: await states.answer(request)

        case .devices, .device, .deviceApproval, .deviceRefusal, .deviceRevocation, .codes, .code, .codesVoid,
            .journal, .findings:
            await owners.answer(request)

        case .access: await AccessPage(owners: owners).answer(request)
        }
    }
}
