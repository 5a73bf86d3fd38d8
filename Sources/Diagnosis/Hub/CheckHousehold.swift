import HubService

/// The rooms, scenes and rules that the hub keeps: whether they can be read, and whether all that they name
/// is still there.
enum CheckHousehold {
    static func check(_ state: HubState, _ hub: CheckHubFiles.Hub) -> DiagnosisCheck {
        DiagnosisCheck(
            "hub-household",
            tried: "read the rooms, scenes and rules, and looked for what they name",
            deadline: LookAtUpstream.deadline
        ) {
            verdict(try await ReviewHousehold(state).run { await LookAtUpstream(hub)?.run().appliances })
        }
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
