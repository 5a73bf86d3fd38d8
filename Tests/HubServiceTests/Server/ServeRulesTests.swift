import Addresses
import GatewayRules
import Glibc
import Logging
import NIOCore
import Pairing
import PinnedTLS
import Testing

@testable import HubService

@Suite struct ServeRulesTests {
    @Test func aSourceIsAnIPv4AddressOrAnIPv6Network() throws {
        let source = { (text: String) in SourcePrefix(try #require(NetworkAddress(text))) }
        #expect(try source("192.0.2.1") != source("192.0.2.2"))
        #expect(try source("2001:db8::1") == source("2001:db8:0:0:ffff::9"))
        #expect(try source("2001:db8::1") != source("2001:db8:0:1::1"))
    }

    @Test func aPeersInterfaceIsNamed() throws {
        let system = SystemAddress(try #require(NetworkAddress("fe80::1")), port: 7, interface: 1)
        #expect(NetworkAddress(NIOCore.SocketAddress(system.ipv6))?.description == "fe80::1%lo")
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
        let router = RequestRouter(
            hasUpstream: false, maximumBodyByteCount: 0, crossSite: CrossSiteRule { $0 == .name("h") }
        ) {
            ServeVerify.pin(escapedCertificate: $0)
        }
        let pin = { (headers: KeyValuePairs<String, String>, isTrusted: Bool) in
            let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            var framing = RequestFraming()
            let head = Array("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n".utf8)
            guard case .head(let head)? = try head.withUnsafeBytes({ try framing.next($0).part }) else {
                throw RawPeer.Failure.ended("no head")
            }
            return router.vouchedPin(
                head.fields, from: .init(certificate: .device(own), isTrustedProxy: isTrusted))
        }
        #expect(try pin(["X-SSL-Client-Cert": text], true) == device.pin)
        #expect(try pin(["X-SSL-Client-Cert": text], false) == own)
        // As Caddy and RFC 9440 write it.
        let base64 = try device.certificatePEM().split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        #expect(try pin(["X-SSL-Client-Cert": base64], true) == device.pin)
        #expect(try pin(["X-SSL-Client-Cert": ":\(base64):"], true) == device.pin)
        #expect(try pin([:], false) == own)
        // A proxy's own certificate identifies no client.
        #expect(try pin([:], true) == nil)
        // A proxy that adds its own field to a client's.
        #expect(try pin(["X-SSL-Client-Cert": text, "x-ssl-client-cert": text], true) == nil)
        for bad in [
            "", "x", text + text, String(text.dropLast(40)), text + "%0", "%zz" + text,
            escaped(device.keyPEM), ":\(base64)", ":", "::", "M", "MMMM", String(base64.dropLast(4)),
            base64 + base64, "MAA=", String(repeating: "A", count: 20_000),
        ] {
            #expect(try pin(["X-SSL-Client-Cert": bad], true) == nil, "\(bad.prefix(60))")
        }
    }

    @Test func theJournalIsWhereStandardErrorGoes() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let isOpen = { ServiceManager.isJournal(descriptor, stream: $0) }
        #expect(isOpen("\(status.st_dev):\(status.st_ino)"))
        for other in [
            nil, "", ":", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", "0:\(status.st_ino)",
            "\(status.st_dev):\(status.st_ino):", "+\(status.st_dev):\(status.st_ino)", "x:y",
        ] { #expect(!isOpen(other), "\(other ?? "nil")") }
    }

    @Test(arguments: ["/run/no/such/socket", "relative", "@", "@" + String(repeating: "x", count: 200)])
    func aServiceManagerThatIsNotThereIsNoReasonToStop(socket: String) {
        #expect(!ServiceManager(environment: ["NOTIFY_SOCKET": socket]).notify(.ready))
        for environment in [[:], ["NOTIFY_SOCKET": ""]] {
            #expect(ServiceManager(environment: environment).notify(.ready))
        }
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
        #expect(SafeText.escaped("a\n\u{1b}[2J\u{202e}") == "a\\u{A}\\u{1B}[2J\\u{202E}")
    }
}
