import Addresses
import NIOCore
import NIOPosix
package import Pairing
import PinnedTLS

/// A hub that serves: HTTPS with the hub's key, the pairing exchange, the gateway.
package final class ServeHub: Sendable {
    /// The TCP port that it listens on.
    package let port: UInt16

    /// A home has no clients for more, and each costs descriptors.
    private static let maximumThreads = 16

    private let group: MultiThreadedEventLoopGroup
    private let listeners: [any Channel]
    private let watch: StateWatch.Running
    private let loops: [NIOLoopBound<ServeLoop>]
    private let announcement: AnnounceHub?
    private let expiries: ExpiryWatch
    let shared: ServerContext
    /// Finished when the announcement is withdrawn, or no longer waited for.
    private let withdrawal = AsyncStream.makeStream(of: Void.self)

    /// How long withdrawing the announcement may take: avahi-daemon may hang, and an announcement expires by
    /// itself.
    private static let withdrawalTime = Duration.seconds(2)

    private init(
        group: MultiThreadedEventLoopGroup, listeners: [any Channel], watch: StateWatch.Running,
        loops: [NIOLoopBound<ServeLoop>], announcement: AnnounceHub?, expiries: ExpiryWatch,
        shared: ServerContext
    ) {
        self.group = group
        self.listeners = listeners
        self.watch = watch
        self.loops = loops
        self.announcement = announcement
        self.expiries = expiries
        self.shared = shared
        port = UInt16(listeners.first?.localAddress?.port ?? 0)
    }

    /// Begins to serve: returns when connections are taken and the hub is announced.
    ///
    /// - Parameter clock: the time; a parameter for tests.
    package static func start(
        state: HubState, options: ServeOptions, log: ServeLog,
        clock: @escaping @Sendable () -> Moment = { .now }
    ) async throws -> ServeHub {
        let (hub, identity) = try load(state)
        let port = options.port ?? hub.settings.port
        if let upstream = hub.settings.upstream, upstream.isLoopback, upstream.port == port,
            reaches(upstream, options.listen)
        {
            throw ServeError.upstreamIsHub(upstream.text)
        }
        let register = DeviceRegister(state: state)
        let pairing = PairDevice(state: state, hub: hub, register: register, clock: clock)
        let obstacle = try await pairing.recover()
        _ = try register.device(hub.pin)  // a keyfile with a fault is told now, not to the first client
        if let obstacle { tell(obstacle, of: state, log) }
        let shared = try ServerContext(
            hub: hub, identity: identity, devices: DeviceAccess(register, log: log, clock: clock),
            options: options, pairing: pairing, log: log)
        let threads = options.threads ?? min(System.coreCount, maximumThreads)
        try DescriptorLimit.raise(for: options.limits, loops: threads)
        await DescriptorLimit.openTimers()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        do {
            return try await start(
                hub, identity, on: group, port: port, state: state, options: options, shared: shared)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func start(
        _ hub: Hub, _ identity: TLSIdentity, on group: MultiThreadedEventLoopGroup, port: UInt16,
        state: HubState, options: ServeOptions, shared: ServerContext
    ) async throws -> ServeHub {
        var loops: [NIOLoopBound<ServeLoop>] = []
        for eventLoop in group.makeIterator() {
            loops.append(
                try await eventLoop.submit {
                    NIOLoopBound(ServeLoop(eventLoop, shared: shared), eventLoop: eventLoop)
                }.get())
        }
        let everyLoop = loops
        let listeners = try await ServeListener.bind(options.listen, port: port, group: group, loops: loops)
        let bound = UInt16(listeners.first?.localAddress?.port ?? Int(port))
        let isLocal = !options.listen.isEmpty && options.listen.allSatisfy(\.isLoopback)
        let announcement =
            options.isAnnounced && !isLocal
            ? try AnnounceHub(hub, key: identity.key, port: bound, state: state, log: shared.log) : nil
        let sweep = { @Sendable in
            for loop in everyLoop { loop.execute { $0.sweep() } }
        }
        let expiries = ExpiryWatch(shared.devices, shared.pairing, log: shared.log, onExpiry: sweep)
        let watch = StateWatch.start(
            state.path, for: shared.devices.register, on: group.next(), log: shared.log
        ) {
            sweep()
            expiries.look()
            announcement?.codesMayHaveChanged()
        }
        let server = ServeHub(
            group: group, listeners: listeners, watch: watch, loops: loops, announcement: announcement,
            expiries: expiries, shared: shared)
        let upstream = hub.settings.upstream?.text ?? "nothing"
        shared.log.notice(
            "\(hub.settings.name) (\(hub.pin.fingerprint)) serves on port \(server.port), in front of "
                + "\(upstream)"
        )
        return server
    }

    /// Stops: takes no more connections, withdraws the announcement, lets requests in flight finish for a
    /// while meanwhile, and closes what is left.
    package func stop() async {
        for listener in listeners { try? await listener.close().get() }
        // Tasks without a parent: one that hangs is left behind.
        Task { [announcement, withdrawal] in
            await announcement?.stop()
            withdrawal.continuation.finish()
        }
        Task { [withdrawal] in
            try? await Task.sleep(for: ServeHub.withdrawalTime)
            withdrawal.continuation.finish()
        }
        let drained = loops.map { loop in
            loop.eventLoop.flatSubmit { loop.value.drain() }
        }
        let limit = group.next().scheduleTask(in: shared.limits.drain) { [self] in stopAtOnce() }
        for future in drained { try? await future.get() }
        limit.cancel()
        for await _ in withdrawal.stream {}
        await watch.stop()
        await expiries.stop()
        try? await group.shutdownGracefully()
        shared.log.notice("stopped")
    }

    /// Waits for nothing any longer; `stop` then returns.
    package func stopAtOnce() {
        withdrawal.continuation.finish()
        for loop in loops { loop.execute { $0.closeAll() } }
    }

    /// The hub serves all the same; the owner is told in one line.
    private static func tell(_ obstacle: PairDevice.Obstacle, of state: HubState, _ log: ServeLog) {
        switch obstacle {
        case .cannotWrite(let error):
            log.notice(
                "serves approved devices, but nobody can pair until this is mended: \(describing(error))")
        case .noRoom:
            log.notice(
                "no room can be kept in \(state.path) for a revocation on a full disk; make room there")
        }
    }

    private static func load(_ state: HubState) throws -> (Hub, TLSIdentity) {
        let directory = try state.open()
        let hub = try HubState.hub(in: directory)
        return (hub, try HubState.existingIdentity(in: directory))
    }

    private static func reaches(_ upstream: Upstream, _ listen: [NetworkAddress]) -> Bool {
        listen.isEmpty
            || listen.contains { address in
                address.isUnspecified || upstream.addresses.contains { $0.bytes == address.bytes }
            }
    }
}

extension NIOLoopBound {
    /// Runs `body` on the event loop, soon.
    func execute(_ body: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { body(value) }
    }
}
