import Crypto
import Testing

@testable import Discovery

@Suite struct PublishingTests {
    @Test func anotherNameFits() {
        #expect(alternativeName(to: "Hub") == "Hub #2")
        #expect(alternativeName(to: "Hub #2") == "Hub #3")
        var name = String(repeating: "ü", count: 31)
        for _ in 1...20 {
            name = alternativeName(to: name)
            #expect((1...63).contains(name.utf8.count))
        }
        #expect(name.hasSuffix(" #21"))
    }

    @Test func whoLosesEveryNameSlowsDown() {
        var policy = RenamePolicy()
        #expect(
            (1...20).map { _ in policy.delay() } == [Duration](repeating: .zero, count: 14)
                + [Duration](repeating: .seconds(5), count: 6))
    }

    @Test func whoIsNotEstablishedWaitsLongerEachTime() {
        var timeout = RegistrationTimeout()
        #expect(timeout.isFirst)
        let times = (1...5).map { _ in
            defer { timeout.extend() }
            return timeout.current
        }
        #expect(times == [10, 20, 40, 80, 80].map { .seconds($0) })
        #expect(!timeout.isFirst)
        timeout.reset()
        #expect(timeout.isFirst && timeout.current == .seconds(10))
    }

    @Test func theRecordSaysWhatAStockClientReads() throws {
        let announcement = try announcement("Hub", type: "_hestia._tcp")
        let record = TXTRecord(strings: announcement.txt)
        #expect(record.text("api_level") == "0.7")
        #expect(record.text("hubpair") == "1")
        #expect(record.fingerprint == announcement.id)
    }
}
