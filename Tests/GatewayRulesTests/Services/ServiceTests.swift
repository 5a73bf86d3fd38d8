import Identity
import Pairing
import Testing

@testable import GatewayRules

/// What a service gets of a request, and a client of its answer.
@Suite struct ServiceTests {
    private static let device = DeviceFields(fingerprint: "AAAA-BBBB-CCCC-DDDD", name: "Laptop", role: .guest)
    private static let own = [
        "X-Hubpair-Device: AAAA-BBBB-CCCC-DDDD", "X-Hubpair-Name: Laptop", "X-Hubpair-Role: guest",
    ]

    private func rule(
        _ host: ServiceRule.HostField = .kept, _ told: ServiceRule.Told..., rights: ServiceRights = .init()
    ) -> ServiceRule {
        ServiceRule(
            port: 8001, rights: rights, host: host, told: told, isTLS: false, authority: "127.0.0.1:3000")
    }

    /// The lines of the head that the server gets, without the request line.
    private func passed(
        _ fields: [String], to rule: ServiceRule, of client: String = "192.0.2.7", version: String = "1.1"
    ) throws -> [String] {
        let text = fields.map { $0 + "\r\n" }.joined()
        let head = try requestHead("GET /x HTTP/\(version)\r\n\(text)\r\n")
        let bytes = head.passedOn(to: rule, for: Self.device.lines, of: client, closes: false)
        let lines = String(decoding: bytes, as: UTF8.self)
        try #require(lines.hasPrefix("GET /x HTTP/1.1\r\n") && lines.hasSuffix("\r\n\r\n"))
        return lines.split(separator: "\r\n").dropFirst().map(String.init)
    }

    @Test func theHostIsKeptAndEverythingWithIt() throws {
        let fields = [
            "Host: kitchen.local:8001", "Origin: https://kitchen.local:8001",
            "Referer: https://kitchen.local:8001/a", "Accept-Encoding: gzip", "Service-Worker: script",
        ]
        #expect(try passed(fields, to: rule()) == fields + Self.own)
    }

