package import Addresses
import Glibc
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
package import PinnedTLS

/// Opens TLS connections to hubs, using the first of several addresses whose server has the right key.
package struct HubConnector: Sendable {
    /// How long to wait for an address before the next one is tried in parallel (RFC 8305 § 5).
    package static let stagger = Duration.milliseconds(250)
    /// The default maximum time for search, name resolution, TCP and TLS together.
    package static let deadline = Duration.seconds(10)
    /// One thread for all connections of this process: it only transfers bytes. It is never stopped.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let context: NIOSSLContext
    private let delay: Duration

    /// - Parameters:
    ///   - identity: the identity to present if the hub requests a client certificate.
    ///   - allowsTLS12: true to accept TLS 1.2, for servers without hubpair.
    ///   - stagger: how long to wait for an address before the next one is tried in parallel; longer in
    ///     tests.
    package init(
        identity: TLSIdentity? = nil, allowsTLS12: Bool = false, stagger: Duration = HubConnector.stagger
    ) throws {
        var configuration = try identity?.clientConfiguration() ?? .pinned
        if allowsTLS12 { configuration.minimumTLSVersion = .tlsv12 }
        try self.init(configuration, stagger: stagger)
    }

    /// - Parameter credentials: the client certificate and its key; throws if they do not match.
    init(credentials: TLSCredentials) throws {
        try self.init(credentials.clientConfiguration, stagger: HubConnector.stagger)
    }

    private init(_ configuration: TLSConfiguration, stagger: Duration) throws {
        var configuration = configuration
        configuration.trustRoots = .noAuthorities
        configuration.shutdownTimeout = .milliseconds(200)
        context = try NIOSSLContext(configuration: configuration)
        delay = stagger
    }

    /// Connects to the first of `addresses` whose server has the right key. Addresses are tried in parallel
    /// with a delay.
    ///
    /// - Parameters:
    ///   - more: addresses that a search finds. Until it ends, the attempt is not given up.
    ///   - relays: those of the addresses that are relays, whatever name leads to them.
    ///   - kind: which addresses are tried; others are ignored.
    ///   - deadline: the maximum time for search, name resolution, TCP and TLS together.
    ///   - failed: called for each address that fails, while others may still be tried.
    package func connect(
        to addresses: [HubAddress], and more: AsyncStream<[HubAddress]>? = nil,
        expecting peer: ExpectedPeer, relays: Set<HubAddress> = [], kind: AddressKind = .any,
        deadline: Duration = HubConnector.deadline,
        failed: (HubConnectionError) -> Void = { _ in }
    ) async throws -> HubConnection {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            var race = AddressRace(addresses, isOpen: more != nil, kind: kind)
            if let more { group.addTask { await next(of: more) } }
            let end = ContinuousClock.now + deadline
            group.addTask {
                // Attempts have the same deadline and report their own errors. This timer covers name
                // resolution.
                try await Task.sleep(until: end + .milliseconds(100))
                return .deadline
            }
            while true {
                for move in race.moves() {
                    switch move {
                    case .resolve(let name): group.addTask { await .resolved(name, resolve(name)) }
                    case .dial(let address):
                        let way = race.way(of: address)
                        let isRelay = relays.contains(way)
                        group.addTask {
                            await .dialled(dial(address, way, isRelay, expecting: peer, until: end))
                        }
                    case .wait(let number):
                        group.addTask {
                            try await Task.sleep(for: delay)
                            return .waited(number)
                        }
                    case .giveUp(let error): throw error
                    }
                }
                guard let event = try await group.next() else { throw CancellationError() }
                switch event {
                case .dialled(.success(let connection)): return connection
                case .dialled(.failure(let error)):
                    race.failed(error)
                    failed(error)
                case .found(let addresses):
                    race.found(addresses)
                    if let more { group.addTask { await next(of: more) } }
                case .searched: race.searched()
                case .resolved(let name, .success(let found)): race.resolved(found, of: name)
                case .resolved(_, .failure(let error)): race.unresolved(error)
                case .waited(let number): race.waited(number)
                case .deadline: throw race.deadline()
                }
            }
        }
    }

    private enum Event: Sendable {
        case found([HubAddress])
        case searched
        case resolved(HubAddress, Result<[HubAddress], HubConnectionError>)
        case dialled(Result<HubConnection, HubConnectionError>)
        case waited(Int)
        case deadline
    }

    private func next(of stream: AsyncStream<[HubAddress]>) async -> Event {
        // All iterators of a stream share its elements, so each element is delivered once.
        for await addresses in stream { return .found(addresses) }
        return .searched
    }

    /// Resolves a host name. An unresponsive DNS server can block the worker thread for long; a cancelled
    /// task does not wait for it.
    private func resolve(_ address: HubAddress) async -> Result<[HubAddress], HubConnectionError> {
        let promise = HubConnector.group.next().makePromise(of: [HubAddress].self)
        promise.completeWith(
            NIOThreadPool.singleton.runIfActive(eventLoop: promise.futureResult.eventLoop) {
                try address.resolved()
            })
        do {
            return .success(
                try await withTaskCancellationHandler {
                    try await promise.futureResult.get()
                } onCancel: {
                    promise.fail(CancellationError())
                })
        } catch let error as HubConnectionError {
            return .failure(error)
        } catch {
            return .failure(HubConnectionError(address: "\(address)", reason: .timedOut(.connection)))
        }
    }

    /// Connects to one address. A server that closes at the name that led to it may be a relay, which knows
    /// hubs by their fingerprints. A hub that shows another key at its public name may have that one's
    /// certificate installed, and not yet one of its own key.
    private func dial(
        _ address: HubAddress, _ way: HubAddress, _ isRelay: Bool, expecting peer: ExpectedPeer,
        until end: ContinuousClock.Instant
    ) async -> Result<HubConnection, HubConnectionError> {
        let (name, own) = (way.serverName, peer.serverName)
        let first = await dial(
            address, way, as: isRelay ? own ?? name : name ?? own, expecting: peer, until: end)
        guard case .failure(let error) = first, !isRelay, name != nil, let own, !Task.isCancelled else {
            return first
        }
        switch error.reason {
        case .closed: return await dial(address, way, as: own, expecting: peer, until: end)
        case .otherKey:
            let second = await dial(address, way, as: own, expecting: peer, until: end)
            if case .success = second { return second }
            return first
        default: return first
        }
    }

    /// Connects to one address: TCP, TLS and the check of the key.
    private func dial(
        _ address: HubAddress, _ way: HubAddress, as serverName: String?, expecting peer: ExpectedPeer,
        until end: ContinuousClock.Instant
    ) async -> Result<HubConnection, HubConnectionError> {
        let loop = HubConnector.group.next()
        let handshake = loop.makePromise(of: Void.self)
        let attempt = ConnectionAttempt()
        let time = TimeAmount(max(.milliseconds(1), ContinuousClock.now.duration(to: end)))
        let timer = loop.scheduleTask(in: time) { attempt.abandon(handshake, .timedOut(attempt.wait)) }
        defer { timer.cancel() }
        do {
            let channel = try await withTaskCancellationHandler {
                let channel = try await bootstrap(loop, handshake, attempt, serverName, expecting: peer)
                    .connectTimeout(time).connect(to: address.socketAddress())
                    .map { channel in
                        attempt.noteConnected()
                        return channel
                    }.get()
                try await handshake.futureResult.get()
                return channel
            } onCancel: {
                attempt.abandon(handshake, .closed)
            }
            guard let pin = attempt.pin, let handler = attempt.handler else {
                channel.close(promise: nil)
                return .failure(HubConnectionError(address: "\(address)", reason: .unreadableKey))
            }
            return .success(
                HubConnection(
                    channel: channel, handler: handler, address: address, way: way, pin: pin,
                    statement: attempt.statement))
        } catch {
            let reason = attempt.rejection ?? attempt.abandoned ?? .init(error)
            attempt.abandon(handshake, reason)
            return .failure(HubConnectionError(address: "\(address)", reason: reason))
        }
    }

    private func bootstrap(
        _ loop: any EventLoop, _ handshake: EventLoopPromise<Void>, _ attempt: ConnectionAttempt,
        _ serverName: String?, expecting peer: ExpectedPeer
    ) -> ClientBootstrap {
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = HTTPClientHandler(handshake: handshake)
                    try attempt.attach(channel, handler)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(FirstByte())
                    try pipeline.addHandler(
                        NIOSSLClientHandler(
                            context: context, serverHostname: serverName
                        ) { certificates, verdict in
                            verdict.succeed(
                                attempt.check(certificates, expecting: peer) ? .certificateVerified : .failed)
                        })
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    limits.maxHeaderFieldSize = 16_384
                    limits.maxHeaderListSize = 65_536
                    limits.maxHeaderFieldCount = 128
                    try pipeline.addHTTPClientHandlers(decoderLimitConfiguration: limits)
                    try pipeline.addHandler(handler)
                }
            }
    }
}

extension ExpectedPeer {
    /// The server name of the hub that is expected; nil if that is not known.
    fileprivate var serverName: String? {
        switch self {
        case .pin(let pin): pin.fingerprint.serverName
        case .fingerprint(let fingerprint): fingerprint.serverName
        case .any: nil
        }
    }
}

extension HubAddress {
    /// The host's name for the server (RFC 6066 § 3), without the root's dot; nil for an address, which is
    /// no server name.
    fileprivate var serverName: String? {
        guard case .name(let name) = host else { return nil }
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// The address in NIO's form; only for addresses from ``resolved()``.
    func socketAddress() throws -> SocketAddress {
        guard case .address(let address) = host else { throw HubConnectionError.Reason.noAddress }
        guard let system = SystemAddress(address, port: port) else {
            throw HubConnectionError.Reason.unreachable(ENODEV)
        }
        return address.family == .ipv4 ? SocketAddress(system.ipv4) : SocketAddress(system.ipv6)
    }
}
