import Addresses
import Discovery
import FoundationEssentials
import Glibc
import Home
import HubService
import Pairing
import Testing

@testable import Diagnosis

/// The verdicts, from facts alone.
@Suite struct VerdictTests {
    private static func link(
        _ name: String, _ kind: NetworkLink.Kind = .ordinary, isUp: Bool = true, isRunning: Bool = true,
        address: String? = "192.168.1.2"
    ) -> NetworkLink {
        NetworkLink(
            name: name, kind: kind, isUp: isUp, isRunning: isRunning, hasMulticast: true,
            addresses: address.flatMap { NetworkAddress($0) }.map { [$0] } ?? [])
    }

    @Test func whatBecameOfProbes() {
        #expect(CheckProbes.verdict(ProbeCounts(), isWell: false) == nil)
        var counts = ProbeCounts()
        counts.refused = [EPERM: 6]
        #expect(CheckProbes.verdict(counts, isWell: false)?.status == .problem)
        #expect(CheckProbes.verdict(counts, isWell: true)?.status == .warning)
        counts.sent = 3  // one family is enough
        #expect(CheckProbes.verdict(counts, isWell: false) == nil)
        counts.dropped = [.offLink: 1]
        #expect(CheckProbes.verdict(counts, isWell: false)?.seen.contains("outside of") == true)
        #expect(CheckProbes.verdict(counts, isWell: true) == nil)
        counts.accepted = 1
        #expect(CheckProbes.verdict(counts, isWell: false) == nil)
    }

    @Test(arguments: [
        ([link("lo", .loopback), link("eth0")], Finding.Status.ok, "eth0 (192.168.1.2)"),
        ([link("lo", .loopback)], .problem, "only loopback"),
        ([link("lo", .loopback), link("eth0", isUp: false)], .problem, "no interface is up: eth0"),
        ([link("eth0", address: nil)], .problem, "has no address"),
        ([link("eth0", isRunning: false, address: nil)], .problem, "no carrier and no address"),
        ([link("eth0", isRunning: false)], .problem, "no interface has a carrier"),
        ([link("wg0", .vpn), link("docker0", .container)], .warning, "only VPN and container interfaces"),
        ([link("wg0", .vpn), link("wlan0")], .ok, "wlan0"),
        ([], .problem, "only loopback"),
    ])
    func interfaces(_ links: [NetworkLink], _ status: Finding.Status, _ words: String) {
        let verdict = CheckInterfaces.verdict(links)
        #expect(verdict.status == status)
        #expect(verdict.seen.contains(words))
        #expect((verdict.mend == nil) == (status == .ok))
    }

    @Test(arguments: [
        ("eth0", false, NetworkLink.Kind.ordinary), ("wlp3s0", false, .ordinary), ("br0", false, .ordinary),
        ("docker0", false, .container), ("br-0a1b2c", false, .container), ("veth12ab", false, .container),
        ("tun0", false, .vpn), ("wg0", false, .vpn), ("strange0", true, .vpn),
    ])
    func kinds(_ name: String, _ isPointToPoint: Bool, _ kind: NetworkLink.Kind) {
        #expect(NetworkLink.kind(named: name, isPointToPoint: isPointToPoint) == kind)
    }

    @Test func multicast() {
        let links = [Self.link("eth0"), Self.link("eth1")]
        let good = CheckMulticast.Way(interface: "eth0", group: "224.0.0.251", errno: 0)
        let bad = CheckMulticast.Way(interface: "eth1", group: "ff02::fb", errno: ENETUNREACH)
        #expect(CheckMulticast.verdict(links, ways: [good]).status == .ok)
        #expect(CheckMulticast.verdict(links, ways: [good, bad]).status == .warning)
        #expect(CheckMulticast.verdict(links, ways: [bad]).status == .problem)
        #expect(CheckMulticast.verdict(links, ways: [bad]).mend?.contains("dev eth1") == true)
    }

    @Test(
        arguments: [
            (nil, "/run/dbus/system_bus_socket"), ("unix:path=/x/bus,guid=1", "/x/bus"),
            ("tcp:host=h;unix:path=/y", "/y"), ("tcp:host=h", nil), ("", "/run/dbus/system_bus_socket"),
        ] as [(String?, String?)])
    func busAddress(_ address: String?, _ path: String?) {
        #expect(CheckDaemon.socketPath(address) == path)
    }

