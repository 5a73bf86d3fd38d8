import GatewayRules

/// All resources of a running hub: finds what answers a request.
struct OwnResources: HubResources {
    let owners: OwnerPaths
    let rooms: RoomResources
    let rules: RuleResources
    let scenes: SceneResources
    let armed: ArmedResources
    let states: StateResources
    let messages: MessageResources

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        switch request.resource.pattern {
        case .rooms, .room, .unit: await rooms.answer(request)

        case .scenes, .currentScene, .scene, .sceneRun: await scenes.answer(request)

        case .armed: await armed.answer(request)

        case .rules, .rule: await rules.answer(request)

        case .messages, .messageStream, .messageRead, .messageAcknowledge, .messagesRead,
            .messagesAcknowledge:
            await messages.answer(request)

        case .states, .stateStream, .stateHistory: await states.answer(request)

        case .devices, .device, .deviceApproval, .deviceRefusal, .deviceRevocation, .codes, .code, .codesVoid,
            .journal, .findings:
            await owners.answer(request)

        case .access: await AccessPage(owners: owners).answer(request)
        }
    }
}
