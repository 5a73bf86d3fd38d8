import Foundation
import Testing

@testable import Diagnosis

/// What the doctor makes of a relay's answer.
@Suite struct CheckRelaysTests {
    @Test(arguments: [
        (true, true, Finding.Status.ok, "connected since "),
        (true, false, .problem, "the relay answers, the hub is not connected to it since "),
        (false, false, .problem, "the relay answers, and does not admit this hub"),
    ])
    func aRelayIsJudged(isAdmitted: Bool, isConnected: Bool, status: Finding.Status, words: String) {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let verdict = CheckRelays.verdict(
            .init(isAdmitted: isAdmitted, isConnected: isConnected, since: now.addingTimeInterval(-60)),
            at: now)
        #expect(verdict.status == status)
        #expect(verdict.seen.hasPrefix(words))
        #expect((verdict.mend == nil) == (status == .ok))
    }
}
