import Crypto
import Discovery
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Pairing
import PinnedTLS
import Testing

@testable import HubService

@Suite struct GatewayPathTests {
    @Test(arguments: [
        ("/hubpair/v1/hub", ServeEndpoint.hub), ("/hubpair/v1/hub?x=/../y", .hub),
        ("/hubpair/v1/pair", .pair), ("/hubpair/v1/device", .device), ("/hubpair/v1/verify", .verify),
    ])
    func own(target: String, endpoint: ServeEndpoint) {
        #expect(GatewayPath(target: target) == .own(endpoint))
    }

    @Test(arguments: [
        "/hubpair", "/hubpair/", "/hubpair?x", "/hubpairing", "/hubpair/v1/hub/", "/hubpair/v1/Hub",
        "/hubpair/v1/hub%20", "/hubpair/../devices", "/hubpair/v1//hub", "//hubpair/v1/hub", "/./hubpair",
        "/././/hubpair/x", "/%68ubpair", "/%2568ubpair", "/%252568ubpair", "/hub%70air/v1/hub",
        "/HubPair/v1/hub", "/HUBPAIR", "/%48UBPAIR", "/x/../hubpair", "/x/%2e%2e/hubpair", "/x/..%2fhubpair",
        "/%2fhubpair", "/%2Fhubpair", "/%5chubpair", "/\\hubpair", "/.%2f/hubpair", "/;x/hubpair",
        "/..;/hubpair", "/x/..;y/hubpair", "/hubpair;x", "/hubpair%00", "/%00/hubpair", "/%09hubpair",
        "/%20hubpair", "/x/y/../../hubpair/v1/pair", "/x/../hubpair/../devices", "/..%5c..%5chubpair",
        "/%25252525252525252568ubpair",
    ])
    func withheld(target: String) { #expect(GatewayPath(target: target) == .withheld) }

    @Test(arguments: [
        "/", "/devices/", "/devices/?x=/hubpair", "/hubpai", "/hub/pair", "/x/hubpair", "/x/%68ubpair",
        "/devices/%zz", "/a%20b", "/%", "/../devices", "/x/../devices", "/Devices", "/a;b=c", "/ahubpair",
        "/plugins/hue/lamp%2f1", "/hub.pair", "/%e2%98%83",
    ])
    func passedOn(target: String) { #expect(GatewayPath(target: target) == .upstream) }
}

@Suite struct GatewayHeadersTests {
    private static func device(_ name: String = "Laptop") throws -> ServeDevice {
        let key = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
        return ServeDevice(
            ApprovedDevice(name: try PeerName(name), pin: Pin(key.publicKey), status: .approved))
    }

    private func passed(_ headers: [(String, String)], _ method: HTTPMethod = .GET) throws -> [String] {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: HTTPHeaders(headers))
        let body = BodyFraming(request: head.headers)
        return GatewayHeaders.request(
            head, from: try Self.device(), body: body, authority: "127.0.0.1:8443",
            upgrade: GatewayHeaders.upgrade(head, body: body)
        ).map { "\($0.name): \($0.value)" }
    }

    static let own = [
        "X-Hubpair-Device: \((try? device().fingerprint) ?? "")", "X-Hubpair-Name: Laptop",
    ]

    @Test(arguments: [
        "X-Hubpair-Device", "x-hubpair-name", "X_Hubpair_Device", "X-Hubpair.Device", "X~Hubpair-Name",
        "X-Hubpair-Anything", "Forwarded",
        "X-Forwarded-For", "X-Forwarded-Proto", "x_forwarded_for", "X-Real-IP", "X_Real_IP", "Connection",
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "TE", "Trailer", "Upgrade", "Proxy",
        "Client-Cert", "Client-Cert-Chain", "X-Client-Cert", "X-Client-Certificate", "X-ARR-ClientCert",
        "X-Forwarded",
        "Forwarded-For", "Fastly-Client-IP", "True-Client-IP", "CF-Connecting-IP", "X-Cluster-Client-IP",
        "X-SSL-Client-DN", "X-Client-Verify", "X-Amzn-Mtls-Clientcert", "X-Envoy-External-Address",
        "Remote-User",
        "X-Remote-User", "X-Auth-Request-User", "X-Host", "WL-Proxy-Client-IP",
        "X-SSL-Client-Cert", "X-SSL-Client-Verify", "Content_Length", "X-Original-URL", "Named",
    ])
    func droppedFromARequest(name: String) throws {
        let headers = [("Host", "hub"), (name, "x"), ("Connection", "named, close"), ("Accept", "*/*")]
        #expect(try passed(headers) == ["Host: hub", "Accept: */*"] + Self.own)
    }

    @Test func framingAndHostSurviveConnectionThatNamesThem() throws {
        let headers = [
            ("Connection", "Host, Content-Length, X-Hubpair-Device, Cookie"), ("Host", "hub"),
            ("Cookie", "a=b"),
            ("Content-Length", "5"),
        ]
        #expect(
            try passed(headers, .POST) == ["Host: hub"] + Self.own + [
                "Content-Length: 5", "Connection: close",
            ])
    }

    @Test func aRequestWithoutHostGetsTheUpstreams() throws {
        #expect(try passed([]) == ["Host: 127.0.0.1:8443"] + Self.own)
    }

