import Addresses
import FoundationEssentials
import NIOCore
import NIOPosix
package import Pairing
import PinnedTLS

/// A running hub: HTTPS with the hub's key, the pairing exchange, and the gateway.
package final class ServeHub: Sendable {
    /// The TCP port that it listens on.
    package let port: UInt16

    /// The maximum number of threads: a home needs no more, and each costs descriptors.
    private static let maximumThreads = 16

    private let group: MultiThreadedEventLoopGroup
    private let listeners: [any Channel]
    private let watch: StateWatch.Running
    private let loops: [NIOLoopBound<ServeLoop>]
    private let announcement: AnnounceHub?
    private let expiries: ExpiryWatch
    private let status: ServiceStatus
    private let keepAlive: KeepAlive
    private let renewal: Task<Void, Never>
    let household: HouseGate
    let shared: ServerContext
    private let services: ServedServices
    private let metrics: MetricsServer?
    private let keyWatch: KeyWatch
    private let site: SiteWatch
    /// Finished when the announcement is withdrawn, or when waiting for that is given up.
    private let withdrawal = AsyncStream.makeStream(of: Void.self)

    /// The maximum time to withdraw the announcement: avahi-daemon may hang, and an announcement expires by
    /// itself.
    private static let withdrawalTime = Duration.seconds(2)

    private init(
        group: MultiThreadedEventLoopGroup, listeners: [any Channel], watch: StateWatch.Running,
        loops: [NIOLoopBound<ServeLoop>], announcement: AnnounceHub?, expiries: ExpiryWatch,
        status: ServiceStatus, keepAlive: KeepAlive, household: HouseGate, shared: ServerContext,
        services: ServedServices, metrics: MetricsServer?, keyWatch: KeyWatch, site: SiteWatch
    ) {
        self.group = group
        self.listeners = listeners
        self.watch = watch
        self.loops = loops
        self.announcement = announcement
        self.expiries = expiries
        self.status = status
        self.keepAlive = keepAlive
        self.household = household
        self.shared = shared
        self.services = services
        (self.metrics, self.keyWatch, self.site) = (metrics, keyWatch, site)
        renewal = Task { await shared.certificate.run(shared.names, shared.log) }
        port = UInt16(listeners.first?.localAddress?.port ?? 0)
    }

    /// Starts serving; returns once connections are accepted and the hub is being announced.
    ///
    /// - Parameter clock: returns the current time; replaced in tests.
    package static func start(
        state: HubState, options: ServeOptions, log: ServeLog,
        clock: @escaping @Sendable () -> Moment = { .now }
    ) async throws -> ServeHub {
        let change = ChangeKey(state: state)
        do {
            try change.endTerm(now: clock().wall)
        } catch let error as SiteError where error.isOutage {
            log.notice("the old key's term is over, which its codes are not until the site answers: \(error)")
        }
        let (hub, identity, old) = try load(state, at: clock().wall)
        var options = options
        if options.listen.isEmpty { options.listen = hub.settings.listen }
        let port = options.port ?? hub.settings.port
        let own = LocalNetwork.current().map(\.address)
        if let upstream = hub.settings.upstream,
            upstream.isHub(onPort: port, listen: options.listen, own: own)
        {
            throw ServeError.upstreamIsHub(upstream.text)
        }
        let register = DeviceRegister(state: state)
        let pairing = PairDevice(state: state, hub: hub, register: register, clock: clock)
        let obstacle = try await pairing.recover()
        // The site has said by now which key counts.
        if try change.followSite(now: clock().wall) {
            log.notice("the gates of the site have gone over to their next key, and so has this one")
        }
        let now = try load(state, at: clock().wall).0
        guard (now.pin, now.old, now.next) == (hub.pin, hub.old, hub.next) else {
            return try await start(state: state, options: options, log: log, clock: clock)
        }
        _ = try register.device(hub.pin)  // reports a faulty keyfile now, not at the first request
        if let obstacle { tell(obstacle, of: state, log) }
        let link = try UpstreamLink(
            hub.settings.upstream, concurrency: options.concurrency ?? hub.settings.concurrency,
            readsBodies: hub.settings.readsBodies, limits: options.limits, log: log)
        let threads = options.threads ?? min(System.coreCount, maximumThreads)
        try DescriptorLimit.raise(for: options.limits, loops: threads)
        await DescriptorLimit.openTimers()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        do {
            let desk = AnswerDesk()
            let household = try await HouseGate(
                state, hub, register, link: link, options: options, on: group, log: log, clock: clock)
            let owners = OwnerPaths(
                state: state, log: log, findings: options.findings,
                translated: options.translated, clock: clock)
            do {
                let services = try ServedServices(state, log: log)
                let names = try ServedNames(state, hub.settings, listen: options.listen, log: log)
                let shared = try ServerContext(
                    hub: hub, identity: identity, old: old, authority: try authority(identity, state),
                    devices: DeviceAccess(register, log: log, clock: clock),
                    options: options, names: names, pairing: pairing,
                    resources: OwnResources(
                        desk: desk, owners: owners, house: household.house, services: services,
                        names: names),
                    house: household.house, guests: household.guests, desk: desk, link: link,
                    orders: household.orders, news: household.news,
                    seen: SeenDevices(state, register, log: log, clock: clock),
                    ways: try ServedWays(state, hub, names: names, port: port, log: log),
                    endAtServices: { services.end($0) }, log: log)
                return try await start(
                    hub, (identity, old), on: group, port: port, state: state, options: options,
                    shared: shared, services: services, household: household, clock: clock)
            } catch {
                await household.stop()
                throw error
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func start(
        _ hub: Hub, _ keys: (identity: TLSIdentity, old: TLSIdentity?),
        on group: MultiThreadedEventLoopGroup, port: UInt16, state: HubState, options: ServeOptions,
        shared: ServerContext,
        services: ServedServices, household: HouseGate, clock: @escaping @Sendable () -> Moment
    ) async throws -> ServeHub {
        var loops: [NIOLoopBound<ServeLoop>] = []
        for eventLoop in group.makeIterator() {
            loops.append(
                try await eventLoop.submit {
                    NIOLoopBound(ServeLoop(eventLoop, shared: shared), eventLoop: eventLoop)
                }.get())
        }
        let everyLoop = loops
        household.start()
        let uplinks = try await loops[0].eventLoop.submit { [loop = loops[0]] in
            NIOLoopBound(
                RelayUplinks(
                    [keys.identity] + (hub.next == nil ? [keys.old].compactMap(\.self) : []),
                    hub.statement, loop: loop.value,
                    log: shared.log),
                eventLoop: loop.eventLoop)
        }.get()
        let figures = HubFigures(shared: shared, program: options.version, began: clock(), clock: clock)
        var metrics: MetricsServer?
        if let place = options.metrics {
            metrics = try await MetricsServer.start(at: place, on: group) { figures.text() }
            shared.log.notice("tells its metrics at \(place.description)")
        }
        let listeners = try await ServeListener.bind(options.listen, port: port, group: group, loops: loops)
        await services.start(on: group, loops, listen: options.listen, shared)
        let bound = UInt16(listeners.first?.localAddress?.port ?? Int(port))
        let isLocal = !options.listen.isEmpty && options.listen.allSatisfy(\.isLoopback)
        let announcement =
            options.isAnnounced && !isLocal
            ? try AnnounceHub(
                hub, key: keys.identity.key, port: bound, state: state, names: shared.names,
                services: services.announced, log: shared.log) : nil
        let sweep = { @Sendable in
            shared.sessions.sweep()
            services.sweep()
            for loop in everyLoop { loop.execute { $0.sweep() } }
        }
        // A stream may last for days.
        group.next().scheduleRepeatedTask(initialDelay: .minutes(30), delay: .minutes(30)) { _ in
            for loop in everyLoop { loop.execute { $0.noteDevices() } }
        }
        household.changes.observe { [weak household] in household?.householdChanged(sweep) }
        let expiries = ExpiryWatch(shared.devices, shared.pairing, log: shared.log, onExpiry: sweep)
        let settings = SettingsWatch(state, served: hub.settings, log: shared.log)
        let keyWatch = KeyWatch(state, served: hub, log: shared.log, clock: clock)
        let manager = options.serviceManager
        let register = shared.devices.register
        let status = ServiceStatus(
            manager, hub, port: bound, state: state, register: register, clock: clock)
        let keepAlive = KeepAlive(manager, loops.map(\.eventLoop)) { _ = try? register.device(hub.pin) }
        let site = SiteWatch(
            state, of: hub.root.fingerprint, log: shared.log,
            entry: { [next = hub.next] in SiteGates.Gate(shared.ways.entry, next: next) },
            onHouse: { [news = shared.news] in news.noteRecords(isTold: $0) }, onStale: sweep)
        let watch = StateWatch.start(
            state.path, for: register, on: group.next(), log: shared.log
        ) {
            sweep()
            site.look()
            expiries.look()
            settings.look()
            keyWatch.look()
            if shared.ways.look() { uplinks.execute { $0.keep(shared.ways.ways.relays) } }
            shared.names.look()
            services.look()
            household.filesChanged(sweep)
            status.look()
            announcement?.codesMayHaveChanged()
        }
        shared.names.start { [certificate = shared.certificate, log = shared.log] names, file in
            certificate.take(names, installed: file, log)
            uplinks.execute { $0.show(file) }
        }
        let server = ServeHub(
            group: group, listeners: listeners, watch: watch, loops: loops, announcement: announcement,
            expiries: expiries, status: status, keepAlive: keepAlive, household: household, shared: shared,
            services: services, metrics: metrics, keyWatch: keyWatch, site: site)
        uplinks.execute {
            $0.show(shared.names.installedFile)
            $0.keep(shared.ways.ways.relays)
        }
        let upstream =
            hub.settings.upstream.map { "in front of \($0.text)" }
            ?? "no upstream is set: pairing works, everything else answers 502"
        shared.log.notice(
            "\(hub.settings.name) (\(hub.pin.fingerprint)) serves on port \(server.port), \(upstream)")
        return server
    }

    /// Returns once the hub's keys are others than those that are served, or `keysHaveChanged` is cancelled:
    /// then it is to be stopped, and another one to be started.
    package func keysHaveChanged() async { await keyWatch.changed() }

    /// Tells the service manager that the hub serves, and from then on how it stands.
    package func tellReady() { status.tellReady() }

    /// Stops the hub: accepts no more connections, withdraws the announcement, meanwhile lets requests in
    /// progress finish for a limited time, and closes the rest.
    package func stop() async {
        for listener in listeners { try? await listener.close().get() }
        await services.stop()
        await metrics?.stop()
        household.house.endStreams()
        // Unstructured tasks: if one hangs, it is not awaited.
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
        await household.stop()
        await site.stop()
        await watch.stop()
        await expiries.stop()
        await shared.seen.stop()
        await status.stop()
        keepAlive.stop()
        keyWatch.stop()
        renewal.cancel()
        shared.names.stop()
        try? await group.shutdownGracefully()
        shared.log.notice("stopped")
    }

    /// Closes everything at once; `stop` then returns.
    package func stopAtOnce() {
        withdrawal.continuation.finish()
        for loop in loops { loop.execute { $0.closeAll() } }
    }

    /// The hub serves nevertheless; one log line informs the owner.
    private static func tell(_ obstacle: PairDevice.Obstacle, of state: HubState, _ log: ServeLog) {
        switch obstacle {
        case .cannotWrite(let error):
            log.notice(
                "serves approved devices, but nobody can pair until this is mended: \(describing(error))")
        case .siteAway(let error):
            log.notice(
                "serves with this gate's copy, and nobody can pair until this is mended: "
                    + describing(error))
        case .noRoom:
            log.notice(
                "no room can be kept in \(state.path) for a revocation on a full disk; make room there")
        }
    }

    private static func load(
        _ state: HubState, at now: Date
    ) throws -> (Hub, TLSIdentity, old: TLSIdentity?) {
        let directory = try state.open()
        let hub = try HubState.hub(in: directory, at: now)
        return (
            hub, try HubState.existingIdentity(in: directory),
            try HubState.nextIdentity(after: hub.pin, in: directory)
                ?? HubState.oldIdentity(before: hub.pin, in: directory, at: now)
        )
    }

    /// The certificate above the one that is shown. That of 0.1 is made again; where nothing can be written,
    /// for this run.
    private static func authority(_ identity: TLSIdentity, _ state: HubState) throws -> [UInt8] {
        func stored() -> [UInt8]? {
            let bytes = try? state.open().read(HubState.certificateFileName)
            return bytes.flatMap { identity.isHubCertificate($0) ? $0 : nil }
        }
        if let bytes = stored() { return bytes }
        _ = try? state.open().withLock { try SetUpHub.ensureCertificate(of: identity, in: $0) }
        return try stored() ?? Array(identity.hubCertificatePEM().utf8)
    }
}

extension NIOLoopBound {
    /// Runs `body` on the event loop, soon.
    func execute(_ body: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { body(value) }
    }
}
