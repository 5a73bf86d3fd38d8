import Addresses
import Discovery
import Pairing
import Testing

@testable import HubService

@Suite struct HubRecordsTests {
    private func records(_ name: String, domain: String?) throws -> HubRecords {
        HubRecords(
            HubAnnouncement(
                name: try PeerName(name), port: 8000, id: try #require(Fingerprint("7MRM-FEPH-QNYK-029X"))),
            addresses: ["127.0.0.1", "fe80::1%eth0", "fd77::1", "10.0.0.5", "10.0.0.5"].compactMap {
                NetworkAddress($0)
            },
            domain: try domain.map { text throws(ServiceNameError) in try SearchDomain(text) })
    }

    @Test func relativeLinesOfAZone() throws {
        #expect(
            try records("Küche; \"1\"", domain: nil).text(.zone) == """
                ; Küche; "1" (7MRM-FEPH-QNYK-029X), by 'hubpair hub records'
                b._dns-sd._udp\t4500\tIN\tPTR\t@
                lb._dns-sd._udp\t4500\tIN\tPTR\t@
                _services._dns-sd._udp\t4500\tIN\tPTR\t_hestia._tcp
                _hestia._tcp\t4500\tIN\tPTR\tK\\195\\188che\\059\\032\\0341\\034._hestia._tcp
                K\\195\\188che\\059\\032\\0341\\034._hestia._tcp\t120\tIN\tSRV\t0 0 8000 hubpair-7mrmfeph
                K\\195\\188che\\059\\032\\0341\\034._hestia._tcp\t4500\tIN\tTXT\t\
                "api_level=0.7" "id=7MRM-FEPH-QNYK-029X" "hubpair=1"
                hubpair-7mrmfeph\t120\tIN\tA\t10.0.0.5
                hubpair-7mrmfeph\t120\tIN\tAAAA\tfd77::1

                """)
    }

    @Test func anUpdateReplacesWhatMayHaveChanged() throws {
        let text = try records("Hub", domain: "example.org").text(.nsupdate)
        #expect(
            text == """
                del Hub._hestia._tcp.example.org. IN SRV
                del Hub._hestia._tcp.example.org. IN TXT
                del hubpair-7mrmfeph.example.org. IN A
                del hubpair-7mrmfeph.example.org. IN AAAA
                add b._dns-sd._udp.example.org. 4500 IN PTR example.org.
                add lb._dns-sd._udp.example.org. 4500 IN PTR example.org.
                add _services._dns-sd._udp.example.org. 4500 IN PTR _hestia._tcp.example.org.
                add _hestia._tcp.example.org. 4500 IN PTR Hub._hestia._tcp.example.org.
                add Hub._hestia._tcp.example.org. 120 IN SRV 0 0 8000 hubpair-7mrmfeph.example.org.
                add Hub._hestia._tcp.example.org. 4500 IN TXT \
                "api_level=0.7" "id=7MRM-FEPH-QNYK-029X" "hubpair=1"
                add hubpair-7mrmfeph.example.org. 120 IN A 10.0.0.5
                add hubpair-7mrmfeph.example.org. 120 IN AAAA fd77::1
                send

                """)
    }

    /// A name can neither end the line nor the string that it stands in.
    @Test(arguments: ["a\\b.c", "$ORIGIN x", "@", "()", "😀"])
    func namesAreEscaped(name: String) throws {
        let text = try records(name, domain: "example.org").text(.nsupdate)
        let owner = try #require(text.split(separator: "\n").first?.dropFirst(4).prefix { $0 != " " })
        #expect(owner.hasSuffix("._hestia._tcp.example.org."))
        #expect(!owner.contains { "$@()\";".contains($0) })
        #expect(text.split(separator: "\n").count == 13)
    }
}
