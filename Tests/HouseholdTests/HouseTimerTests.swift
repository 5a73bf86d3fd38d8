import FoundationEssentials
import JSON
import Testing

@testable import Household

/// Orders that wait for their time.
@Suite struct HouseTimerTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func timer(_ body: String) throws -> HouseTimer {
        try HouseTimer(
            device: "d", activator: "a", body: Array(body.utf8), by: "by", name: "Anna", now: now)
    }

    @Test(arguments: [
        #"{"state":true,"in":0}"#, #"{"state":0.5,"in":604800}"#, #"{"state":1,"in":60,"lasts":1}"#,
        #"{"state":false,"at":"2023-11-14T22:13:20Z"}"#, #"{"state":true,"in":60,"and":"d/b below 0.3"}"#,
    ])
    func reads(body: String) throws { _ = try HouseTimerTests.timer(body) }

    @Test(arguments: [
        "", "[]", #"{"in":60}"#, #"{"state":true}"#, #"{"state":2,"in":60}"#, #"{"state":"on","in":60}"#,
        #"{"state":true,"in":-1}"#, #"{"state":true,"in":604801}"#, #"{"state":true,"in":1.5}"#,
        #"{"state":true,"in":60,"lasts":0}"#, #"{"state":true,"in":60,"at":"2023-11-14T22:13:20Z"}"#,
        #"{"state":true,"at":"2023-11-14T22:13:10Z"}"#, #"{"state":true,"at":"soon"}"#,
        #"{"state":true,"in":60,"and":"dry"}"#, #"{"state":true,"in":60,"and":1}"#,
    ])
    func refuses(body: String) {
        #expect(throws: HouseholdError.self) { try HouseTimerTests.timer(body) }
    }

    /// What ends something is done however late it is.
    @Test func lateness() throws {
        let on = try HouseTimerTests.timer(#"{"state":true,"in":60}"#)
        let off = try HouseTimerTests.timer(#"{"state":false,"in":60}"#)
        let after = { HouseTimerTests.now.addingTimeInterval($0) }
        #expect(on.verdict(at: after(59)) == .waits)
        #expect(on.verdict(at: after(60)) == .runs)
        #expect(on.verdict(at: after(660)) == .runs)
        #expect(on.verdict(at: after(661)) == .missed)
        #expect(off.verdict(at: after(1_000_000)) == .runs)
    }

    @Test func whatLastsIsTakenBack() throws {
        let timer = try HouseTimerTests.timer(
            #"{"state":true,"in":60,"lasts":600,"and":"d/b below 0.3"}"#)
        #expect(timer.proviso?.description == "d/b below 0.3")
        let next = try #require(timer.next(at: HouseTimerTests.now))
        #expect(next.state == .boolean(false) && next.lasts == nil && next.proviso == nil)
        #expect(next.due == HouseTimerTests.now.addingTimeInterval(600))
        #expect(try HouseTimerTests.timer(#"{"state":true,"in":60}"#).next(at: HouseTimerTests.now) == nil)
    }
}
