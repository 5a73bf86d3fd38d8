import Testing

@testable import HubClient

/// Which requests on this computer's own address are the opened browser's.
@Suite struct BrowserGateTests {
    private typealias Field = (name: String, value: String)

    private static let cookie: Field = ("Cookie", "a=b; hubpair-4321=secret; c")
    private static let host: Field = ("Host", "127.0.0.1:4321")

    private var gate: BrowserGate { BrowserGate(port: 4321, token: "t0ken", secret: "secret") }

    private static func isPassed(_ fields: [Field], _ method: String = "GET", _ target: String = "/x") -> Bool
    {
        var gate = BrowserGate(port: 4321, token: "t0ken", secret: "secret")
        return gate.verdict(method: method, target: target, fields: fields) == .pass
    }

    @Test func theAddressWorksOnce() {
        var gate = gate
        func ask(_ target: String, _ fields: Field...) -> BrowserGate.Verdict {
            gate.verdict(method: "GET", target: target, fields: [BrowserGateTests.host] + fields)
        }
        for wrong in ["/?token=", "/?token=t0ke", "/?token=t0ken2", "/?token=T0KEN"] {
            guard case .refuse(403, "token_used", _) = ask(wrong) else {
                Issue.record("\(wrong) opens it")
                return
            }
        }
        #expect(ask("/?token=t0ken", ("Sec-Fetch-Site", "none")) == .enter)
        guard case .refuse(403, "token_used", _) = ask("/?token=t0ken") else {
            Issue.record("it works twice")
            return
        }
        #expect(ask("/hubpair/", BrowserGateTests.cookie) == .pass)
        #expect(gate.cookie == "hubpair-4321=secret; Path=/; HttpOnly; SameSite=Strict")
    }

    @Test func theCookieIsGoodInTheBrowserThatGotIt() {
        var gate = gate
        func ask(_ target: String, _ fields: [Field]) -> BrowserGate.Verdict {
            gate.verdict(method: "GET", target: target, fields: [BrowserGateTests.host] + fields)
        }
        #expect(ask("/?token=t0ken", [("User-Agent", "One")]) == .enter)
        #expect(ask("/x", [BrowserGateTests.cookie, ("user-agent", "One")]) == .pass)
        let others: [[Field]] = [
            [("User-Agent", "Two")], [], [("User-Agent", "One"), ("User-Agent", "One")],
        ]
        for other in others {
            guard case .refuse(403, "no_cookie", _) = ask("/x", [BrowserGateTests.cookie] + other) else {
                Issue.record("\(other) passes")
                continue
            }
        }
    }

    @Test func theTokenIsNoUseToAnotherSite() {
        var gate = gate
        let verdict = gate.verdict(
            method: "GET", target: "/?token=t0ken",
            fields: [BrowserGateTests.host, ("Sec-Fetch-Site", "cross-site")])
        guard case .refuse(403, "cross_site", _) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        // And it has not been used up.
        #expect(
            gate.verdict(method: "GET", target: "/?token=t0ken", fields: [BrowserGateTests.host]) == .enter)
    }

    @Test(
        arguments: [
            [], [("Cookie", "hubpair-4321=Secret")], [("Cookie", "hubpair-4321=")],
            [("Cookie", "hubpair-4321")],
            [("Cookie", "hubpair-4322=secret")], [("Cookie", "Hubpair-4321=secret")],
            [("Authorization", "secret")], [("Cookie", "xhubpair-4321=secret")],
        ] as [[(name: String, value: String)]])
    func withoutTheCookieNothingPasses(fields: [(name: String, value: String)]) {
        #expect(!BrowserGateTests.isPassed([BrowserGateTests.host] + fields))
        #expect(BrowserGateTests.isPassed([BrowserGateTests.host, BrowserGateTests.cookie] + fields))
    }

    @Test(
        arguments: [
            [("Host", "evil.example:4321")], [("Host", "127.0.0.1")], [("Host", "127.0.0.1:4322")], [],
            [("Host", "127.0.0.1:4321"), ("Host", "127.0.0.1:4321")],
            [("Host", "127.0.0.1:4321.evil.example")],
            [("Host", "127.0.0.1:4321"), ("Origin", "null")],
            [("Host", "127.0.0.1:4321"), ("Origin", "http://localhost:4321")],
            [("Host", "127.0.0.1:4321"), ("Origin", "https://127.0.0.1:4321")],
            [("Host", "127.0.0.1:4321"), ("Origin", "http://127.0.0.1:4322")],
            [("Host", "127.0.0.1:4321"), ("Sec-Fetch-Site", "same-site")],
            [("Host", "127.0.0.1:4321"), ("Service-Worker", "script")],
            [("Host", "127.0.0.1:4321"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "none")],
        ] as [[(name: String, value: String)]])
    func otherSitesAreRefused(fields: [(name: String, value: String)]) {
        #expect(!BrowserGateTests.isPassed(fields + [BrowserGateTests.cookie]))
    }

    @Test(arguments: ["HEAD", "OPTIONS", "CONNECT", "TRACE", "get"])
    func otherMethodsAreRefused(method: String) {
        #expect(!BrowserGateTests.isPassed([BrowserGateTests.host, BrowserGateTests.cookie], method))
    }

    @Test func aTargetIsAPath() {
        let fields = [BrowserGateTests.host, BrowserGateTests.cookie]
        #expect(!BrowserGateTests.isPassed(fields, "GET", "http://other/"))
        #expect(!BrowserGateTests.isPassed(fields, "GET", "*"))
        #expect(BrowserGateTests.isPassed(fields + [("Origin", "http://127.0.0.1:4321")], "POST"))
    }

    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:10E1 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0
           1: 0100007F:10E1 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0 20 4
           2: 0100007F:C001 0100007F:10E1 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4
           3: 0200007F:C002 0100007F:10E1 01 00000000:00000000 00:00000000 00000000  1001        0 4 1 0 20 4
           4: 0100007F:C003 0100007F:10E2 01 00000000:00000000 00:00000000 00000000  1002        0 5 1 0 20 4
        nonsense
        """
}
