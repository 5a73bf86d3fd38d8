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
            default: .object(["rules": .array(try await store.read().rules.map(\.json.tagged))])
            }
        }
    }

    private func put(_ name: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let rule = try Rule(name: name, body: request.body)
        let precondition = request.precondition
        let isNew = try await store.change { (rules) throws(HouseholdError) in
            let before = rules.rule(rule.name)
            try rules.put(rule)
            guard precondition.holds(for: before.map { EntityTag(of: $0.json) }) else {
                throw .changed(.rule, name)
            }
            return before == nil
        }
        teller.filesChanged()
        return .written(rule.json, isNew: isNew)
    }

    private func remove(_ name: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        guard let known = try? PeerName(known: name) else { throw HouseholdError.unknown(.rule, name) }
        let precondition = request.precondition
        try await store.change { (rules) throws(HouseholdError) in
            if let before = rules.rule(known), !precondition.holds(for: EntityTag(of: before.json)) {
                throw .changed(.rule, name)
            }
            try rules.remove(known)
        }
        teller.filesChanged()
        return .done
    }
}
