import Addresses
import FoundationEssentials
import Logging
import NIOCore
import Pairing
import PinnedTLS
import Synchronization
import Testing

@testable import House
@testable import HubService

/// A hub that serves on a free port of the loopback, with a state directory of its own.
final class HubInTest: Sendable {
    let state: HubState
    let path: String
    let server: ServeHub
    /// The household behind the gate, in this process.
    let house: HouseService
    let upstream: RawUpstream
    let log: RecordedLog
    /// An approved device.
    let device = TLSIdentity.random()

    init(
        limits: ServeLimits = ServeLimits(), trustedProxies: [String] = [], upstreamTLS: TLSIdentity? = nil,
        upstreamURL: String? = nil, hasUpstream: Bool = true, listen: [String] = ["127.0.0.1"],
        concurrency: Int = 16, handwritten: String = ""
    ) async throws {
        path = FileManager.default.temporaryDirectory.path() + "hubpair-serve-" + UUID().uuidString
        state = HubState(option: path, environment: [:], isRoot: false, home: "/")
        upstream = try await RawUpstream(tls: upstreamTLS)
        let url = upstreamURL ?? "\(upstreamTLS == nil ? "http" : "https")://127.0.0.1:\(upstream.port)"
        _ = try SetUpHub(
            .init(upstream: hasUpstream ? try Upstream(url) : nil), defaultName: try PeerName("Test hub"),
            state: state
        ).run()
        if !handwritten.isEmpty {
            try state.open().withLock { directory in
                let bytes = try #require(try directory.read(HubSettings.fileName))
                try directory.replace(HubSettings.fileName, with: bytes + Array(handwritten.utf8))
            }
        }
        var options = ServeOptions()
        options.port = 0
        options.threads = 1
        options.looksAfterOrders = false
        options.concurrency = concurrency
        options.limits = limits
        options.listen = listen.compactMap { NetworkAddress($0) }
        options.trustedProxies = trustedProxies.compactMap { NetworkAddress($0) }
        log = RecordedLog()
        let recorded = log
        server = try await ServeHub.start(
            state: state, options: options, log: ServeLog(Logger(label: "test") { _ in recorded }))
        house = try await HouseService.start(
            hub: state, log: ServeLog(Logger(label: "test") { _ in recorded }))
        try enter(device, name: "Anna's täblet", .approved)
    }

    /// Ends the hub; a test that does not call it leaves it to the end of the process.
    func stop() async {
        await house.stop()
        await server.stop()
        await upstream.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Puts a device into the keyfile, as another process would.
    func enter(
        _ identity: TLSIdentity, name: String, _ status: ApprovedDevice.Status, expires: Date? = nil
    ) throws {
        try state.open().withLock { directory in
            var devices = try #require(try HubState.devices(in: directory))
            devices.insert(
                ApprovedDevice(
                    name: try PeerName(name), pin: identity.pin, status: status, approved: Date(),
                    expires: expires))
            try directory.replace(ApprovedDevices.fileName, with: devices.serialized)
        }
    }

    func connect(as identity: TLSIdentity?) async throws -> RawPeer {
        try await RawPeer.connect(port: server.port, as: identity)
    }

    /// One request of the approved device on a connection of its own.
    func ask(_ request: String, as identity: TLSIdentity? = nil) async throws -> (head: String, body: String)
    {
        let client = try await connect(as: identity ?? device)
        try await client.write(request)
        let response = try await client.response()
        await client.close()
        return response
    }

    /// Hands `body` a hub, and stops it.
    static func run(
        limits: ServeLimits = ServeLimits(), trustedProxies: [String] = [], upstreamTLS: TLSIdentity? = nil,
        upstreamURL: String? = nil, hasUpstream: Bool = true, concurrency: Int = 16,
        handwritten: String = "", _ body: (HubInTest) async throws -> Void
    ) async throws {
        let hub = try await HubInTest(
            limits: limits, trustedProxies: trustedProxies, upstreamTLS: upstreamTLS,
            upstreamURL: upstreamURL, hasUpstream: hasUpstream, concurrency: concurrency,
            handwritten: handwritten)
        do {
            try await body(hub)
        } catch {
            await hub.stop()
            throw error
        }
        await hub.stop()
    }
}

/// Keeps what is logged.
final class RecordedLog: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    func log(event: LogEvent) { lines.withLock { $0.append("\(event.level) \(event.message)") } }
}
