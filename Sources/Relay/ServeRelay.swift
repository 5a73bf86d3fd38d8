package import Addresses
import GatewayRules
package import HubService
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import Pairing
package import PinnedTLS
import Synchronization

/// What the relay's connections share.
final class RelayShared: Sendable {
    let description: [UInt8]
    let pairing: PairDevice
    let register: DeviceRegister
    let log: ServeLog

    init(_ hub: Hub, pairing: PairDevice, register: DeviceRegister, log: ServeLog) {
        description = hub.description.serialized
        (self.pairing, self.register, self.log) = (pairing, register, log)
    }
}

/// A running relay: it carries the bytes of callers to the hubs that it has admitted, and never has a key
/// that a hub's TLS would accept.
///
/// Everything runs on one event loop, so what is counted needs no lock.
package final class ServeRelay: Sendable {
    package let port: UInt16
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let watch: StateWatch.Running
    private let log: ServeLog

    private init(
        _ group: MultiThreadedEventLoopGroup, _ listener: any Channel, _ watch: StateWatch.Running,
        _ log: ServeLog
    ) {
        (self.group, self.listener, self.watch, self.log) = (group, listener, watch, log)
        port = UInt16(listener.localAddress?.port ?? 0)
    }

    /// Starts serving.
    ///
    /// - Parameters:
    ///   - address: where it listens; nil: everywhere.
    ///   - logsAddresses: write the addresses of callers to the log.
    ///   - roots: who may issue the certificates with which hubs prove their names.
    package static func start(
        _ files: RelayDirectory, on address: NetworkAddress?, port: UInt16, limits: RelayLimits,
        logsAddresses: Bool, roots: PublicRoots, log: ServeLog
    ) async throws -> ServeRelay {
        var limits = limits
        let room = max(1, DescriptorLimit.raise(forRelay: limits.connections))
        if room < limits.connections {
            log.notice("the system lets this process have \(room) connections (RLIMIT_NOFILE), and no more")
            limits.connections = room
        }
        let state = files.state
        let directory = try state.open()
        let hub = try HubState.hub(in: directory)
        let identity = try HubState.existingIdentity(in: directory)
        let register = DeviceRegister(state: state)
        let pairing = PairDevice(state: state, hub: hub, register: register)
        try await pairing.recover()
        var configuration = try identity.serverConfiguration()
        configuration.applicationProtocols = [RelayWire.applicationProtocol, "http/1.1"]
        configuration.shutdownTimeout = .seconds(1)
        let context = try NIOSSLContext(configuration: configuration)
        let shared = RelayShared(hub, pairing: pairing, register: register, log: log)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let bounds = limits
        do {
            let board = try await loop.submit {
                NIOLoopBound(
                    RelayBoard(
                        own: hub.pin.fingerprint, files: files, roots: roots, register: register,
                        limits: bounds,
                        logsAddresses: logsAddresses, log: log, on: loop), eventLoop: loop)
            }.get()
            let listener = try await bind(group, address, port: port) { channel in
                try equip(channel, board.value, shared, context)
            }
            let watch = StateWatch.start(state.path, for: register, on: loop, log: log) {
                loop.execute { board.value.sweep() }
            }
            loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(5)) { _ in
                guard let news = board.value.news() else { return }
                // A status that cannot be written is old, and says so.
                try? state.open().withLock {
                    try $0.replace(RelayStatus.fileName, with: Array(news.map(\.line).joined().utf8))
                }
            }
            let relay = ServeRelay(group, listener, watch, log)
            log.notice("the relay \(hub.settings.name) (\(hub.pin.fingerprint)) serves on port \(relay.port)")
            return relay
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func bind(
        _ group: MultiThreadedEventLoopGroup, _ address: NetworkAddress?, port: UInt16,
        equip: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try equip(channel) }
            }
        if let address {
            return try await bootstrap.bind(host: address.description, port: Int(port)).get()
        }
        do {
            let both = bootstrap.serverChannelOption(
                ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only), value: 0)
            // Without a look-up, which says of a kernel without IPv6 something else.
            return try await both.bind(to: SocketAddress(ipAddress: "::", port: Int(port))).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL
        {
            return try await bootstrap.bind(host: "0.0.0.0", port: Int(port)).get()
        }
    }

    private static func equip(
        _ channel: any Channel, _ board: RelayBoard, _ shared: RelayShared, _ context: NIOSSLContext
    ) throws {
        guard let remote = channel.remoteAddress, let address = NetworkAddress(remote) else {
            throw ChannelError.unknownLocalAddress
        }
        let source = SourcePrefix(address)
        guard board.admit(source) else { return channel.close(promise: nil) }
        let tunnel = LastTunnel()
        let bound = NIOLoopBound((board, tunnel), eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in
            let (board, tunnel) = bound.value
            if tunnel.handler?.isReleased == true { board.closed() } else { board.release(source) }
        }
        let caller = CallerHandler(address, port: UInt16(remote.port ?? 0), board: board) { channel, source in
            // Every certificate is accepted here; who is admitted is looked up by its pin.
            let ssl = NIOSSLServerHandler(
                context: context,
                customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) })
            let handler = TunnelHandler(ssl, board: board, source: source) { pin in
                RelayDesk(shared, board, pin: pin, address: address)
            }
            tunnel.handler = handler
            try channel.pipeline.syncOperations.addHandlers([ssl, handler])
        }
        try channel.pipeline.syncOperations.addHandler(caller)
    }

    /// Remembers whether a connection became a hub's.
    private final class LastTunnel {
        var handler: TunnelHandler?
    }

    /// Stops at once: callers try again, and hubs come back.
    package func stop() async {
        try? await listener.close().get()
        await watch.stop()
        try? await group.shutdownGracefully()
        log.notice("stopped")
    }
}
