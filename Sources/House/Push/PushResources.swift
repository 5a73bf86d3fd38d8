import GatewayRules
import Household
import HubService
import JSON
import NIOHTTP1
import Pairing

/// Whether and where a device is told of messages while its page is closed: `GET push`, `PUT push`,
/// `DELETE push`. Each device has one place, and reads no other; owners read which devices are told of what.
struct PushResources: HubResources {
    let push: PushMessages
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: "the browsers that are told of messages") {
            let device = request.device.fingerprint.description
            switch request.method {
            case "PUT":
                guard push.isOn else {
                    return .refused(
                        .conflict, "push_off",
                        "the owner has not allowed messages through browsers' makers; 'hubpair hub push on' "
                            + "on the hub does")
                }
                let value = try? JSONReader.read(
                    JSONValue.self, from: request.body, duplicateKeys: .refused)
                let subscription = try PushSubscription(value, home: push.home)
                guard try await push.store.keep(subscription, of: device) else {
                    return .refused(
                        .conflict, "too_many", "\(PushSubscription.maximumCount) devices are told already")
                }
            case "DELETE": try await push.store.forget(device)
            default: break
            }
            return .object(try await members(for: request.device))
        }
    }

    private func members(for device: ApprovedDevice) async throws -> [String: JSONValue] {
        let all = try await push.store.all()
        var members: [String: JSONValue] = [
            "on": .boolean(push.isOn), "key": .string(try await push.store.key().publicText),
        ]
        if let own = all[device.fingerprint.description] {
            members["kinds"] = own.kindsJSON
            members["service"] = .string(own.endpoint.authority)
        }
        if RoleTable.allows(device.knownRole, .administering) {
            members["devices"] = PushStore.list(all.mapValues(\.json))
        }
        return members
    }
}
