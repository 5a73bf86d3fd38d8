import GatewayRules
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// What is armed: `GET armed`, `POST armed` to arm the house in a scene, `DELETE armed` to disarm it.
struct ArmedResources: HubResources {
    let arm: ArmHouse
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rules.words) {
            let author = request.author
            let cause = ArmHouse.Cause(
                author: author, words: "by \(quoted(author.name.description))", mayDisarm: true)
            return switch request.method {
            case "POST": .json(try await arm.decide(try scene(in: request.body), cause).json)
            case "DELETE": .json(try await arm.decide(nil, cause).json)
            default: .json(try await arm.armed().json)
            }
        }
    }

    /// `{"scene": name}`.
    private func scene(in body: [UInt8]) throws(HouseholdError) -> PeerName {
        guard
            let members = try? JSONReader.read(JSONValue.self, from: body, duplicateKeys: .refused).asObject,
            let text = members["scene"]?.asString
        else { throw .badBody("the body does not name a scene: {\"scene\": name}") }
        do {
            return try PeerName(known: text)
        } catch {
            throw .unknown(.scene, text)
        }
    }
}
