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

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rules.words) {
            switch (request.method, request.resource.segments.first) {
            case ("PUT", let name?): try await put(name, request)
            case ("DELETE", let name?): try await remove(name, request)
            default: try await list()
            }
        }
    }

    private func list() async throws -> ResourceAnswer {
        let content = try await store.read()
        return .object([
            "rules": .array(
                content.rules.map { $0.json.tagged.with(content.authors(of: "rule \($0.name)").members) })
        ])
    }

    private func put(_ name: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let rule = try Rule(name: name, body: request.body)
        let answer = try await store.put(rule.json, .rule, name, request) {
            $0.rule(rule.name)?.json
        } change: { (rules) throws(HouseholdError) in
            try rules.put(rule)
        }
        teller.filesChanged()
        return answer
    }

    private func remove(_ name: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        guard let known = try? PeerName(known: name) else { throw HouseholdError.unknown(.rule, name) }
        let answer = try await store.remove(.rule, name, request) {
            $0.rule(known)?.json
        } change: { (rules) throws(HouseholdError) in
            try rules.remove(known)
        }
        teller.filesChanged()
        return answer
    }
}
