import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Pairing
import PinnedTLS

/// The connections to the upstream of one event loop: those that wait for a request, the youngest first.
final class GatewayPool {
    static let maximumIdleCount = 32
    /// Shorter than servers wait for the next request, most of them 60 s or more.
    private static let idleTime = TimeAmount.seconds(30)

    private let eventLoop: any EventLoop
    private let shared: ServeShared
    private var idle: [UpstreamConnection] = []
    private var isSweeping = false

    init(_ eventLoop: any EventLoop, shared: ServeShared) {
        self.eventLoop = eventLoop
        self.shared = shared
    }

    /// A connection that waits, or nil.
    func take() -> UpstreamConnection? {
        while let connection = idle.popLast() {
            if connection.isActive { return connection }
        }
        return nil
    }

    /// Puts a connection back whose response has been read to its end.
    func put(_ connection: UpstreamConnection) {
        guard connection.isActive, idle.count < GatewayPool.maximumIdleCount else {
            return connection.close()
        }
        connection.idleSince = .now()
        idle.append(connection)
        connection.resumeReading()
        sweepLater()
    }

    func close() {
        for connection in idle { connection.close() }
        idle = []
    }

    private func sweepLater() {
        guard !isSweeping, !idle.isEmpty else { return }
        isSweeping = true
        eventLoop.assumeIsolated().scheduleTask(in: GatewayPool.idleTime) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        isSweeping = false
        let limit = NIODeadline.now() - GatewayPool.idleTime
        let old = idle.prefix { $0.idleSince <= limit || !$0.isActive }
        idle.removeFirst(old.count)
        for connection in old { connection.close() }
        sweepLater()
    }

    /// Opens a connection, and tells `body` on the event loop. With TLS its handshake follows; if that fails, the
    /// connection closes.
    func connect(_ body: @escaping (Result<UpstreamConnection, any Error>) -> Void) {
        guard let upstream = shared.upstream else { return body(.failure(ChannelError.connectPending)) }
        let tls = shared.upstreamTLS
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(shared.limits.connect)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            // More than one read before anybody looks whether the client takes it is memory for each slow client.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(GatewayPool.tlsHandler(tls, upstream)) }
                    var configuration = HTTPRequestEncoder.Configuration()
                    configuration.automaticallySetFramingHeaders = false
                    let bytes = UpstreamBytes()
                    try pipeline.addHandlers([
                        bytes, HTTPRequestEncoder(configuration: configuration),
                        ByteToMessageHandler(
                            HTTPResponseDecoder(
                                leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .forward)
                        ),
                        UpstreamConnection(bytes),
                    ])
                }
            }
        let addresses = upstream.addresses
        let loop = eventLoop.assumeIsolated()
        guard let first = addresses.first else {
            return GatewayPool.report(bootstrap.connect(host: upstream.host, port: upstream.port), body)
        }
        GatewayPool.report(bootstrap.connect(to: first)) { result in
            guard case .failure = result, addresses.count > 1 else { return body(result) }
            loop.execute { GatewayPool.report(bootstrap.connect(to: addresses[1]), body) }
        }
    }

    private static func report(
        _ connected: EventLoopFuture<any Channel>,
        _ body: @escaping (Result<UpstreamConnection, any Error>) -> Void
    ) {
        connected.assumeIsolated().whenComplete { result in
            body(
                Result {
                    try result.get().pipeline.syncOperations.handler(type: UpstreamConnection.self)
                })
        }
    }

    private static func tlsHandler(
        _ context: NIOSSLContext, _ upstream: UpstreamAddress
    ) throws -> NIOSSLClientHandler {
        let pin = upstream.pin
        return try NIOSSLClientHandler(context: context, serverHostname: upstream.serverName) {
            certificates, promise in
            let isRight = pin.map { $0 == certificates.first.flatMap { Pin($0) } } ?? upstream.isLoopback
            promise.succeed(isRight ? .certificateVerified : .failed)
        }
    }
}
