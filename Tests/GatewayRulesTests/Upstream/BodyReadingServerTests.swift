import Testing

@testable import GatewayRules

@Suite struct BodyReadingServerTests {
    private func isNamed(_ fields: String) throws -> Bool {
        var framing = ResponseFraming(toHead: false, upgrades: false)
        let text = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n"
        let part = try Array(text.utf8).withUnsafeBytes { try framing.next($0).part }
        guard case .head(let head) = part else { throw FramingError.badStatusLine }
        return BodyReadingServer.isNamed(in: head.fields)
    }

    @Test(arguments: [
        "nginx/1.17.7", "nginx/1.22.1", "nginx/2", "openresty/1.21.4.1", "Apache/2.4.53",
        "Apache/2.4.62 (Debian)",
        "Apache/2.10", "lighttpd/1.4.69", "Caddy", "nginx/1.22.1 (Ubuntu)",
    ])
    func aServerThatIsKnown(name: String) throws { #expect(try isNamed("Server: \(name)\r\n")) }

    @Test(arguments: [
        "", "nginx", "nginx/", "nginx/1.17.6", "nginx/1.9.15", "nginx/x", "nginx/-2", "nginxx/2.0",
        "NGINX/1.22.1",
        "Apache", "Apache/2.4.52 (Unix)", "Apache/2.2.34", "Apache-Coyote/1.1", "BaseHTTP/0.6 Python/3.11.2",
        "Werkzeug/0.14.1 Python/3.6.4", "libwww-perl-daemon/6.16", "Python nginx/1.22.1", "/1.22.1",
    ])
    func aServerThatIsNot(name: String) throws { #expect(try !isNamed("Server: \(name)\r\n")) }

    @Test func noNameAndTwoNamesAreNone() throws {
        #expect(try !isNamed(""))
        #expect(try !isNamed("Server: nginx/1.22.1\r\nServer: nginx/1.22.1\r\n"))
        #expect(try !isNamed("X-Server: nginx/1.22.1\r\n"))
    }
}
