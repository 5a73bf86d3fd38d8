import Addresses
import Crypto
import Household
import JSON
import Pairing
import Testing

@testable import House

/// Messages to browsers: what is sealed, to whom it goes, and what comes of it.
@Suite struct PushTests {
    private func bytes(_ text: String, _ count: Int) throws -> [UInt8] {
        try #require(Base64URL.decode(text, count: count))
    }

    private let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    /// RFC 8291, appendix A.
    @Test func aMessageIsSealedAsTheStandardSays() throws {
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", 32))
        let sealed = try PushCipher.seal(
            Array("When I grow up, I want to be a watermelon".utf8), for: bytes(key, 65),
            auth: bytes(auth, 16), salt: bytes("DGv6ra1nlYgDCS1FRnbzlw", 16), sender: sender)
        let expected =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
            + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV"
            + "WGNWQexSgSxsj_Qulcy4a-fN"
        #expect(Base64URL.encode(sealed) == expected)
    }

    @Test func theLengthTellsNoMore() throws {
        let lengths = try [1, 300, 511].map { count in
            try PushCipher.seal(
                [UInt8](repeating: 0x61, count: count), padded: 512, for: bytes(key, 65),
                auth: bytes(auth, 16), salt: [UInt8](repeating: 1, count: 16),
                sender: P256.KeyAgreement.PrivateKey()
            ).count
        }
        #expect(Set(lengths).count == 1 && lengths[0] <= 4096)
    }

    @Test(arguments: [
        "https://fcm.googleapis.com/fcm/send/abc:def", "https://updates.push.services.mozilla.com/wpush/v2/x",
        "https://push.example.org:443/a?b", "https://Push.example.org",
    ])
    func anAddressOfAService(text: String) throws {
        let endpoint = try #require(PushEndpoint(text))
        #expect(endpoint.port == 443 && endpoint.target.hasPrefix("/"))
        #expect(endpoint.origin == "https://\(endpoint.host)")
    }

    @Test(arguments: [
        "http://push.example.org/", "https://192.168.1.1/", "https://[::1]/",
        "https://push.example.org:8443/",
        "https://push.example.org:0/", "https://user@push.example.org/", "https://push.example.org/#x",
        "https://push.example.org\\@evil.example/", "https://push.example.org/ x", "https:///x",
        "https://push.example.org/\u{e4}", "https://127.1/", "https://2130706433/",
        "https://push.example.org/\r\nX: y", "https://" + String(repeating: "a", count: 1100),
    ])
    func noAddressOfAService(text: String) { #expect(PushEndpoint(text) == nil) }

    @Test func whatTheOwnerHasNamedMayBeAtHome() throws {
        let home = try [#require(PushEndpoint.HomeHost("push.lan:8443"))]
        let endpoint = try #require(PushEndpoint("https://push.lan:8443/x", home: home))
        let private4 = try #require(NetworkAddress("192.168.1.7"))
        #expect(endpoint.origin == "https://push.lan:8443" && endpoint.allows(private4, home: home))
        let other = try #require(PushEndpoint("https://push.lan/x", home: home))
        #expect(!other.allows(private4, home: home))
    }

    @Test(arguments: [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fd00::1",
        "ff02::1", "2002:c0a8:101::1", "64:ff9b::a00:1", "2001:0:a::1",
    ])
    func noAddressOfTheInternet(text: String) throws {
        #expect(!PushEndpoint.isPublic(try #require(NetworkAddress(text))))
    }

    @Test(arguments: ["8.8.8.8", "142.250.1.1", "2a00:1450::1", "2607:f8b0::1"])
    func anAddressOfTheInternet(text: String) throws {
        #expect(PushEndpoint.isPublic(try #require(NetworkAddress(text))))
    }

    @Test func whatComesOfAnAnswer() {
        #expect(PushVerdict(status: 201, retryAfter: nil, tries: 1) == .taken)
        for status in [404, 410] {
            #expect(PushVerdict(status: status, retryAfter: nil, tries: 1) == .over)
        }
        for status in [301, 400, 401, 403, 413] {
            #expect(PushVerdict(status: status, retryAfter: nil, tries: 1) == .lost)
        }
        #expect(PushVerdict(status: nil, retryAfter: nil, tries: 1) == .again(5))
        #expect(PushVerdict(status: 503, retryAfter: nil, tries: 3) == .again(20))
        #expect(PushVerdict(status: 429, retryAfter: "60", tries: 1) == .again(60))
        #expect(PushVerdict(status: 429, retryAfter: "99999999", tries: 1) == .again(3600))
        #expect(PushVerdict(status: 429, retryAfter: "-1", tries: 2) == .again(10))
        #expect(PushVerdict(status: 500, retryAfter: nil, tries: PushVerdict.maximumTries) == .lost)
    }

    private func subscription(_ change: (inout [String: JSONValue]) -> Void) throws -> PushSubscription {
        var members: [String: JSONValue] = [
            "endpoint": .string("https://push.example.org/x"), "key": .string(key), "auth": .string(auth),
            "kinds": .array([.string("alarm")]),
        ]
        change(&members)
        return try PushSubscription(.object(members), home: [])
    }

    @Test func aSubscriptionIsReadAsItIsWritten() throws {
        let one = try subscription { _ in }
        #expect(try PushSubscription(one.json, home: []) == one && one.kinds == [.alarm])
    }

    @Test func noSubscription() {
        let changes: [(inout [String: JSONValue]) -> Void] = [
            { $0["endpoint"] = nil }, { $0["endpoint"] = .string("https://localhost:1/") },
            { $0["key"] = .string("AAAA") }, { $0["auth"] = .string("AAAA") },
            { $0["key"] = .string(String(repeating: "A", count: 87)) }, { $0["kinds"] = .array([]) },
            { $0["kinds"] = .array([.string("alert")]) },
            { $0["kinds"] = .array([.string("alarm"), .string("alarm")]) }, { $0["more"] = .null },
        ]
        for change in changes {
            #expect(throws: (any Error).self) { try subscription(change) }
        }
    }

    @Test func aTokenIsForOneServiceAndEnds() throws {
        let key = try #require(PushKey(kept: PushKey().kept))
        let endpoint = try #require(PushEndpoint("https://push.example.org/x"))
        let words = try key.authorization(for: endpoint, now: 1_000).split(separator: " ")
        #expect(words.count == 2 && words[0] == "vapid" && words[1].hasSuffix(",k=\(key.publicText)"))
        let parts = words[1].dropFirst("t=".count).split(separator: ".")
        let claims = JSONValue.object([
            "aud": .string("https://push.example.org"), "exp": .integer(1_000 + 43_200),
            "sub": .string("https://www.rfc-editor.org/info/rfc8292"),
        ])
        var json: [UInt8] = []
        claims.write(to: &json)
        #expect(parts[1] == Base64URL.encode(json))
    }
}
