import Testing

@testable import House
@testable import HubService

@Suite struct HouseholdEndTests {
    /// What may still be there when its hub has ended.
    private final class Rest {
        weak var records: HouseholdRecords?
        weak var poller: StatePoller?
        weak var messages: MessageLog?
        weak var teller: RuleTeller?

        var names: [String] {
            [
                records == nil ? nil : "records", poller == nil ? nil : "poller",
                messages == nil ? nil : "messages", teller == nil ? nil : "teller",
            ].compactMap(\.self)
        }
    }

    /// Those that are told of changes hold those that tell them, so the end has to part them.
    @Test func aHubThatHasEndedLeavesNothingOfItsHousehold() async throws {
        let rest = Rest()
        do {
            let hub = try await HubInTest()
            let household = try #require(hub.house.household)
            rest.records = household.records
            (rest.poller, rest.messages) = (household.records.poller, household.records.messages)
            rest.teller = household.teller
            #expect(rest.names.count == 4)
            await hub.stop()
        }
        // The last look and the last connection end a little later.
        for _ in 0..<3_000 where !rest.names.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(rest.names == [])
    }
}
