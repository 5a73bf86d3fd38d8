import Addresses
import HubClient
import HubService
import Pairing

/// The rooms, scenes and rules that the hub keeps: whether they can be read, and whether all that they name
/// is still there.
enum CheckHousehold {
    static func check(_ state: HubState, _ hub: CheckHubFiles.Hub) -> DiagnosisCheck {
        DiagnosisCheck(
            "hub-household",
            tried: "read the rooms, scenes and rules, and looked for what they name", deadline: .seconds(6)
        ) {
            // The database of a stock server breaks when two requests overlap: beside a hub that serves, and
            // asks it too, nobody else does.
            verdict(try await ReviewHousehold(state).run(asksUpstream: !(await isServing(hub))))
        }
    }

    /// True if this hub, by its key, answers on this machine.
    private static func isServing(_ hub: CheckHubFiles.Hub) async -> Bool {
        let own = hub.settings.listen.isEmpty ? CheckGateway.outsideAddresses() : hub.settings.listen
        let places = (["127.0.0.1", "::1"].compactMap { NetworkAddress($0) } + own).map {
            HubAddress($0, port: hub.settings.port)
        }
        let connection = try? await HubConnector(allowsTLS12: true).connect(
            to: places, expecting: .pin(hub.pin), deadline: .milliseconds(1500))
        connection?.close()
        return connection != nil
    }

    static func verdict(_ review: ReviewHousehold.Review) -> Finding.Verdict {
        let counts = [(review.roomCount, "room"), (review.sceneCount, "scene"), (review.ruleCount, "rule")]
        let words = counts.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
        guard let first = review.faults.first else {
            if review.roomCount + review.sceneCount + review.ruleCount == 0 {
                return .ok("there are none yet")
            }
            return review.isWhole
                ? .ok(words) : .ok("\(words); whether their appliances are there could not be asked")
        }
        let more = review.faults.count > 1 ? " (and \(review.faults.count - 1) more)" : ""
        return .warning(first.text + more, mend: first.mend)
    }
}
