import Addresses
import FoundationEssentials
import GatewayRules
import NIOSSL
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// What the hub shows in TLS: two certificates of one key.
@Suite struct ServedCertificateTests {
    @Test func bothCertificatesHaveTheHubsKey() throws {
        let identity = TLSIdentity.random()
        let upper = try identity.hubCertificatePEM()
        let addresses = ["192.168.1.20", "fe80::1%2", "203.0.113.7"].compactMap { NetworkAddress($0) }
        let lower = try identity.leafPEM(
            names: ["kitchen.local", "hub.example.org"], addresses: addresses, now: Date())
        for pem in [upper, lower] {
            let certificate = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
            #expect(Pin(certificate) == identity.pin)
        }
        #expect(identity.isHubCertificate(Array(upper.utf8)))
        // That of version 0.1 is not limited.
        #expect(identity.isBorne(byCertificatePEM: Array(try identity.certificatePEM().utf8)))
        #expect(!identity.isHubCertificate(Array(try identity.certificatePEM().utf8)))
        #expect(!TLSIdentity.random().isHubCertificate(Array(upper.utf8)))
    }

    @Test func itIsMadeAgainWhenItGrowsOldOrTheClockIsSetBack() throws {
        let identity = TLSIdentity.random()
        let start = Date(timeIntervalSince1970: 1_795_000_000)
        let names = HubNames(HubNames.Sources())
        let served = try ServedCertificate(
            identity, authority: Array(try identity.hubCertificatePEM().utf8), names: names, now: start)
        let day: Double = 86_400
        #expect(try !served.renew(names, now: start.addingTimeInterval(366 * day)))
        #expect(try served.renew(names, now: start.addingTimeInterval(368 * day)))
        #expect(try !served.renew(names, now: start.addingTimeInterval(369 * day)))
        #expect(try served.renew(names, now: start))
    }

    @Test func theCertificateOfTheVersionBeforeIsMadeAgainAndTheKeyStays() async throws {
        try await HubInTest.run(hasUpstream: false) { hub in
            let directory = try hub.state.open()
            let identity = try HubState.existingIdentity(in: directory)
            let old = Array(try identity.certificatePEM().utf8)
            try directory.withLock { try $0.replace(HubState.certificateFileName, with: old) }
            #expect(try SetUpHub.ensureCertificate(of: identity, in: directory))
            let new = try #require(try directory.read(HubState.certificateFileName))
            #expect(identity.isHubCertificate(new))
            #expect(try directory.read(HubState.certificateFileName + ".bak") == old)
            #expect(try HubState.existingIdentity(in: directory).pin == identity.pin)
            #expect(try !SetUpHub.ensureCertificate(of: identity, in: directory))
        }
    }
}