    @Test func onlyWebSocketIsPassedOnAsAnUpgrade() throws {
        let upgrade = { (protocolName: String) in
            [("Host", "h"), ("Connection", "keep-alive, Upgrade"), ("Upgrade", protocolName)]
        }
        #expect(
            try passed(upgrade("WebSocket")) == ["Host: h"] + Self.own + [
                "Connection: Upgrade", "Upgrade: WebSocket",
            ])
        for other in ["h2c", "websocket, h2c", "TLS/1.0"] {
            #expect(try passed(upgrade(other)) == ["Host: h"] + Self.own)
        }
        let withBody = upgrade("websocket") + [("Content-Length", "1")]
        #expect(try !passed(withBody).contains("Upgrade: websocket"))
        #expect(try !passed([("Host", "h"), ("Upgrade", "websocket")]).contains("Upgrade: websocket"))
    }

    @Test(arguments: [
        ("Laptop", "Laptop"), ("Anna's täblet", "Anna's t%C3%A4blet"), ("50%", "50%25"),
        ("😀", "%F0%9F%98%80"),
    ])
    func aNameIsAlwaysOneHeaderField(name: String, encoded: String) throws {
        #expect(try Self.device(name).encodedName == encoded)
    }

    @Test func aResponseLosesWhatBelongsToItsHop() {
        let head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: [
                "Connection": "x-hop, keep-alive", "X-Hop": "1", "Keep-Alive": "timeout=5",
                "Transfer-Encoding": "chunked",
                "Content-Length": "3", "Set-Cookie": "a=b", "Upgrade": "h2c",
            ])
        #expect(GatewayHeaders.response(head).map(\.name) == ["Set-Cookie"])
    }
}

@Suite struct ServeRulesTests {
    @Test func aSourceIsAnIPv4AddressOrAnIPv6Network() throws {
        let source = { (text: String) in ConnectionSource(try #require(NetworkAddress(text))) }
        #expect(try source("192.0.2.1") != source("192.0.2.2"))
        #expect(try source("2001:db8::1") == source("2001:db8:0:0:ffff::9"))
        #expect(try source("2001:db8::1") != source("2001:db8:0:1::1"))
    }

    private func escaped(_ pem: String) -> String {
        pem.utf8.map { byte in
            let isPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8.contains(
                byte)
            return isPlain
                ? String(UnicodeScalar(byte))
                : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    @Test func theCertificateHeaderCountsFromATrustedProxyOnly() throws {
        let (device, own) = (TLSIdentity.random(), TLSIdentity.random().pin)
        let text = escaped(try device.certificatePEM())
        let pin = { (headers: HTTPHeaders, isTrusted: Bool) in
            ServeVerify.pin(headers, own: own, isFromTrustedProxy: isTrusted)
        }
        #expect(pin(["X-SSL-Client-Cert": text], true) == device.pin)
        #expect(pin(["X-SSL-Client-Cert": text], false) == own)
        #expect(pin([:], false) == own)
        // A proxy's own certificate stands for none of its clients.
        #expect(pin([:], true) == nil)
        // A proxy that adds its own field to a client's.
        #expect(pin(["X-SSL-Client-Cert": text, "x-ssl-client-cert": text], true) == nil)
        for bad in [
            "", "x", text + text, String(text.dropLast(40)), text + "%0", "%zz" + text,
            escaped(device.keyPEM), String(repeating: "A", count: 20_000),
        ] {
            #expect(pin(["X-SSL-Client-Cert": bad], true) == nil, "\(bad.prefix(60))")
        }
    }

    @Test func theJournalIsWhereStandardErrorGoes() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let isOpen = { JournalStream.isOpen(as: descriptor, variable: $0) }
        #expect(isOpen("\(status.st_dev):\(status.st_ino)"))
        for other in [
            nil, "", ":", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", "0:\(status.st_ino)",
            "\(status.st_dev):\(status.st_ino):", "+\(status.st_dev):\(status.st_ino)", "x:y",
        ] { #expect(!isOpen(other), "\(other ?? "nil")") }
    }

    @Test(arguments: ["/run/no/such/socket", "relative", "@", "@" + String(repeating: "x", count: 200)])
    func aServiceManagerThatIsNotThereIsNoReasonToStop(socket: String) {
        #expect(!ServiceNotification.ready.send(to: socket))
        #expect(ServiceNotification.ready.send(to: nil) && ServiceNotification.ready.send(to: ""))
    }

    @Test func whatStrangersCauseIsLoggedTenTimes() {
        let recorded = RecordedLog()
        let log = ServeLog(.init(label: "test") { _ in recorded })
        for index in 0..<100 { log.warning(.limit, "line \(index)", now: .uptimeNanoseconds(0)) }
        #expect(recorded.text.split(separator: "\n").count == 10)
        log.warning(.slow, "another", now: .uptimeNanoseconds(0))
        log.warning(.limit, "later", now: .uptimeNanoseconds(0) + .minutes(10))
        #expect(
            recorded.text.hasSuffix(
                "warning another\nwarning 90 lines like the next one were left out\nwarning later"))
    }

    @Test func aLogLineStaysOneLine() {
        #expect("a\n\u{1b}[2J\u{202e}".escapedForDisplay == "a\\u{A}\\u{1B}[2J\\u{202E}")
    }
}
