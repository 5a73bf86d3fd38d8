import Addresses
import ArgumentParser
import Diagnosis
import Dispatch
import FoundationEssentials
import Glibc
import HubService
import Identity
import JSON
import Logging

/// `hubpair serve`: the hub itself, until it is stopped.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract:
            "Serve: announce the hub, pair with devices, let approved ones through to the server behind it.",
        discussion: """
            Runs in the foreground until SIGINT or SIGTERM; then requests in flight have 10 seconds to \
            finish, and a second signal ends them at once. The Debian package runs \
            it as the service hubpair. 'hubpair print' and 'hubpair devices' take effect on the \
            running hub at once.

            EXAMPLES:
              hubpair serve
              hubpair serve --listen 192.168.1.20 --log-level debug
              hubpair serve --listen 127.0.0.1 --trusted-proxy 127.0.0.1  # nginx before it
              hubpair serve --metrics 127.0.0.1:9464 --log-format json
            """
    )

    @Option(
        help: ArgumentHelp(
            "Listen on this address of this host only; repeatable. (default: all)", valueName: "address"),
        transform: address)
    var listen: [NetworkAddress] = []

    @Option(
        help: ArgumentHelp(
            "Believe the certificate header of this proxy; repeatable. See samples/nginx.conf.",
            valueName: "address"),
        transform: address)
    var trustedProxy: [NetworkAddress] = []

    @Option(
        help: ArgumentHelp(
            "Let this TCP balancer name its callers (PROXY protocol); repeatable. See samples/balancers.",
            valueName: "address"),
        transform: address)
    var balancer: [NetworkAddress] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The largest body to pass on, like 500k or 1g. (default: 32m)", valueName: "size"),
        transform: optionValue(
            "not a size", give: "bytes from 1 to 1024g, like 500k, 32m or 1g", ByteCount.init(argument:)))
    var maxBody = ByteCount(32 << 20)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most connections at a time; behind a '/' those from one IPv4 address or IPv6 /64. "
                + "(default: 512/16)", valueName: "count"),
        transform: optionValue("not a number in range", give: "one from 1 to 100000, like 512") {
            ConnectionCounts(argument: $0)
        })
    var maxConnections = ConnectionCounts()

    @Option(
        help: ArgumentHelp(
            "Tell Prometheus the hub's figures here, on this computer.", valueName: "address:port or socket"),
        transform: optionValue(
            "not a place on this computer", give: "127.0.0.1:9464, or the path of a socket", MetricsPlace.init
        ))
    var metrics: MetricsPlace?

    @OptionGroup var logging: LogOptions

    @OptionGroup var state: StateOption

    func run() async throws {
        var options = ServeOptions()
        options.listen = listen
        (options.trustedProxies, options.balancers) = (trustedProxy, balancer)
        options.limits.bodyByteCount = maxBody.count
        options.limits.connections = maxConnections.all
        options.limits.connectionsPerSource = maxConnections.perSource
        (options.metrics, options.version) = (metrics, Version.text)
        let log = logging.log("hubpair")

        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        options.serviceManager = manager
        let files = state.state
        // Strangers talk to it: as root it would have more to lose than the hub's files.
        try files.becomeOwner(told: log.runs(as:))

        options.findings = {
            var findings: [JSONValue] = []
            try? await Doctor(state: files, configuration: nil, sweeps: false).run {
                findings.append($0.json)
            }
            return findings
        }
        options.translated = { Texts.words($0, in: $1) }

        // Another user's house, as the package has it, is the service manager's to run.
        if files.sockets == files.path {
            guard let program = SiblingProgram.path(of: HouseTool.programName) else {
                throw HouseToolError("there is no program \(HouseTool.programName) beside this one")
            }
            let house = [program, files.path] + logging.words + ["--with-gate"]
            options.house = house
            // A core dump is written with the rights of what ends.
            if !Startup.isDebugged {
                options.houseKeeper = GateLock.keeper(
                    hub: files.path, house: house, writing: placesToWrite)
            }
        }

        let signals = StopSignals()
        // One stream for both, since a stream ends with the task that waits for it.
        let (events, happened) = AsyncStream.makeStream(of: Event.self)
        let stream = signals.stream
        let hearing = Task {
            for await _ in stream { happened.yield(.signal) }
        }
        var received = events.makeAsyncIterator()
        var hub = try await start(files, options, log)
        serving: while true {
            hub.tellReady()
            let watching = Task { [hub] in
                await hub.keysHaveChanged()
                if !Task.isCancelled { happened.yield(.keys) }
            }
            let event = await received.next()
            watching.cancel()
            guard event == .keys else { break serving }
            log.notice("the hub's keys have changed: it serves anew, and its connections end")
            // Those of whom the key was taken from must not go on.
            let limit = Task { [hub] in
                try await Task.sleep(for: ServeCommand.timeToEnd)
                hub.stopAtOnce()
            }
            await hub.stop()
            limit.cancel()
            hub = try await start(files, options, log)
        }
        manager.notify(.stopping)
        let secondSignal = Task { [hub] in
            var received = events.makeAsyncIterator()
            if await received.next() != nil { hub.stopAtOnce() }
        }
        await hub.stop()
        secondSignal.cancel()
        hearing.cancel()
        withExtendedLifetime(signals) {}
    }

    /// What the gate writes beside the hub's directory.
    private var placesToWrite: [String] {
        var places = [JSONLine.copyPath].compactMap(\.self)
        if case .socket(_, let directory) = metrics { places.append(directory) }
        return places
    }

    private enum Event { case signal, keys }

    /// How long requests may go on when the hub has another key.
    private static let timeToEnd = Duration.seconds(1)

    private func start(_ files: HubState, _ options: ServeOptions, _ log: ServeLog) async throws -> ServeHub {
        do {
            return try await ServeHub.start(state: files, options: options, log: log)
        } catch ServeError.portBusy(let port) {
            guard await Doctor.isServed(files) else { throw ServeError.portBusy(port) }
            throw ServeError.servedAlready(port, isService: StartCommands(files).isService)
        }
    }
}

/// An IPv4 or IPv6 address; no host name.
private func address(_ text: String) throws -> NetworkAddress {
    guard let address = NetworkAddress(text)?.withScopeName else {
        throw ValidationError(
            "not an address. Give an IPv4 or IPv6 address without a port, like 192.168.1.20 or fd77::1")
    }
    return address
}