    @Test func theServersOwnHostIsWrittenEverywhere() throws {
        let fields = [
            "ORIGIN: https://kitchen.local:8001", "Host: kitchen.local:8001",
            "referer: https://KITCHEN.local:8001/a?b", "Destination: https://kitchen.local:80019/",
            "Referer: https://kitchen.local:8001", "Authorization: x",
        ]
        #expect(
            try passed(fields, to: rule(.server)) == [
                "Host: 127.0.0.1:3000", "Origin: http://127.0.0.1:3000",
                "referer: http://127.0.0.1:3000/a?b", "Destination: https://kitchen.local:80019/",
                "Referer: http://127.0.0.1:3000", "Authorization: x",
            ] + Self.own)
    }

    @Test func whatThereIsOfTheClientIsInTheGatesWords() throws {
        let lies = [
            "Host: h", "X-Forwarded-For: 1.1.1.1", "Forwarded: for=1.1.1.1", "X-Real-IP: 1.1.1.1",
            "X_Forwarded_For: 1.1.1.1", "X-Forwarded-Prefix: /x", "X-Hubpair-Role: owner",
        ]
        #expect(try passed(lies, to: rule()) == ["Host: h"] + Self.own)
        #expect(
            try passed(lies, to: rule(.kept, .xForwarded, .forwarded)) == ["Host: h"] + Self.own + [
                "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https", "X-Forwarded-Host: h",
                "Forwarded: for=192.0.2.7;host=\"h\";proto=https",
            ])
        let host = "Host: [fd77::1]:8001"
        #expect(
            try passed([host], to: rule(.server, .forwarded), of: "fd77::9").last
                == "Forwarded: for=\"[fd77::9]\";host=\"[fd77::1]:8001\";proto=https")
        // HTTP/1.0 without a host.
        #expect(
            try passed([], to: rule(.kept, .xForwarded, .forwarded), version: "1.0") == [
                "Host: 127.0.0.1:3000"
            ] + Self.own + [
                "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https",
                "Forwarded: for=192.0.2.7;proto=https",
            ])
    }

    // MARK: Cookies

    @Test(arguments: [
        ("a=1; b=2", "a=1; b=2"), ("a={\"x\":1,\"y\":2}", "a={\"x\":1,\"y\":2}"),
        ("__Http-hubpair-8001-sid=own; sid=planted; c=3", "sid=own; c=3"),
        ("__Http-hubpair-8002-sid=others; __Http-hubpair-8001-sid=own", "sid=own"),
        ("__Host-hubpair=t; a=1; __host-HUBPAIR-8001=t; __Host-hubpair-8002=t", "a=1"),
        ("__Http-hubpair-8001-__Host-x=1", "__Host-x=1"),
        ("__Http-hubpair-x=1; hubpair-8001-a=2", "__Http-hubpair-x=1; hubpair-8001-a=2"),
        (" ; a ;;=v", "a; =v"),
    ])
    func cookiesGoToWhoHasSetThem(sent: String, got: String) throws {
        #expect(
            try passed(["Host: h", "Cookie: \(sent)"], to: rule()) == ["Host: h", "Cookie: \(got)"] + Self.own
        )
    }

    @Test(arguments: [
        "__Host-hubpair=t", "__Http-hubpair-8002-a=1", "__Host-hubpair-8001=t;__Http-hubpair-1-=", ";;",
    ])
    func noCookieIsLeft(sent: String) throws {
        #expect(try passed(["Host: h", "Cookie: \(sent)"], to: rule()) == ["Host: h"] + Self.own)
    }

    @Test func severalFieldsAreOne() throws {
        let fields = ["Host: h", "Cookie: sid=planted", "Cookie: __Http-hubpair-8001-sid=own"]
        #expect(try passed(fields, to: rule()) == ["Host: h", "Cookie: sid=own"] + Self.own)
    }

    @Test(arguments: [
        ("sid=1; HttpOnly", "__Http-hubpair-8001-sid=1; HttpOnly; Secure"),
        (
            "sid=1; path=/a; HTTPONLY; Domain=127.0.0.1; SameSite=None",
            "__Http-hubpair-8001-sid=1; path=/a; HTTPONLY; SameSite=None; Secure"
        ),
        ("_xsrf=2|a; Path=/; Max-Age=9", "_xsrf=2|a; Path=/; Max-Age=9; Secure"),
        ("a=; secure; Secure ; domain", "a=; Secure"),
        ("__Host-x=1; Path=/; Secure; HttpOnly", "__Http-hubpair-8001-__Host-x=1; Path=/; HttpOnly; Secure"),
    ])
    func aCookieIsRepaired(set: String, got: String) throws {
        #expect(try answered("Set-Cookie: \(set)") == ["Set-Cookie: \(got)"])
    }

    @Test(arguments: [
        "__Host-hubpair=x; Path=/; Secure", "__host-hubpair-8001=x", "=__Host-hubpair=x",
        "__Http-hubpair-8002-sid=x; HttpOnly",
        "__Http-hubpair-8001-sid=x", "nameless", "", "; HttpOnly", "=x",
    ])
    func aCookieIsNotPassedOn(set: String) throws { #expect(try answered("Set-Cookie: \(set)").isEmpty) }

    // MARK: Answers

    /// The fields of the answer that the client gets.
    private func answered(
        _ fields: String..., rule: ServiceRule? = nil, host: String? = "kitchen.local:8001",
        cookie: String? = nil
    ) throws -> [String] {
        var framing = ResponseFraming(toHead: false, upgrades: false)
        let text = "HTTP/1.1 302 Found\r\n\(fields.map { $0 + "\r\n" }.joined())Content-Length: 0\r\n\r\n"
        guard case .head(let head) = try Array(text.utf8).withUnsafeBytes({ try framing.next($0).part })
        else {
            throw FramingError.badStatusLine
        }
        let bytes = head.passedOn(
            from: rule ?? self.rule(), to: host.map { Array($0.utf8)[...] }, framing: .length(0),
            connection: nil, cookie: cookie)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
        try #require(lines.first == "HTTP/1.1 302 Found" && lines.last == "Content-Length: 0")
        return Array(lines.dropFirst().dropLast())
    }

    @Test(arguments: [
        ("http://kitchen.local:8001/a?b#c", "https://kitchen.local:8001/a?b#c"),
        ("HTTP://127.0.0.1:3000", "https://kitchen.local:8001"),
        ("https://KITCHEN.local:8001?x", "https://kitchen.local:8001?x"),
        ("http://kitchen.local:3000/a", "https://kitchen.local:8001/a"),
        ("http://kitchen.local/a", "http://kitchen.local/a"),
        ("http://kitchen.local:3001/", "http://kitchen.local:3001/"),
        ("/a", "/a"), ("//127.0.0.1:3000/", "//127.0.0.1:3000/"),
        ("http://127.0.0.1:30000/", "http://127.0.0.1:30000/"),
        ("http://127.0.0.1:3000@evil.example/", "http://127.0.0.1:3000@evil.example/"),
        ("http://127.0.0.1:3000.evil.example/", "http://127.0.0.1:3000.evil.example/"),
        ("https://other.example/127.0.0.1:3000", "https://other.example/127.0.0.1:3000"), ("", ""),
    ])
    func whereTheServerMeansItselfTheHubIsMeant(said: String, got: String) throws {
        for name in ["Location", "content-location"] {
            #expect(try answered("\(name): \(said)") == ["\(name): \(got)"])
        }
    }

    @Test(arguments: [
        ("[fd00::1]:8001", "127.0.0.1:3000", "http://[fd00::1]:3000/"),
        ("[fd00::1]", "127.0.0.1", "http://[fd00::1]/"), ("h:1", "[::1]:3000", "http://h:3000/"),
        ("h", "nas.lan", "https://h/"), ("h:443", "[::1]", "https://h/"),
    ])
    func aServerKnowsItsPortAndIsToldAName(host: String, authority: String, said: String) throws {
        let rule = ServiceRule(port: 8001, rights: .init(), isTLS: false, authority: authority)
        #expect(try answered("Location: \(said)", rule: rule, host: host) == ["Location: https://\(host)/"])
    }

    @Test func theOriginIsTheServicesOwn() throws {
        let kept = [
            "Content-Security-Policy: default-src 'self'", "Service-Worker-Allowed: /",
            "Content-Encoding: gzip",
            "X-Content-Type-Options: nosniff", "Server: x",
        ]
        #expect(try answered(kept[0], kept[1], kept[2], kept[3], kept[4]) == kept)
        for name in OriginGuard.droppedForHost { #expect(try answered("\(name): x").isEmpty) }
        let known = ["clear-site-data", "strict-transport-security", "alt-svc"]
        #expect(OriginGuard.droppedForHost.isSuperset(of: known))
        #expect(try answered("Connection: x-hop", "X-Hop: 1", cookie: "a=b") == ["Set-Cookie: a=b"])
        let location = "Location: http://127.0.0.1:3000/"
        #expect(try answered(location, host: nil) == [location])
    }

    // MARK: Who may

    private static let words = ["admin", "guest", "member", "owner"]

    private func device(_ role: String?, _ byte: UInt8 = 1) throws -> ApprovedDevice {
        let pin = try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
        return ApprovedDevice(name: try PeerName("Tablet"), pin: pin, status: .approved, role: role)
    }

    private func admitted(_ rights: ServiceRights, _ byte: UInt8 = 1) throws -> [Bool] {
        try Self.words.map { rights.admits(try device($0, byte)) }
    }

    @Test func rolesAreInOrder() throws {
        #expect(try admitted(ServiceRights(role: .owner)) == [false, false, false, true])
        #expect(try admitted(ServiceRights(role: .member)) == [false, false, true, true])
        #expect(try admitted(ServiceRights(role: .guest)) == [false, true, true, true])
    }

    @Test func devicesAreNamedBesides() throws {
        let (one, other) = (try device(nil, 1).fingerprint, try device(nil, 2).fingerprint)
        let rights = try #require(ServiceRights(role: .owner, allowed: [one], denied: [other]))
        #expect(try admitted(rights, 1) == [false, true, true, true])
        #expect(try admitted(rights, 2) == [false, false, false, false])
        #expect(try admitted(rights, 3) == [false, false, false, true])
        #expect(ServiceRights(role: .owner, allowed: [one], denied: [one]) == nil)
        #expect(ServiceRights(role: .owner, allowed: [one, one], denied: []) == nil)
    }

    @Test func aDeviceIsNamedOnlyWhereItsRoleDoesNotSaySo() throws {
        var rights = ServiceRights(role: .member)
        let (guest, owner) = (try device("guest", 1), try device("owner", 2))
        let changes = [
            rights.set(owner, mayUse: true), rights.set(guest, mayUse: false),
            rights.set(guest, mayUse: true), rights.set(guest, mayUse: true),
            rights.set(owner, mayUse: false),
        ]
        #expect(changes == [false, false, true, false, true])
        #expect(rights.allowed == [guest.fingerprint] && rights.denied == [owner.fingerprint])
        rights.keep { $0 != owner.fingerprint }
        let hasChanged = rights.set(guest, mayUse: false)
        #expect(hasChanged)
        #expect(rights == ServiceRights(role: .member))
    }

    private func route(
        _ start: String, _ fields: String..., role: String? = "member", least: Role = .member,
        isKnown: Bool = true, isDenied: Bool = false
    ) throws -> RequestRouter.Action {
        let device = try device(role)
        let rights = try #require(
            ServiceRights(role: least, allowed: [], denied: isDenied ? [device.fingerprint] : []))
        let router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH, service: rule(rights: rights)
        ) { _ in nil }
        let head = try requestHead(
            "\(start) HTTP/1.1\r\nHost: h\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
        return router.action(
            for: head, from: .init(certificate: isKnown ? .device(device.pin) : .none, isTrustedProxy: false)
        ) { _ in .approved(device) }
    }

    private func refusal(_ action: RequestRouter.Action) -> RequestRefusal? {
        if case .answer(.refusal(let refusal), _, _) = action { refusal } else { nil }
    }

    private func isForwarded(_ action: RequestRouter.Action) -> Bool {
        if case .forward = action { true } else { false }
    }

    @Test func nothingOfTheHubIsThere() throws {
        for path in [
            "/hubpair/", "/hubpair", "/hubpair/v1/hub", "/hubpair/v1/pair", "/hubpair/v1/session",
            "/hubpair/v1/device", "/hubpair/v1/devices", "/hubpair/v1/verify", "/hubpair/page/page.js",
            "/hubpair/page/enter.js", "/hubpair/page/session.js", "//hubpair/v1/hub", "/%68ubpair/",
            "/a/../hubpair",
            "/hubpair/trust",
        ] {
            #expect(refusal(try route("GET \(path)")) == .notFound, "\(path)")
        }
        let style = try route("GET /hubpair/page/plain.css", isKnown: false)
        #expect(style == .answer(.page(.plainStyle), .discarded))
        #expect(refusal(try route("POST /hubpair/page/plain.css")) == .wrongMethod(["GET", "HEAD"]))
    }

    @Test func whoMayUseItMayDoEverythingThere() throws {
        for start in [
            "GET /", "POST /devices/a/activators/b", "PUT /x", "DELETE /x", "GET /ws", "PROPFIND /",
        ] {
            #expect(isForwarded(try route(start)))
            #expect(isForwarded(try route(start, role: "guest", least: .guest)))
            #expect(refusal(try route(start, role: "guest")) == .serviceNotAllowed(.guest))
            #expect(refusal(try route(start, least: .owner)) == .serviceNotAllowed(.member))
            #expect(refusal(try route(start, isDenied: true)) == .serviceNotAllowed(nil))
            #expect(refusal(try route(start, role: "Member")) == .notApproved(.unknownRole))
            #expect(refusal(try route(start, isKnown: false)) == .noCertificate)
        }
        #expect(isForwarded(try route("GET /", "Accept: text/html")))
        #expect(isForwarded(try route("GET /sw.js", "Service-Worker: script", "Sec-Fetch-Site: same-origin")))
        #expect(refusal(try route("TRACE /")) == .methodNotPassedOn)
        #expect(refusal(try route("PUT /", "Content-Length: 10")) == .tooLarge(limit: 9))
    }

    /// What a proxy in front of it asks is answered by the rights of the service, not by the table of roles.
    @Test(
        arguments: [
            ("GET", "owner", nil, nil), ("HEAD", "member", nil, nil), ("GET", "guest", "/x", "not_allowed"),
            ("GET", "member", "/hubpair/v1/device", "not_allowed"), ("GET", "Member", "/x", "role_unknown"),
            ("GET", "member", "/devices/1", nil), ("POST", "member", "/x", "method_not_allowed"),
        ] as [(String, String, String?, String?)])
    func aProxyThatIsTrustedAsks(method: String, role: String, target: String?, word: String?) throws {
        let device = try device(role)
        let lines = target.map { "X-Original-Method: DELETE\r\nX-Original-URI: \($0)\r\n" } ?? ""
        let head = try requestHead(
            "\(method) /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\nX-SSL-Client-Cert: p\r\n\(lines)\r\n")
        let router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH, service: rule()
        ) { _ in device.pin }
        func answer(isTrusted: Bool) -> RequestRouter.Action {
            router.action(
                for: head, from: .init(certificate: .device(device.pin), isTrustedProxy: isTrusted)
            ) { _ in .approved(device) }
        }
        let asked = answer(isTrusted: true)
        #expect(refusal(asked)?.word == word)
        if word == nil { #expect(asked == .answer(.verified(device), .discarded)) }
        #expect(refusal(answer(isTrusted: false)) == .notFound)
    }

    /// The hub's page is another origin of the same site, and so is every other service.
    @Test func anotherPortMayLinkToTheFrontPageAndDoNothingElse() throws {
        let link = ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
        let again = RequestRouter.Action.answer(.again, .discarded)
        for site in [link[0], "Sec-Fetch-Site: cross-site"] {
            #expect(try route("GET /", site, link[1], link[2]) == again)
        }
        #expect(refusal(try route("GET /x", link[0], link[1], link[2])) == .crossSite)
        #expect(refusal(try route("GET /?x", link[0], link[1], link[2])) == .crossSite)
        #expect(refusal(try route("POST /", link[0], link[1], link[2])) == .crossSite)
        #expect(refusal(try route("GET /", link[0], link[1], "Sec-Fetch-Dest: iframe")) == .crossSite)
        #expect(refusal(try route("GET /", link[0], "Sec-Fetch-Mode: no-cors", link[2])) == .crossSite)
        #expect(refusal(try route("GET /ws", "Origin: https://h:8002")) == .crossSite)
        #expect(
            refusal(try route("GET /", link[0], link[1], link[2], "Sec-Fetch-Mode: navigate")) == .crossSite)
    }

    @Test func itGoesOnWhileTheRoleAllowsIt() throws {
        let pin = try #require(Pin(bytes: [UInt8](repeating: 1, count: 32)))
        let router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH, service: rule()
        ) { _ in nil }
        let head = try requestHead("GET /ws HTTP/1.1\r\nHost: h\r\n\r\n")
        for (role, goesOn) in [("owner", true), ("member", true), ("guest", false), ("Owner", false)] {
            let device = ApprovedDevice(name: try PeerName("Tablet"), pin: pin, status: .approved, role: role)
            #expect(router.allows(head, of: device) == goesOn)
        }
    }
}
