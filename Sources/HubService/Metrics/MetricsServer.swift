import Addresses
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// `GET /metrics` for a program of this computer, as Prometheus asks it.
///
/// The threats: a web page in a browser of this computer whose own name leads to 127.0.0.1 (DNS rebinding),
/// so only the loopback's names are answered; and users of this computer who hold connections open.
final class MetricsServer: Sendable {
    private static let maximumConnections = 16
    private static let time = TimeAmount.seconds(30)

    private let server: LocalServer

    /// - Parameter text: makes the figures.
    static func start(
        at place: MetricsPlace, on group: any EventLoopGroup, _ text: @escaping @Sendable () async -> String
    ) async throws -> MetricsServer {
        let answer = { @Sendable (request: LocalRequest) in await MetricsServer.answer(request, text) }
        do {
            switch place {
            case .socket(let name, let directory):
                return MetricsServer(try await LocalServer.start(name, in: directory, on: group, answer))
            case .port(let address, let port):
                let place = try SocketAddress(ipAddress: address.description, port: Int(port))
                return MetricsServer(
                    try await LocalServer.start(
                        at: place, on: group, connections: maximumConnections, within: time, answer))
            }
        } catch let error as IOError {
            throw ServeError.noMetrics(place.description, errno: error.errnoCode)
        }
    }

    private init(_ server: LocalServer) { self.server = server }

    func stop() async { await server.stop() }

    private static func answer(_ request: LocalRequest, _ text: () async -> String) async -> LocalAnswer {
        func refuse(_ status: HTTPResponseStatus, _ words: String) -> LocalAnswer {
            .whole(status, ["Content-Type": "text/plain"], Array("\(words)\n".utf8))
        }
        guard isOurs(request.head.headers["Host"]) else {
            return refuse(.misdirectedRequest, "ask 127.0.0.1, [::1] or localhost")
        }
        guard request.head.uri == "/metrics" else { return refuse(.notFound, "the figures are at /metrics") }
        switch request.head.method {
        case .GET:
            let fields = HTTPHeaders([
                ("Content-Type", PrometheusText.contentType), ("Cache-Control", "no-store"),
            ])
            return .whole(.ok, fields, Array(await text().utf8))
        default: return refuse(.methodNotAllowed, "GET only")
        }
    }

    /// - Parameter hosts: the values of `Host`.
    static func isOurs(_ hosts: [String]) -> Bool {
        guard hosts.count == 1, let host = hosts.first else { return hosts.isEmpty }
        let name = host.hasSuffix("]") ? host[...] : host[..<(host.lastIndex(of: ":") ?? host.endIndex)]
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? name.dropFirst().dropLast() : name
        return bare == "localhost" || NetworkAddress(String(bare))?.isLoopback == true
    }
}
