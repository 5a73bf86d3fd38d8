import GatewayRules
import Household
import Identity
import JSON
import NIOHTTP1

/// The rules: `GET rules`, `PUT rules/NAME`, `DELETE rules/NAME`.
struct RuleResources: HubResources {
    let store: HouseholdStore<Rules>
    let teller: RuleTeller
    let answers: HouseholdAnswers

    func answer(_ request: HubRequest) async -> HubAnswer {
        await answers.answer(request, about: Rules.words) {
            switch (request.method, request.resource.segments.first) {
            case ("PUT", let name?): try await put(name, request.body)
            case ("DELETE", let name?): try await remove(name)
            default: .object(["rules": .array(try await store.read().rules.map(\.json))])
            }
        }
    }

    private func put(_ name: String, _ body: [UInt8]) async throws -> HubAnswer {
        let rule = try Rule(name: name, body: body)
        let isNew = try await store.change { (rules) throws(HouseholdError) in
            let isNew = rules.rule(rule.name) == nil
            try rules.put(rule)
            return isNew
        }
        teller.filesChanged()
        return .json(rule.json, isNew ? .created : .ok)
    }

    private func remove(_ name: String) async throws -> HubAnswer {
        guard let known = try? PeerName(known: name) else { throw HouseholdError.unknown(.rule, name) }
        try await store.change { (rules) throws(HouseholdError) in try rules.remove(known) }
        teller.filesChanged()
        return .done
    }
}
