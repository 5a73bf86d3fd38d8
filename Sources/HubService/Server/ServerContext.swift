import Addresses
import GatewayRules
import NIOCore
import NIOHTTP1
import NIOSSL
import Pairing
import PinnedTLS
import Synchronization

/// State shared by all connections: limits, keys, registers, and what is known about the upstream.
final class ServerContext: Sendable {
    let limits: ServeLimits
    let log: ServeLog
    let devices: DeviceAccess
    let tls: NIOSSLContext
    /// The answer to `/hubpair/v1/hub`.
    let hub: ServeReply
    let router: RequestRouter
    let pairing: PairDevice
    let seen: SeenDevices
    let upstream: Upstream?
    /// The TLS context for an https upstream.
    let upstreamTLS: NIOSSLContext?
    let upstreamHabits: UpstreamHabits
    let connections = Mutex(ConnectionTable<ConnectionKey>())
    private let trustedProxies: [NetworkAddress]
    private let upstreamIsUp = Mutex(true)

    init(
        hub: Hub, identity: TLSIdentity, devices: DeviceAccess, options: ServeOptions,
        pairing: PairDevice, seen: SeenDevices, log: ServeLog
    ) throws {
        limits = options.limits
        trustedProxies = options.trustedProxies
        self.log = log
        upstreamHabits = UpstreamHabits(freshness: limits.upstreamFreshness, log: log)
        self.devices = devices
        self.pairing = pairing
        self.seen = seen
        var configuration = try identity.serverConfiguration()
        // The time for a client to answer TLS's close_notify; nothing depends on the answer.
        configuration.shutdownTimeout = .seconds(1)
        tls = try NIOSSLContext(configuration: configuration)
        let description = HubDescription(name: hub.settings.name, id: hub.pin.fingerprint)
        self.hub = ServeReply(.ok, json: description.serialized)
        upstream = hub.settings.upstream
        router = RequestRouter(
            hasUpstream: upstream != nil, maximumBodyByteCount: limits.bodyByteCount,
            devicePin: { ServeVerify.pin(escapedCertificate: $0) })
        upstreamTLS = try upstream.flatMap { upstream in
            guard upstream.isTLS else { return nil }
            var configuration = TLSConfiguration.makeClientConfiguration()
            // A stock hub of 2017 supports only TLS 1.2.
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            // The verification callback decides; with .none it would not be called.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .noAuthorities
            // An upstream that does not answer TLS's close_notify must not delay the end of the hub.
            configuration.shutdownTimeout = .seconds(1)
            return try NIOSSLContext(configuration: configuration)
        }
    }

    func isTrustedProxy(_ address: NetworkAddress) -> Bool {
        trustedProxies.contains { $0.bytes == address.bytes }
    }

    /// Records that the upstream can be reached, or why not, and logs a change.
    func noteUpstream(fault: String?) {
        let hasChanged = upstreamIsUp.withLock { isUp in
            defer { isUp = fault == nil }
            return isUp != (fault == nil)
        }
        guard hasChanged, let upstream else { return }
        let name = upstream.authority
        log.warning(
            .upstream,
            fault.map { "the upstream \(name) does not answer: \($0)" }
                ?? "the upstream \(name) answers again")
    }
}

/// Identifies a connection in the table by its channel.
struct ConnectionKey: Hashable, Sendable {
    let channel: any Channel

    static func == (one: ConnectionKey, other: ConnectionKey) -> Bool { one.channel === other.channel }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(channel)) }
}