    @Test func daemon() {
        #expect(CheckDaemon.busVerdict(path: "/b", errno: 0).status == .ok)
        #expect(CheckDaemon.busVerdict(path: "/b", errno: EACCES).status == .warning)
        #expect(CheckDaemon.busVerdict(path: "/b", errno: ENOENT).status == .warning)
        let stopped = CheckDaemon.daemonVerdict(.noDaemon, isRunning: false)
        #expect(stopped.mend?.contains("systemctl start avahi-daemon") == true)
        let hidden = CheckDaemon.daemonVerdict(.noDaemon, isRunning: true)
        #expect(hidden.status == .warning && hidden.mend?.contains("system.d") == true)
        #expect(
            CheckDaemon.daemonVerdict(.refused(code: -20, text: "no"), isRunning: true).status == .warning)
        #expect(CheckDaemon.daemonVerdict(.avahi(code: -1, text: "no"), isRunning: true).status == .problem)
    }

    @Test func portTable() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  \
            timeout inode ref
              12: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   104        \
            0 18293 2 0 0
              13: 00000000000000000000000000000000:1F40 0:0000 07 0:0 00:0 0 0 0 99 2 0 0
              14: 00000000:XXXX 00000000:0000 07 0:0 00:0 0 0 0 1 2
              15: short
            """
        #expect(
            UDPPortTable.parse(text) == [
                .init(port: 5353, uid: 104, inode: 18293), .init(port: 8000, uid: 0, inode: 99),
            ])
        #expect(CheckPorts.verdict(5353, errno: 0, owners: []).status == .ok)
        #expect(
            CheckPorts.verdict(5353, errno: EADDRINUSE, owners: ["dnsmasq (7)"]).seen.hasPrefix(
                "dnsmasq (7) has it"))
        #expect(CheckPorts.verdict(5353, errno: EACCES, owners: []).status == .skipped)
    }

    @Test(arguments: [
        (
            CheckFirewall.Arrivals(mdns: .arrived, discovery: .arrived, answers: .arrived), false,
            Finding.Status.ok
        ),
        (.init(mdns: .lost, discovery: .arrived, answers: .arrived), false, .problem),
        (.init(mdns: .arrived, discovery: .lost, answers: .arrived), false, .warning),
        (.init(mdns: .arrived, discovery: .lost, answers: .arrived), true, .problem),
        (.init(mdns: .arrived, discovery: .arrived, answers: .lost), true, .warning),
        (.init(mdns: .untried, discovery: .arrived, answers: .arrived), true, .skipped),
        (.init(mdns: .arrived, discovery: .arrived, answers: .arrived, connection: .lost), true, .problem),
        (.init(mdns: .lost, discovery: .lost, answers: .lost, connection: .lost), true, .problem),
        (.init(mdns: .arrived, discovery: .arrived, answers: .arrived, connection: .arrived), true, .ok),
    ])
    func firewall(_ arrivals: CheckFirewall.Arrivals, _ hasHub: Bool, _ status: Finding.Status) {
        #expect(CheckFirewall.verdict(arrivals, hasHub: hasHub).status == status)
    }

    @Test(
        arguments: [
            ([CheckSearch.Heard(sources: [.mdns, .udp], hasID: true)], nil, Finding.Status.ok),
            ([.init(sources: [.mdns], hasID: false)], nil, .ok),
            ([.init(sources: [.mdns], hasID: true)], nil, .warning),
            ([.init(sources: [.udp], hasID: true)], nil, .warning),
            ([], nil, .warning), ([], 0, .warning), ([], 1, .problem),
        ] as [([CheckSearch.Heard], Int?, Finding.Status)])
    func search(_ heard: [CheckSearch.Heard], _ swept: Int?, _ status: Finding.Status) {
        #expect(CheckSearch.verdict(heard, swept: swept.map { ($0, "10.0.0.0/24") }).status == status)
    }

    @Test func ownHub() {
        let own = CheckSearch.Heard(sources: [.mdns, .udp], hasID: true, isOwn: true)
        let other = CheckSearch.Heard(sources: [.mdns, .udp], hasID: true)
        #expect(
            CheckSearch.verdict([own], swept: nil).seen == "this machine's own hub is heard, and no other")
        #expect(CheckSearch.verdict([own, other], swept: nil).seen == "2 hubs heard")
    }

    @Test func whatIsNearestToHereKeepsFromAHub() throws {
        let place = TryPlaces.Place(address: try #require(NetworkAddress("10.0.0.7")), port: 8000)
        let other = TryPlaces.Place(address: try #require(NetworkAddress("fd00::7")), port: 8000)
        func seen(_ outcomes: TryPlaces.Outcome...) -> String? {
            TryPlaces.verdict("Attic", Array(zip([place, other], outcomes)).map { ($0, $1) })?.seen
        }
        #expect(seen() == nil)
        #expect(seen(.open) == nil)
        #expect(seen(.silent, .open) == nil, "one address is enough")
        #expect(seen(.refused) == "Attic is heard, but 10.0.0.7:8000 refuses connections")
        #expect(
            seen(.noRoute, .silent)
                == "Attic is heard, but connections to [fd00::7]:8000 are not answered")
        #expect(
            seen(.silent, .led(by: "wg0", insteadOf: "eth0"))
                == "Attic is heard, but what goes to [fd00::7]:8000 leaves by wg0, and not by eth0")
        #expect(TryPlaces.Outcome(errno: ENETUNREACH) == .noRoute)
        #expect(seen(.rejected) == "Attic is heard, but a firewall rejects connections to 10.0.0.7:8000")
        #expect(seen(.silent, .barred) == "Attic is heard, but a route of this computer bars [fd00::7]:8000")
        // Nobody answers for an address after three questions; a firewall's word comes at once.
        let times: [(Int32, Duration?, TryPlaces.Outcome)] = [
            (EHOSTUNREACH, nil, .barred), (EHOSTUNREACH, .milliseconds(2), .rejected),
            (EHOSTUNREACH, .milliseconds(3_050), .absent), (EACCES, nil, .barred),
            (EACCES, .milliseconds(2), .rejected), (EPERM, nil, .forbidden), (EINVAL, nil, .barred),
        ]
        for (code, time, outcome) in times {
            #expect(TryPlaces.Outcome(errno: code, after: time) == outcome)
        }
    }

    @Test func twinsAndWhatWasHeardTwice() {
        func heard(_ name: String, _ sources: Set<DiscoveredHub.Source>, _ port: UInt16) -> CheckSearch.Heard
        {
            var hub = CheckSearch.Heard(sources: sources, hasID: true)
            hub.name = name
            hub.places = NetworkAddress("10.0.0.7").map { [.init(address: $0, port: port)] } ?? []
            return hub
        }
        let merged = CheckSearch.merged([heard("Attic", [.mdns], 1)], [heard("Attic", [.udp], 1)])
        #expect(merged.map(\.sources) == [[.mdns, .udp]])
        #expect(CheckSearch.verdict(merged, swept: nil).status == .ok)
        let twins = [heard("Attic", [.mdns, .udp], 1), heard("Attic", [.mdns, .udp], 2)]
        #expect(CheckSearch.verdict(twins, swept: nil).seen == "2 hubs are called Attic")
    }

    @Test func whatFollowsIsNotNamedAgain() {
        func finding(_ check: String, _ verdict: Finding.Verdict) -> Finding {
            Finding(check: check, tried: "", verdict: verdict)
        }
        let cause = finding("firewall", .problem("closed", mend: nil))
        let hubs = finding("hubs", .problem("no hub is heard", mend: "turn off AP isolation"))
        #expect(Doctor.explained(hubs, by: cause).verdict.status == .skipped)
        #expect(Doctor.explained(hubs, by: nil) == hubs)
        #expect(Doctor.explained(cause, by: cause) == cause)
        let ok = finding("hubs", .ok("1 hub heard"))
        #expect(Doctor.explained(ok, by: cause) == ok)
    }

    @Test func upstream() {
        let stock = UpstreamTreatment(kind: .stock, concurrency: 1)
        func verdict(
            _ trouble: LookAtUpstream.Sight.Trouble?, _ treatment: UpstreamTreatment?
        ) -> Finding.Verdict? {
            CheckUpstream.verdict(
                .init(
                    isServed: true, treatment: treatment, trouble: trouble,
                    fault: trouble.map { _ in "it fails" }))
        }
        #expect(verdict(nil, nil) == nil)
        #expect(
            verdict(nil, stock)?.seen == "it answers: a stock Hestia server: it gets one request at a time")
        let other = UpstreamTreatment(kind: .other, concurrency: 16)
        #expect(verdict(.listsNothing, other)?.status == .ok)
        #expect(verdict(.listsNothing, stock)?.status == .warning)
        #expect(verdict(.listsNothing, nil)?.status == .warning)
        #expect(verdict(.slow, stock)?.status == .warning)
        #expect(verdict(.silent, stock)?.status == .problem)
        #expect(verdict(.brokenDatabase, nil)?.mend == ServerError.databaseHint)
        for trouble in [LookAtUpstream.Sight.Trouble.brokenDatabase, .silent, .slow, .listsNothing] {
            #expect(verdict(trouble, nil)?.mend != nil)
        }
    }

    /// What a hub hands on that has seen no appliances yet.
    @Test(
        arguments: [
            (
                500, #"{"error":{"exception":"ServerException","details":{"exception":"JSONDecodeError"}}}"#,
                .brokenDatabase, .stock
            ),
            (
                500, #"{"error":{"exception":"ServerException","details":{"exception":"ConnectionError"}}}"#,
                .listsNothing, .stock
            ),
            (
                404, #"{"error":{"exception":"ServerException","details":{"exception":"JSONDecodeError"}}}"#,
                .listsNothing, .stock
            ),
            (500, "<h1>JSONDecodeError</h1>", .listsNothing, .other), (404, "", .listsNothing, .other),
            (503, #"{"error":"upstream_away","message":"x"}"#, .silent, nil),
            (502, #"{"error":"upstream_unavailable","message":"x"}"#, .silent, nil),
            (401, #"{"error":"no_certificate","message":"x"}"#, nil, nil),
        ] as [(Int, String, LookAtUpstream.Sight.Trouble?, UpstreamKind?)])
    func upstreamBySight(
        _ status: Int, _ body: String, _ trouble: LookAtUpstream.Sight.Trouble?, _ kind: UpstreamKind?
    ) {
        let error = ServerError(status: status, contentType: nil, body: Array(body.utf8))
        let sight = LookAtUpstream.Sight(error, concurrency: nil)
        #expect(sight.trouble == trouble && sight.treatment?.kind == kind && sight.isServed)
        #expect((sight.fault == nil) == (trouble == nil))
    }

    @Test func clock() throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        #expect(CheckClock.verdict(now: now, newest: now, isSynchronised: true).status == .ok)
        #expect(CheckClock.verdict(now: now, newest: now + 300, isSynchronised: true).status == .problem)
        #expect(CheckClock.verdict(now: now, newest: now + 60, isSynchronised: nil).status == .ok)
        #expect(CheckClock.verdict(now: now, newest: nil, isSynchronised: false).status == .warning)
        #expect(
            CheckClock.verdict(now: Date(timeIntervalSince1970: 0), newest: nil, isSynchronised: nil).status
                == .problem)
    }

    @Test func gateway() throws {
        let address = try #require(NetworkAddress("192.168.1.2"))
        let key = Pin(bytes: Array(repeating: 7, count: 32))?.fingerprint
        let fingerprint = try #require(key)
        func judge(_ status: Int, _ body: String, isOwnKey: Bool = true) -> CheckGateway.Answer {
            CheckGateway.judge(status: status, body: Array(body.utf8), isOwnKey: isOwnKey, key: fingerprint)
        }
        #expect(judge(401, #"{"error":"no_certificate","message":""}"#) == .refused)
        #expect(judge(401, "no") == .other(401))
        #expect(judge(200, "[]") == .served(200))
        #expect(judge(200, "[]", isOwnKey: false) == .served(200))
        #expect(judge(401, #"{"error":"no_certificate"}"#, isOwnKey: false) == .otherKey(fingerprint))
        func verdict(_ answers: CheckGateway.Answer...) -> Finding.Verdict {
            CheckGateway.verdict(answers.map { (address, $0) }, port: 8000)
        }
        #expect(verdict(.refused, .closed).seen == "ENFORCED: a stranger gets 401 at 192.168.1.2:8000")
        #expect(verdict(.refused, .served(200)).seen.hasPrefix("OPEN: "))
        #expect(verdict(.closed).seen.contains("not running"))
        let hidden = CheckGateway.verdict([(address, .closed)], port: 8000, isOnLoopback: true)
        #expect(hidden.status == .warning && hidden.seen.contains("loopback alone"))
        #expect(verdict(.refused, .otherKey(fingerprint)).status == .problem)
        #expect(verdict(.other(502)).status == .warning)
        #expect(verdict(.failed("x")).status == .problem)
        #expect(CheckUpstream.exposure([address], of: [address], port: 8443).seen.hasPrefix("OPEN: "))
        #expect(CheckUpstream.exposure([], of: [address], port: 8443).status == .ok)
        #expect(CheckUpstream.exposure([], of: [], port: 8443).status == .skipped)
    }

    @Test(
        arguments: [
            (200, "approved", Finding.Status.ok), (200, "pending", .warning), (200, "revoked", .problem),
            (200, "expired", .problem), (403, nil, .problem), (401, nil, .problem), (500, nil, .warning),
        ] as [(Int, String?, Finding.Status)])
    func pairedHub(_ status: Int, _ word: String?, _ expected: Finding.Status) {
        #expect(CheckPairedHubs.verdict(status: status, word: word, device: "D").status == expected)
    }

    @Test func files() {
        #expect(CheckHubFiles.certificate(isThere: true, matches: true, fingerprint: "X").status == .ok)
        #expect(
            CheckHubFiles.certificate(isThere: false, matches: false, fingerprint: "X").status == .problem)
        #expect(Finding.Verdict(FileError.system(EACCES, operation: "open", path: "x")).status == .skipped)
        #expect(
            Finding.Verdict(FileError.tooOpen(mode: 0o644, allowed: 0o600, path: "x")).mend == "chmod 0600 x")
    }

    @Test func aRoleThatIsNoneIsNamed() throws {
        func device(_ number: UInt8, _ status: ApprovedDevice.Status, role: String?) throws -> ApprovedDevice
        {
            ApprovedDevice(
                name: try PeerName("Device \(number)"),
                pin: try #require(Pin(bytes: [UInt8](repeating: number, count: 32))), status: status,
                role: role)
        }
        let good = [
            try device(1, .approved, role: nil), try device(2, .approved, role: "guest"),
            // It is out anyway, and gets its role with a new code.
            try device(3, .revoked, role: "king"),
        ]
        #expect(CheckHubFiles.devices(good) == .ok("2 approved, 0 pending, 1 revoked"))
        for (status, mend) in [
            (ApprovedDevice.Status.approved, "devices role"), (.pending, "devices approve"),
        ] {
            let bad = try device(4, status, role: "Guest")
            let verdict = CheckHubFiles.devices(good + [bad, try device(5, .approved, role: "")])
            #expect(verdict.status == .problem && verdict.seen.hasPrefix("Device 4 (\(bad.fingerprint))"))
            #expect(verdict.seen.hasSuffix("\"Guest\" is not a role (and 1 more)"))
            #expect(verdict.mend?.contains("\(mend) \(bad.fingerprint)") == true)
        }
    }

    @Test(
        arguments: [
            ("HTTP/1.0 200 OK\r\n", 200), ("HTTP/1.1 404\r\n", 404), ("HTTP/1.1 301 ", 301),
            ("HTTP/1.1 20", nil), ("HTTP/1.1 200", nil), ("HTTP/1.1 2000", nil), ("HTTP/1.1 099 x", nil),
            ("HTTP/1.1 +20 x", nil), ("HTTP/2 200 OK\r\n", nil), ("SSH-2.0-OpenSSH_9.2", nil), ("", nil),
        ] as [(String, Int?)])
    func plainHTTP(reply: String, status: Int?) {
        #expect(PlainHTTP.status(in: Array(reply.utf8)) == status)
    }

    @Test func serverOfPlainHTTPServesStrangers() {
        #expect(CheckGateway.judge(plainStatus: 200) == .served(200))
        guard case .failed(let words) = CheckGateway.judge(plainStatus: 301) else {
            Issue.record("a redirection serves nothing")
            return
        }
        #expect(words.contains("plain HTTP"))
    }

    @Test func checkThatHangsIsLeft() async {
        let check = DiagnosisCheck("x", tried: "y", deadline: .milliseconds(1)) {
            try await Task.sleep(for: .seconds(3_600))
            return .ok("never")
        }
        #expect(await check.run().verdict.status == .problem)
    }

    @Test func theHousehold() {
        var review = ReviewHousehold.Review()
        #expect(CheckHousehold.verdict(review) == .ok("there are none yet"))
        (review.roomCount, review.sceneCount) = (2, 1)
        #expect(CheckHousehold.verdict(review) == .ok("2 rooms, 1 scene, 0 rules"))
        review.isWhole = false
        #expect(CheckHousehold.verdict(review).seen.hasSuffix("could not be asked"))
        review.faults = ["a", "b"].map { .init(text: $0, mend: "do \($0)") }
        #expect(CheckHousehold.verdict(review) == .warning("a (and 1 more)", mend: "do a"))
    }

    @Test(arguments: [
        ("Name:\thubpair\nSeccomp:\t2\n", 7, false, Finding.Status.ok, "writes its own files alone"),
        ("Seccomp:\t2\n", 0, false, .warning, "no Landlock"), ("Seccomp:\t2\n", 0, true, .ok, "its service"),
        ("Seccomp:\t0\n", 7, false, .warning, "all rights"),
        ("Seccomp_filters:\t2\n", 7, true, .warning, "all rights"),
        ("", 7, false, .warning, "all rights"),
    ])
    func sandbox(
        _ status: String, _ landlock: Int, _ isService: Bool, _ found: Finding.Status, _ words: String
    ) {
        let verdict = CheckSandbox.verdict(status: status, landlock: landlock, isService: isService)
        #expect(verdict.status == found)
        #expect(verdict.seen.contains(words))
        #expect((verdict.mend == nil) == (found == .ok))
    }

    @Test func site() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func verdict(
            _ fault: SiteError? = nil, away: [String] = [], isBehind: Bool = false, left: Int64 = 86_400 * 90,
            ahead: Double = 0, house: SiteHouse? = nil
        ) -> Finding.Verdict {
            CheckSite.verdict(
                fault: fault, away: away, count: 3, isBehind: isBehind, house: house, own: "north",
                certificate: 1_800_000_000 + left,
                clocks: [("https://etcd1:2379", 1), ("https://etcd2:2379", ahead)], now: now)
        }
        #expect(verdict().status == .ok)
        #expect(verdict(.noMajority("x"), away: ["https://etcd1:2379"]).status == .problem)
        #expect(verdict(away: ["https://etcd1:2379"]).seen.contains("https://etcd1:2379"))
        #expect(verdict(left: 0).seen == "this gate's certificate has run out")
        #expect(verdict(left: 13 * 86_400).seen.contains("runs out on"))
        #expect(verdict(left: 15 * 86_400).status == .ok)
        #expect(verdict(isBehind: true).seen == "this gate's copy is behind")
        #expect(verdict(ahead: 11).seen == "the clock of https://etcd2:2379 is 11s ahead of this gate's")
        #expect(verdict(ahead: -3_600).seen == "the clock of https://etcd2:2379 is 1h behind this gate's")
        #expect(verdict(ahead: -9).status == .ok)
        func house(_ leader: String?, at place: String, fault: String? = nil) throws -> SiteHouse {
            var entries = [HouseRecords.last: "new 500", HouseRecords.at("1"): place]
            entries[HouseRecords.at("2")] = "new 500"
            entries[HouseRecords.fault(of: "2")] = fault
            if let leader { entries[HouseRecords.leader] = "\(leader) term" }
            let names = [(id: "1", name: "north"), (id: "2", name: "south")]
            return try #require(SiteHouse(entries.mapValues { Array($0.utf8) }, names: names))
        }
        #expect(try verdict(house: house("2", at: "new 500")).status == .ok)
        #expect(try verdict(house: house("2", at: "new 401")).status == .ok)
        #expect(try verdict(house: house("1", at: "old 3")).status == .ok)
        #expect(
            try verdict(house: house("2", at: "new 400")).seen == "this gate's house is 100 changes behind")
        #expect(
            try verdict(house: house("2", at: "old 500")).seen
                == "this gate has another house than the others")
        #expect(try verdict(house: house(nil, at: "new 500")).seen.hasPrefix("no gate polls the server"))
        #expect(
            try verdict(house: house("1", at: "new 500", fault: "no\u{1B} copy")).seen
                == "the house at the gate south does not go on: no\\u{1B} copy")
        #expect(SiteStatus.date("Sat, 28 Nov 2026 12:15:07 GMT")?.timeIntervalSince1970 == 1_795_868_107)
        for text in [
            "Saturday, 28-Nov-26 12:15:07 GMT", "Sat Nov 28 12:15:07 2026", "", "Sat, 28 Nov 2026 12:15 GMT",
        ] {
            #expect(SiteStatus.date(text) == nil)
        }
    }

    @Test func key() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func verdict(_ missing: Int, _ days: Double) -> Finding.Verdict {
            CheckKey.verdict(missing: missing, until: now.addingTimeInterval(days * 86_400), now: now)
        }
        #expect(verdict(0, 1).status == .ok)
        #expect(verdict(2, 60).status == .ok)
        #expect(verdict(2, 60).seen.hasSuffix(": 2"))
        #expect(verdict(2, 13).status == .warning)
    }
}
