import Identity
import Pairing
import Testing

@testable import GatewayRules

/// What a proxy's question says of the request that it asks about, and what becomes of it.
@Suite struct ProxiedRequestTests {
    private static let original = ["X-Original-Method: POST", "X-Original-URI: /devices/1/activators/2"]
    private static let forwarded = ["X-Forwarded-Method: POST", "X-Forwarded-Uri: /devices/1/activators/2"]

    private func read(_ fields: [String]) throws -> ProxiedRequest {
        let text = fields.map { $0 + "\r\n" }.joined()
        return ProxiedRequest(
            try requestHead("GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n\(text)\r\n").fields)
    }

    @Test func eitherColumnNamesTheRequest() throws {
        for fields in [
            Self.original, Self.forwarded, Self.original + Self.forwarded, Self.forwarded + Self.original,
        ] {
            #expect(try read(fields) == .request(.switching))
        }
        #expect(try read(["x-forwarded-method: GET", "X-FORWARDED-URI: /x?y"]) == .request(.reading))
        #expect(try read(["X-Original-Method: get", "X-Original-URI: /"]) == .request(.changing))
    }

    @Test(arguments: [
        [], ["X-Original-Method: GET"], ["X-Forwarded-Uri: /"],
        ["X-Original-Method: GET", "X-Forwarded-Uri: /"],
        ["X_Original_Method: GET", "X_Original_URI: /"], ["X-Original-Method: GET", "X-Original-URL: /"],
    ])
    func lessThanAColumnSaysNothing(fields: [String]) throws { #expect(try read(fields) == .unsaid) }

    @Test(arguments: [
        original + ["X-Forwarded-Method: GET"], original + ["X-Forwarded-Uri: /devices/1/activators/2?"],
        original + ["X-Original-Method: GET"], forwarded + ["X-Forwarded-Uri: /"],
        ["X-Original-Method: GET", "X-Forwarded-Method: POST"],
        ["X-Original-Method: GET", "X-Original-URI: /", "X-Forwarded-Method: get", "X-Forwarded-Uri: /"],
    ])
    func twoRequestsContradictEachOther(fields: [String]) throws {
        #expect(try read(fields) == .contradicting)
    }

    @Test(arguments: [
        "/hubpair/v1/device", "/%68ubpair", "//hubpair", "/x/..%2fHUBPAIR", "*", "http://h/x", "x", "",
    ])
    func theHubsOwnPathsAndWhatIsNoPathAreWithheld(target: String) throws {
        #expect(try read(["X-Original-Method: GET", "X-Original-URI: \(target)"]) == .withheld)
    }

    @Test(arguments: [
        "X-Original-Upgrade: websocket", "Upgrade: h2c", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13",
        "X-HTTP-Method-Override: PUT",
    ])
    func anotherProtocolOrMethodIsSeen(field: String) throws {
        #expect(try read(["X-Original-Method: GET", "X-Original-URI: /", field]) == .request(.changing))
    }

    @Test func nginxSendsAnEmptyUpgradeAsNone() throws {
        #expect(try read(Self.original + ["X-Original-Upgrade: "]) == .request(.switching))
    }

    @Test(
        arguments: [
            ("guest", [], "not_allowed"), ("guest", original, nil),
            ("guest", ["X-Original-Method: PUT", "X-Original-URI: /"], "not_allowed"),
            ("guest", ["X-Original-Method: GET"], "not_allowed"),
            (nil, [], nil), ("member", ["X-Original-Method: PUT", "X-Original-URI: /"], nil),
            ("owner", ["X-Original-Method: PUT", "X-Forwarded-Method: GET"], "not_allowed"),
            ("owner", ["X-Original-Method: GET", "X-Original-URI: /hubpair"], "not_allowed"),
            ("king", original, "role_unknown"), ("king", [], "role_unknown"),
        ] as [(String?, [String], String?)])
    func theAnswerToAProxy(role: String?, fields: [String], word: String?) throws {
        let pin = try #require(Pin(bytes: [UInt8](repeating: 1, count: 32)))
        let device = ApprovedDevice(name: try PeerName("x"), pin: pin, status: .approved, role: role)
        let router = RequestRouter(hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH) { _ in pin }
        let proxy = RequestRouter.Client(certificate: .none, isTrustedProxy: true)
        let lines = (["X-SSL-Client-Cert: p"] + fields).map { $0 + "\r\n" }.joined()
        let head = try requestHead("GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
        let access: RequestRouter.Access =
            device.knownRole == nil ? .refused(device, device.verdict(at: .now)) : .approved(device)
        let action = router.action(for: head, from: proxy, guests: { _ in .allowed }, access: { _ in access })
        guard case .answer(let answer, _, _) = action
        else {
            Issue.record("the hub answers by itself")
            return
        }
        if case .refusal(let refusal) = answer {
            #expect(refusal.word == word && refusal.status == 403)
        } else {
            #expect(answer == .verified(device) && word == nil)
        }
    }
}
