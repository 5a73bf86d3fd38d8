import Foundation
import Identity
import Pairing
import TestSupport
import Testing

@testable import GatewayRules

/// What a role may send. Generated requests are judged by a second reader, written apart: a regular
/// expression over the request line in place of the segments.
@Suite struct RoleTableTests {
    private struct Request {
        var method: String
        var target: String
        var version: String
        var fields: [String]

        var text: String {
            "\(method) \(target) HTTP/\(version)\r\nHost: h\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n"
        }
    }

    private static let roles: [String?] = [nil, "owner", "member", "guest", "", "Guest", "guest ", "admin"]

    private static func request(_ generator: inout SplitMix64) -> Request {
        func pick(_ words: [String]) -> String { words.randomElement(using: &generator) ?? "" }
        let method = pick([
            "GET", "HEAD", "POST", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "M-SEARCH",
        ])
        var target =
            "/devices/\(pick(["1", "6b01", "a.b", "~"]))/activators/\(pick(["2", "7c", "x_y", "a-b"]))"
        // One slip in the spelling, mostly.
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: target += pick(["/", "?", "?x=1", ";a=b", "//", "/.", "/..", "%2f", "%00", ".", "..", "*"])
        case 1:
            target = target.replacingOccurrences(
                of: "/activators", with: pick(["//activators", "/./activators"]))
        case 2:
            target = target.replacingOccurrences(
                of: "devices", with: pick(["Devices", "DEVICES", "%64evices"]))
        case 3:
            target = target.replacingOccurrences(
                of: "activators", with: pick(["activator", "Activators", ".."]))
        case 4: target = pick(["/", "//", "/x/..", "/."]) + target
        case 5:
            let segment = pick([
                ".", "..", "", "%2e", "%2E%2e", "a%2fb", "a%252fb", "a;b", "a:b", "a@b", "a\\b", "a+b",
            ])
            target = pick(["/devices/\(segment)/activators/2", "/devices/1/activators/\(segment)"])
        case 6:
            target = pick([
                "/devices", "/devices/", "/devices/1", "/plugins/x", "/", "/x?/devices/1/activators/2",
            ])
        default: break
        }
        var fields: [String] = []
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: fields = ["Connection: Upgrade", "Upgrade: \(pick(["websocket", "h2c", "x"]))"]
        case 1: fields = ["Upgrade: websocket"]
        case 2:
            fields = [pick(["X-HTTP-Method-Override", "x-method-override", "X-HTTP-METHOD"]) + ": DELETE"]
        case 3: fields = ["X_HTTP_Method_Override: DELETE", "Expect: 100-continue"]
        case 4: fields = ["Sec-WebSocket-Key: x", "X-Original-Method: GET", "X-Forwarded-Uri: /"]
        default: break
        }
        return Request(method: method, target: target, version: pick(["1.1", "1.1", "1.0"]), fields: fields)
    }

    /// The table again.
    private static func allows(_ role: String?, _ request: Request) throws -> Bool {
        if role == nil || role == "owner" || role == "member" { return true }
        guard role == "guest" else { return false }
        let names = request.fields.map { $0.lowercased().split(separator: ":")[0] }
        let others = ["upgrade", "x-http-method-override", "x-method-override", "x-http-method"]
        if names.contains(where: { others.contains(String($0)) }) { return false }
        let id = #"(?!\.{1,2}(?:/|$))[-._~0-9A-Za-z]+"#
        return try Regex("GET .*|HEAD .*|POST /devices/\(id)/activators/\(id)")
            .wholeMatch(in: "\(request.method) \(request.target)") != nil
    }

    private static let verdicts: [GuestVerdict?] = [.allowed, .allowed, .guarded, .unknown, nil]

    /// The verdict that an action which forwards nothing was made for.
    private static func refusal(_ action: RequestRouter.Action) throws -> GuestVerdict? {
        switch action {
        case .ask: return nil
        case .answer(.refusal(let refusal), _, _):
            #expect(["403 not_allowed", "503 unavailable"].contains("\(refusal.status) \(refusal.word)"))
            return refusal.status == 403 ? .guarded : .unknown
        default:
            Issue.record("it was forwarded")
            return nil
        }
    }

    @Test func generatedRequestsGetTheVerdictOfASecondReader() throws {
        let seed =
            ProcessInfo.processInfo.environment["HUBPAIR_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0...99_999)
        var generator = SplitMix64(seed: seed)
        let pin = try #require(Pin(bytes: [UInt8](repeating: 1, count: 32)))
        let router = RequestRouter(hasUpstream: true, maximumBodyByteCount: 9, crossSite: .hubH) { _ in nil }
        let client = RequestRouter.Client(certificate: .device(pin), isTrustedProxy: false)
        var counts = [true: 0, false: 0]
        for _ in 0..<10_000 {
            let request = Self.request(&generator)
            let role = Self.roles.randomElement(using: &generator) ?? nil
            let device = ApprovedDevice(name: try PeerName("x"), pin: pin, status: .approved, role: role)
            let verdict = Self.verdicts.randomElement(using: &generator) ?? nil
            let dependsOn = role == "guest" && request.method == "POST" ? verdict : .allowed
            let isAllowed = try Self.allows(role, request)
            let expected = isAllowed && dependsOn == .allowed
            let head = try requestHead(request.text)
            let guests = { (id: String) in request.target.contains("/\(id)/activators/") ? verdict : .guarded
            }
            let action = router.action(for: head, from: client, guests: guests) { _ in .approved(device) }
            let isForwarded = action == .forward(device)
            #expect(
                isForwarded == expected && router.allows(head, of: device, guests: guests) == expected,
                "HUBPAIR_SEED=\(seed): \(role ?? "-") \(request.text)")
            counts[expected, default: 0] += 1
            if isAllowed, !expected {
                #expect(try Self.refusal(action) == dependsOn, "HUBPAIR_SEED=\(seed): \(request.text)")
                continue
            }
            guard !expected, case .answer(.refusal(let refusal), _, _) = action else { continue }
            #expect(
                refusal.status == 403 && refusal.word == (role == "guest" ? "not_allowed" : "role_unknown"))
        }
        // Neither verdict is rare.
        #expect(counts.values.allSatisfy { $0 > 2_000 }, "\(counts)")
    }

    @Test(arguments: [
        (Role.guest, RequestKind.reading, true), (.guest, .switching, true), (.guest, .changing, false),
        (.member, .changing, true), (.owner, .changing, true),
    ])
    func theTable(role: Role, kind: RequestKind, isAllowed: Bool) {
        #expect(RoleTable.allows(role, kind) == isAllowed)
        #expect(!RoleTable.allows(nil, kind))
    }

    @Test(arguments: [
        (Role.owner, ["administer", "arrange", "change", "look", "open", "set"]),
        (.member, ["arrange", "change", "look", "open", "set"]), (.guest, ["look", "set"]), (nil, []),
    ])
    func whatARoleMayDo(role: Role?, words: [String]) {
        #expect(RoleTable.capabilities(of: role).map(\.rawValue).sorted() == words)
        #expect(RoleTable.depends(role, .switching) == (role == .guest))
        #expect(RoleTable.allowsAll(role) == (role == .owner || role == .member))
    }

    @Test(arguments: [
        "/devices/a b/activators/2", "/devices/1/activators/2\u{0}", "/devices/1/activators/\u{e4}",
        "devices/1/activators/2", "http://h/devices/1/activators/2", "", "/", "*",
    ])
    func whatNoHeadCanHoldSwitchesNothingEither(target: String) {
        #expect(RequestKind(method: "POST".utf8, target: target.utf8, isPlain: true) == .changing)
        #expect(
            RequestKind(method: "post".utf8, target: "/devices/1/activators/2".utf8, isPlain: true)
                == .changing)
    }
}
