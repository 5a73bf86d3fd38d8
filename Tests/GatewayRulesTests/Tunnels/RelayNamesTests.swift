import FoundationEssentials
import GatewayRules
import Identity
import Testing

/// Public names that hubs prove to a relay.
@Suite struct RelayNamesTests {
    private let kitchen = Fingerprint("K7QF-2M9D-X0TW-8RHC")
    private let attic = Fingerprint("0000-0000-0000-0000")

    private func time(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }

    @Test func theLaterCertificateCountsWhileItIsValid() throws {
        let (kitchen, attic) = (try #require(kitchen), try #require(attic))
        var names = RelayNames()
        #expect(names.holder(of: "a.example.org", at: time(5)) == nil)
        names.prove(["a.example.org", "b.example.org"], by: kitchen, from: time(1), until: time(10))
        #expect(names.holder(of: "a.example.org", at: time(0)) == nil)
        #expect(names.holder(of: "a.example.org", at: time(5)) == kitchen)
        #expect(names.holder(of: "a.example.org", at: time(11)) == nil)
        names.prove(["a.example.org"], by: attic, from: time(2), until: time(9))
        #expect(names.holder(of: "a.example.org", at: time(5)) == attic)
        #expect(names.holder(of: "a.example.org", at: time(10)) == kitchen)
        #expect(names.holder(of: "b.example.org", at: time(5)) == kitchen)
        // A new proof takes the place of the old one.
        names.prove(["c.example.org"], by: kitchen, from: time(3), until: time(10))
        #expect(names.holder(of: "b.example.org", at: time(5)) == nil)
        names.forget(attic)
        #expect(names.holder(of: "a.example.org", at: time(5)) == nil)
    }

    @Test func aHubHasABoundedNumberOfNames() throws {
        let kitchen = try #require(kitchen)
        var names = RelayNames()
        let all = (0..<100).map { "n\($0).example.org" }
        names.prove(all, by: kitchen, from: time(1), until: time(10))
        #expect(all.count { names.holder(of: $0, at: time(5)) != nil } == RelayNames.maximumCount)
    }
}
