import GatewayRules
import Household
import HubService

/// The rules: `GET rules`, `PUT rules/NAME`, `DELETE rules/NAME`.
struct RuleResources: HubResources {
    let store: HouseholdStore<Rules>
    let teller: RuleTeller
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rules.words) {
            guard !request.resource.segments.isEmpty else {
                return .object(["rules": try await store.read().entries(Rule.self)])
            }
            let answer = try await store.change(Rule.self, request)
            teller.filesChanged()
            return answer
        }
    }
}
