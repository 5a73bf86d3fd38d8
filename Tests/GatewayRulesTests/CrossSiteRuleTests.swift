import Addresses
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayRules

/// What a browser may send: requests of the hub's own pages, and those that a person has typed.
@Suite struct CrossSiteRuleTests {
    /// A hub that is `kitchen.local` and `hub.example.org`, at 192.168.1.20 and fd77::1, behind 203.0.113.7.
    private static let names = {
        var sources = HubNames.Sources()
        sources.machine = "Kitchen"
        sources.added = ["hub.example.org", "203.0.113.7"].compactMap { WebHost($0) }
        sources.networks = ["192.168.1.20", "fd77::1"].compactMap { NetworkAddress($0) }.map {
            LocalNetwork(interface: "lan0", address: $0, prefixLength: 24)
        }
        return HubNames(sources)
    }()
    private static let rule = CrossSiteRule { names.contains($0) }

    private func allows(_ fields: [String], isTrustedProxy: Bool = false) throws -> Bool {
        let lines = fields.map { $0 + "\r\n" }.joined()
        let head = try requestHead("GET / HTTP/1.1\r\n\(lines)\r\n")
        return Self.rule.verdict(head.fields, isTrustedProxy: isTrustedProxy) == .allowed
    }

    /// What kind of refusal, and what it names: most often a router has a name that the hub does not know.
    @Test func anUnknownHostIsNoOtherSite() throws {
        func verdict(_ fields: String..., isStranger: Bool = true) throws -> CrossSiteRule.Verdict {
            let lines = fields.map { $0 + "\r\n" }.joined()
            return Self.rule.verdict(
                try requestHead("GET / HTTP/1.1\r\n\(lines)\r\n").fields, isTrustedProxy: false,
                isStranger: isStranger)
        }
        let router = WebHost.name("kitchen.fritz.box")
        for field in ["Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site", "Accept: text/html,*/*;q=0.8"] {
            #expect(try verdict("Host: Kitchen.fritz.box:8000", field) == .otherHost(router))
        }
        #expect(try verdict("Host: kitchen.fritz.box", "Accept: application/json") == .allowed)
        #expect(try verdict("Host: kitchen.local", "Accept: text/html") == .allowed)
        // A program with a device's key: it knows the hub by its key, whatever it asks for.
        #expect(
            try verdict("Host: kitchen.fritz.box", "Accept: text/html", isStranger: false) == .allowed)
        #expect(try verdict("Host: kitchen.local:x", "Sec-Fetch-Mode: cors") == .otherHost(nil))
        #expect(try verdict("Host: kitchen.local", "Sec-Fetch-Site: cross-site") == .otherSite)
        let head = try requestHead("GET / HTTP/1.1\r\nHost: a.example\r\nAccept: text/html\r\n\r\n")
        let router421 = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH, devicePin: { _ in nil })
        let action = router421.action(for: head, from: .init(certificate: .none, isTrustedProxy: false)) {
            _ in
            .unknown
        }
        let refusal = RequestRefusal.otherHost(.name("a.example"))
        #expect(action == .answer(.refusal(refusal), .discarded))
        #expect(refusal.status == 421 && refusal.message.hasSuffix("hubpair hub names add a.example"))
    }

    @Test(arguments: [
        ["Host: evil.example"], ["Host: evil.example", "Referer: https://evil.example/", "Cookie: a"],
        ["Host: kitchen.local", "Sec-Fetch-Site: none"],
        ["Host: kitchen.local:8000", "Sec-Fetch-Site: same-origin", "Origin: https://kitchen.local:8000"],
        ["Host: KITCHEN.local.:8000", "sec-fetch-site: same-origin"],
        ["Host: 192.168.1.20:8000", "ORIGIN: https://192.168.1.20:8000"],
        ["Host: [fd77::1]:8000", "Origin: https://[fd77::1]:8000"],
        ["Host: [FD77:0:0::1]", "Sec-Fetch-Mode: navigate"], ["Host: localhost:1", "Sec-Fetch-Mode: cors"],
        ["Host: 127.0.0.1:8000", "Sec-Fetch-Site: none"], ["Host: [::1]:8000", "Sec-Fetch-Site: none"],
        ["Host: 203.0.113.7", "Origin: https://203.0.113.7"],
        ["Host: hub.example.org", "Origin: https://hub.example.org", "X-Forwarded-Host: evil.example"],
    ])
    func allowed(fields: [String]) throws { #expect(try allows(fields)) }

    @Test(arguments: [
        ["Host: kitchen.local", "Sec-Fetch-Site: cross-site"],
        ["Host: kitchen.local", "Sec-Fetch-Site: same-site"],
        ["Host: kitchen.local", "Sec-Fetch-Site: Same-Origin"], ["Host: kitchen.local", "Sec-Fetch-Site:"],
        ["Host: kitchen.local", "Sec-Fetch-Site: same-origin, none"],
        ["Host: kitchen.local", "Sec-Fetch-Site: none", "Sec-Fetch-Site: none"],
        ["Host: kitchen.local", "Origin: null"], ["Host: kitchen.local", "Origin: https://evil.example"],
        ["Host: kitchen.local", "Origin: http://kitchen.local"], ["Host: kitchen.local", "Origin:"],
        ["Host: kitchen.local", "Origin: https://kitchen.local:8000"],
        ["Host: kitchen.local:8000", "Origin: https://kitchen.local"],
        ["Host: kitchen.local", "Origin: https://kitchen.local/"],
        ["Host: kitchen.local", "Origin: https://kitchen.local", "Origin: https://kitchen.local"],
        ["Host: kitchen.local", "Origin: https://kitchen.local https://evil.example"],
        // The page's own name with the hub's address.
        ["Host: evil.example", "Origin: https://evil.example", "Sec-Fetch-Site: same-origin"],
        ["Host: evil.example:8000", "Sec-Fetch-Site: none"], ["Host: evil.example", "Sec-Fetch-Dest: image"],
        ["Host: evil.kitchen.local", "Sec-Fetch-Site: none"], ["Host: kitchen", "Sec-Fetch-Site: none"],
        ["Host: 198.51.100.1", "Origin: https://198.51.100.1"], ["Host: [fd77::2]", "Sec-Fetch-Mode: cors"],
        ["Host: kitchen.local:evil", "Sec-Fetch-Mode: cors"], ["Host: [::1", "Sec-Fetch-Mode: cors"],
        ["Host: kitchen.local..", "Sec-Fetch-Mode: cors"], ["Host:", "Sec-Fetch-Mode: cors"],
        ["Host: [kitchen.local]", "Sec-Fetch-Mode: cors"],
        ["Host: 3232235796", "Sec-Fetch-Mode: cors"], ["Host: 0x7f000001", "Sec-Fetch-Mode: cors"],
    ])
    func refused(fields: [String]) throws { #expect(try !allows(fields)) }

    @Test func aTrustedProxySaysWhatTheBrowserAskedFor() throws {
        let fields = ["Host: 127.0.0.1:8000", "Origin: https://hub.example.org"]
        #expect(try !allows(fields, isTrustedProxy: true))
        #expect(try allows(fields + ["X-Forwarded-Host: hub.example.org"], isTrustedProxy: true))
        #expect(try !allows(fields + ["X-Forwarded-Host: hub.example.org"]))
        let evil = ["Host: hub.example.org", "Origin: https://evil.example"]
        #expect(try !allows(evil + ["X-Forwarded-Host: evil.example"], isTrustedProxy: true))
        let twice = ["X-Forwarded-Host: hub.example.org", "X-Forwarded-Host: hub.example.org"]
        #expect(try !allows(fields + twice, isTrustedProxy: true))
    }

    // MARK: A second reader

    /// The same from the words of the design, by other means: a request is a text, and its fields are found
    /// in it by an expression.
    private static func secondVerdict(_ text: String) throws -> Bool {
        func values(_ name: String) throws -> [String] {
            let field = try Regex("(?im)^\(name): ?(.*)\\r\\n", as: (Substring, Substring).self)
            return text.matches(of: field).map { String($0.output.1) }
        }
        let (sites, origins) = (try values("sec-fetch-site"), try values("origin"))
        let others = try values("sec-fetch-(?:mode|dest|user)")
        if sites.isEmpty && origins.isEmpty && others.isEmpty { return true }
        let hosts = try values("host")
        guard hosts.count == 1, let host = hosts.first else { return false }
        let ours = [
            "kitchen.local", "kitchen.local.", "hub.example.org", "203.0.113.7", "192.168.1.20", "[fd77::1]",
            "localhost", "127.0.0.1", "[::1]",
        ]
        let isOurs = ours.contains { name in
            host.lowercased() == name
                || host.lowercased().hasPrefix(name + ":")
                    && (Int(host.dropFirst(name.count + 1)).map { (0...65_535).contains($0) } ?? false)
        }
        return isOurs && (sites == [] || sites == ["none"] || sites == ["same-origin"])
            && (origins == [] || origins == ["https://" + host])
    }

    @Test func generatedRequestsGetTheVerdictOfASecondReader() throws {
        let seed =
            ProcessInfo.processInfo.environment["HUBPAIR_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0...99_999)
        var generator = SplitMix64(seed: seed)
        let hosts = [
            "kitchen.local:8000", "kitchen.local:8000", "kitchen.local", "KITCHEN.LOCAL:8000",
            "kitchen.local.:8000", "192.168.1.20:8000", "[fd77::1]:8000", "203.0.113.7", "localhost:8000",
            "evil.example", "evil.example:8000", "192.168.1.21:8000", "[fd77::2]:8000", "kitchen.local:x",
            "kitchen.local:65536",
        ]
        var counts = [true: 0, false: 0]
        for _ in 0..<20_000 {
            let host = hosts.randomElement(using: &generator) ?? ""
            var fields = ["Host: \(host)"]
            let mostly = ["none", "same-origin", "same-origin", "cross-site", "same-site", "None", ""]
            for _ in 0..<([0, 1, 1, 1, 2].randomElement(using: &generator) ?? 0) {
                fields.append("Sec-Fetch-Site: \(mostly.randomElement(using: &generator) ?? "")")
            }
            for _ in 0..<([0, 0, 1, 1, 2].randomElement(using: &generator) ?? 0) {
                let site =
                    [host, host, host, hosts.randomElement(using: &generator) ?? ""]
                    .randomElement(using: &generator) ?? ""
                let scheme =
                    ["https://", "https://", "https://", "https://", "http://", ""]
                    .randomElement(using: &generator) ?? ""
                fields.append("Origin: \(scheme)\(site)")
            }
            if Bool.random(using: &generator) { fields.append("Sec-Fetch-Mode: cors") }
            if Bool.random(using: &generator) { fields.append("Referer: https://evil.example/") }
            fields.shuffle(using: &generator)
            let text = "GET / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
            let expected = try Self.secondVerdict(text)
            let head = try requestHead(text)
            #expect(
                (Self.rule.verdict(head.fields, isTrustedProxy: false) == .allowed) == expected,
                "HUBPAIR_SEED=\(seed): \(text)")
            counts[expected, default: 0] += 1
        }
        // Neither verdict is rare.
        #expect(counts.values.allSatisfy { $0 > 2_000 }, "\(counts)")
    }

    @Test func everyKindOfRequestIsRefused() throws {
        let router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH, devicePin: { _ in nil })
        let client = RequestRouter.Client(certificate: .none, isTrustedProxy: true)
        for start in [
            "GET /", "POST /devices/1/activators/2", "GET /hubpair/v1/hub", "POST /hubpair/v1/pair",
            "GET /hubpair/v1/device", "GET /hubpair/v1/verify", "GET /hubpair/v1/devices", "GET /hubpair",
            "TRACE /",
        ] {
            let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            for fields in ["Sec-Fetch-Site: cross-site\r\n", "Origin: https://e\r\n\(upgrade)"] {
                let head = try requestHead("\(start) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
                let action = router.action(for: head, from: client) { _ in
                    Issue.record("a device was looked up")
                    return .unknown
                }
                #expect(action == .answer(.refusal(.crossSite), .discarded))
            }
        }
    }
}
