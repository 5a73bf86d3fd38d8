import Addresses
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// The hub's listening sockets, and the pipeline of each connection.
enum ServeListener {
    /// Listens on `addresses`; on all addresses if empty.
    ///
    /// - Parameter service: the one whose port it is; nil: the hub's own.
    static func bind(
        _ addresses: [NetworkAddress], port: UInt16, group: MultiThreadedEventLoopGroup,
        loops: [NIOLoopBound<ServeLoop>], service: ServedService? = nil
    ) async throws -> [any Channel] {
        guard let shared = try await loops.first?.shared() else { return [] }
        let byLoop = Dictionary(
            loops.map { (ObjectIdentifier($0.eventLoop), $0) }, uniquingKeysWith: { first, _ in first })
        let largeHandshakes = LargeHandshakes()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        AcceptPause(shared.log), ConnectionLimiter(shared),
                    ])
                }
            }
            // Detects within 2 minutes that the peer of an open WebSocket is gone.
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.init(rawValue: CInt(TCP_KEEPIDLE))), value: 60)
            .childChannelOption(.tcpOption(.init(rawValue: CInt(TCP_KEEPINTVL))), value: 15)
            .childChannelOption(.tcpOption(.init(rawValue: CInt(TCP_KEEPCNT))), value: 4)
            // One read per event: TLS collects the reads of an event in a buffer that never shrinks.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: 16_384)
            )
            // Answers that a stranger does not read: each is below 1 KiB. More when it is approved.
            .childChannelOption(.writeBufferWaterMark, value: ServeConnection.strangerWaterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = byLoop[ObjectIdentifier(channel.eventLoop)]?.value else {
                        throw ChannelError.operationUnsupported
                    }
                    try equip(channel, loop: loop, service: service, largeHandshakes: largeHandshakes)
                }
            }
        var channels: [any Channel] = []
        do {
            if addresses.isEmpty {
                channels.append(try await bindToAll(bootstrap, port: port))
            }
            for address in addresses {
                let port = channels.first?.localAddress?.port ?? Int(port)
                let scoped = try SocketAddress(ipAddress: address.description, port: port)
                channels.append(try await bind(bootstrap, to: scoped))
            }
            return channels
        } catch {
            for channel in channels { try? await channel.close().get() }
            throw error
        }
    }

    private static func bindToAll(_ bootstrap: ServerBootstrap, port: UInt16) async throws -> any Channel {
        do {
            // One dual-stack socket: IPv4 clients appear as IPv4-mapped addresses.
            let both = bootstrap.serverChannelOption(.ipv6Only, value: 0)
            return try await bind(both, to: SocketAddress(ipAddress: "::", port: Int(port)))
        } catch ServeError.cannotListen(EAFNOSUPPORT, _), ServeError.noSuchAddress {
            // The kernel has no IPv6.
            return try await bind(bootstrap, to: SocketAddress(ipAddress: "0.0.0.0", port: Int(port)))
        }
    }

    private static func bind(_ bootstrap: ServerBootstrap, to address: SocketAddress) async throws
        -> any Channel
    {
        let port = UInt16(address.port ?? 0)
        do {
            return try await bootstrap.bind(to: address).get()
        } catch let error as IOError {
            switch error.errnoCode {
            case EADDRINUSE: throw ServeError.portBusy(port)
            case EACCES, EPERM: throw ServeError.portNotPermitted(port)
            case EADDRNOTAVAIL: throw ServeError.noSuchAddress(address.ipAddress ?? "")
            default: throw ServeError.cannotListen(error.errnoCode, address: address.ipAddress ?? "")
            }
        }
    }

    private static func equip(
        _ channel: any Channel, loop: ServeLoop, service: ServedService?, largeHandshakes: LargeHandshakes
    ) throws {
        guard let source = channel.remoteAddress.flatMap(NetworkAddress.init) else {
            throw ChannelError.unknownLocalAddress
        }
        guard loop.shared.isBalancer(source) else {
            return try equip(
                channel, of: source, isRelayed: false, loop: loop, service: service,
                largeHandshakes: largeHandshakes)
        }
        try channel.pipeline.syncOperations.addHandler(
            BalancedCaller(loop.shared) { caller in
                try equip(
                    channel, of: caller, isBalanced: true, loop: loop, service: service,
                    largeHandshakes: largeHandshakes)
            })
    }

    /// The pipeline of a caller's connection, behind what is there already.
    static func equip(
        _ channel: any Channel, of source: NetworkAddress, isRelayed: Bool = false, isBalanced: Bool = false,
        loop: ServeLoop, service: ServedService? = nil, largeHandshakes: LargeHandshakes
    ) throws {
        let shared = loop.shared
        let limit = HandshakeLimit(source, log: shared.log, large: largeHandshakes)
        // Every certificate is accepted here; access is looked up for each request.
        let ssl = NIOSSLServerHandler(
            context: shared.certificate.context(at: channel.localAddress.flatMap(NetworkAddress.init)),
            customVerificationCallback: { certificates, promise in
                limit.note(certificates)
                promise.succeed(.certificateVerified)
            })
        let asked = shared.certificate.old == nil ? nil : AskedKey(shared.certificate)
        let connection = ServeConnection(
            loop: loop, source: source, isRelayed: isRelayed, isBalanced: isBalanced, service: service,
            ssl: ssl, asked: asked)
        try channel.pipeline.syncOperations.addHandler(limit)
        if let asked { try channel.pipeline.syncOperations.addHandler(asked) }
        try channel.pipeline.syncOperations.addHandlers([
            ssl, HandshakeEnd(limit, connection), connection.framing, connection,
        ])
    }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// Whether an IPv6 socket refuses IPv4 (ipv6(7)).
    fileprivate static var ipv6Only: Self { .init(level: .ipv6, name: .ipv6_v6only) }
}

extension NIOLoopBound<ServeLoop> {
    fileprivate func shared() async throws -> ServerContext {
        try await eventLoop.submit { value.shared }.get()
    }
}
