import Foundation
import Testing

@testable import GatewayRules

@Suite struct UpstreamBreakerTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_780_800)

    /// The beginning of an outage stays, whatever comes after; only one answer ends it.
    @Test func anOutageHasOneBeginning() {
        var breaker = UpstreamBreaker()
        let first = breaker.nextProbe()
        #expect(!breaker.isOpen && first == nil)
        let isNew = breaker.fail("a", isToldAtOnce: false, at: Self.noon)
        let isNewer = breaker.fail("b", isToldAtOnce: false, at: Self.noon + 60)
        #expect(isNew && !isNewer && breaker.isOpen)
        #expect(breaker.outage?.since == Self.noon && breaker.outage?.words == "b")
        let hasEnded = breaker.answer()
        let endsAgain = breaker.answer()
        #expect(hasEnded && !endsAgain && !breaker.isOpen && breaker.outage == nil)
    }

    /// Who is refused at once may ask.
    @Test func aRefusedConnectionDoesNotOpenIt() {
        var breaker = UpstreamBreaker()
        _ = breaker.fail("refused", isToldAtOnce: true, at: Self.noon)
        #expect(!breaker.isOpen && breaker.outage != nil)
        _ = breaker.fail("no response", isToldAtOnce: false, at: Self.noon)
        #expect(breaker.isOpen)
        _ = breaker.fail("refused", isToldAtOnce: true, at: Self.noon)
        #expect(!breaker.isOpen)
    }

    @Test func probesBecomeRare() {
        var breaker = UpstreamBreaker()
        _ = breaker.fail("x", isToldAtOnce: false, at: Self.noon)
        var pauses: [Double?] = []
        for _ in 0..<6 { pauses.append(breaker.nextProbe()) }
        #expect(pauses == [1, 2, 4, 5, 5, 5])
        _ = breaker.answer()
        _ = breaker.fail("x", isToldAtOnce: false, at: Self.noon)
        let pause = breaker.nextProbe()
        #expect(pause == 1)
    }
}
