import Testing

@testable import HubService

@Suite struct UpstreamTests {
    static let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: [
        "http://127.0.0.1:8080", "https://127.0.0.1", "http://127.9.9.9/", "https://localhost:8443",
        "http://[::1]:8080", "https://nas.lan:8443#\(pin)", "https://192.0.2.9#\(pin)",
    ])
    func accepted(text: String) throws { #expect(try Upstream(text).text == text) }

    @Test(arguments: [
        ("", UpstreamError.notAURL), ("127.0.0.1:8080", .notAURL), ("ftp://127.0.0.1", .notAURL),
        ("http://", .notAURL), ("http://127.0.0.1:0", .notAURL), ("http://127.0.0.1:65536", .notAURL),
        ("http://me@127.0.0.1", .password), ("http://me:pw@127.0.0.1", .password),
        ("http://127.0.0.1/api", .path), ("http://127.0.0.1?x=1", .path),
        ("https://192.0.2.9#x", .badPin), ("https://192.0.2.9", .notLoopback),
        ("http://192.0.2.9#\(pin)", .notLoopback), ("http://127.0.0.1.evil.example", .notLoopback),
        ("http://127.0.0.256", .notLoopback), ("http://127.+1.0.1", .notLoopback),
        ("http://0.0.0.0", .notLoopback),
        (String(repeating: "x", count: 513), .notAURL),
    ])
    func rejected(text: String, error: UpstreamError) {
        #expect(throws: error) { try Upstream(text) }
    }
}
