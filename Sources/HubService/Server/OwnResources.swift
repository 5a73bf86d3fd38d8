import GatewayRules
import Pairing

/// All resources of a running hub: those of its owners are the gate's, all others the house's.
struct OwnResources: HubResources {
    let desk: AnswerDesk
    let owners: OwnerPaths
    let house: any HubResources
    let services: ServedServices
    let names: ServedNames

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        let device = request.device.pin
        return switch request.resource.pattern {
        case .devices, .device, .deviceApproval, .deviceRefusal, .deviceRevocation, .codes, .code, .codesVoid,
            .journal, .findings, .names, .name, .pushHub, .serviceRights, .serviceDevice:
            await owners.answer(request)

        case .services: services.answer(to: request.device, host: names.now.preferredHost()?.description)

        case .access: await AccessPage(owners: owners, t: request.words).answer(request)

        case .messageStream, .stateStream: await house.answer(request)

        // They wait for the server behind the hub, and take nobody's turn meanwhile.
        case .currentScene, .sceneRun, .states: desk.kept(await house.answer(request), for: device)

        default: await desk.make(for: device) { await house.answer(request) }
        }
    }
}
