import Addresses
import ArgumentParser
import FoundationEssentials
import Glibc
import HubService
import Identity
import Logging
import PinnedTLS
import Relay

/// `hubpair relay serve`: the relay itself, until it is stopped.
struct RelayServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Pass the connections of callers on to the hubs that this relay has admitted.",
        discussion: """
            One public port is all that it needs. It reads of each connection the name of the hub and no \
            more. The log has hubs, times and numbers of bytes; --log-level debug adds where callers come \
            from. The bounds are counts of connections, and bytes a second.

            EXAMPLES:
              hubpair relay serve
              hubpair relay serve --listen 203.0.113.7:8443 --max-connections 5000/32/100
            """)

    @Option(
        help: ArgumentHelp(
            "Where it listens; without an address everywhere. (default: :443)", valueName: "[address]:port"),
        transform: optionValue("not an address and a port", give: "one like :443 or 203.0.113.7:8443") {
            ListenPlace(argument: $0)
        })
    var listen = ListenPlace(address: nil, port: JoinRelay.defaultPort)

    @OptionGroup var directory: RelayCommand.DirectoryOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most connections at a time; behind a '/' those from one IPv4 address or IPv6 /64, "
                + "behind another those to one hub. (default: 10000/32/512)", valueName: "count"),
        transform: optionValue("not numbers in range", give: "up to 100000, like 10000/32/512") {
            ConnectionCounts(argument: $0, most: 3)
        })
    var maxConnections: ConnectionCounts?

    @Option(
        help: ArgumentHelp(
            "Bytes a second for the callers of one hub; behind a '/' for one caller, like 64m/32m. "
                + "(default: 64m/32m)", valueName: "size"),
        transform: optionValue("not sizes", give: "bytes like 64m/32m") { ByteRates(argument: $0) })
    var rate: ByteRates?

    @OptionGroup var logging: LogOptions

    func run() async throws {
        var limits = RelayLimits()
        if let maxConnections {
            (limits.connections, limits.perCaller) = (maxConnections.all, maxConnections.perSource)
        }
        limits.perHub = maxConnections?.perHub ?? limits.perHub
        if let rate { (limits.hubRate, limits.callerRate) = (rate.hub, rate.caller) }
        let log = logging.log("hubpair-relay")
        let files = directory.relay
        try files.ensure(port: listen.port)
        let environment = ProcessInfo.processInfo.environment
        let manager = ServiceManager(environment: environment)
        let signals = StopSignals()
        let relay = try await ServeRelay.start(
            files, on: listen.address, port: listen.port, limits: limits,
            logsAddresses: logging.logLevel == .debug, roots: PublicRoots(environment: environment), log: log)
        manager.notify(.ready)
        var received = signals.stream.makeAsyncIterator()
        _ = await received.next()
        manager.notify(.stopping)
        await relay.stop()
        withExtendedLifetime(signals) {}
    }
}

/// Where a server listens: `:443`, `203.0.113.7:443`, `[2001:db8::1]:443`.
struct ListenPlace: Equatable {
    let address: NetworkAddress?
    let port: UInt16

    init(address: NetworkAddress?, port: UInt16) { (self.address, self.port) = (address, port) }

    init?(argument: String) {
        if argument.hasPrefix(":") {
            guard let port = UInt16(digits: argument.dropFirst()), port > 0 else { return nil }
            self.init(address: nil, port: port)
        } else {
            guard let place = HubAddress(relay: argument), case .address(let address) = place.host else {
                return nil
            }
            self.init(address: address, port: place.port)
        }
    }
}

/// Bytes a second of a hub and of a caller: `64m/32m`.
struct ByteRates: Equatable {
    let hub: Int
    let caller: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let sizes = parts.compactMap { ByteCount(argument: String($0))?.count }
        guard (1...2).contains(parts.count), sizes.count == parts.count else { return nil }
        (hub, caller) = (sizes[0], sizes.last ?? sizes[0])
    }
}
