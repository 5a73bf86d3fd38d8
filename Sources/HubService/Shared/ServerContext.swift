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
    /// Of the program.
    let version: String
    let log: ServeLog
    let metrics = ServeMetrics()
    let devices: DeviceAccess
    let certificate: ServedCertificate
    let names: ServedNames
    let trust: TrustPage
    /// The answer to `/hubpair/v1/hub`.
    let hub: ServeReply
    /// The same where the key is shown that the hub had before, or will have next.
    let oldHub: ServeReply
    /// The same with the ways to the hub.
    let ways: ServedWays
    /// Ends a device's sessions at the services: it has left.
    let endAtServices: @Sendable (Pin) -> Void
    /// The same for people.
    let page: HubDescription
    let router: RequestRouter
    let pairing: PairDevice
    let sessions: BrowserSessions
    let resources: any HubResources
    let desk: AnswerDesk
    let house: HouseLink
    let guests: HouseGuests
    let seen: SeenDevices
    let link: UpstreamLink
    let orders: OrderJournal
    let news: GateNews
    /// The hub's own key, as a device: that of its doctor, who may look.
    let itself: ApprovedDevice
    let connections = Mutex(ConnectionTable<ConnectionKey>())
    private let trustedProxies: [NetworkAddress]
    private let balancers: [NetworkAddress]

    init(
        hub: Hub, identity: TLSIdentity, old: TLSIdentity?, authority: [UInt8], devices: DeviceAccess,
        options: ServeOptions,
        names: ServedNames, pairing: PairDevice, resources: any HubResources, house: HouseLink,
        guests: HouseGuests, desk: AnswerDesk, link: UpstreamLink, orders: OrderJournal,
        news: GateNews, seen: SeenDevices, ways: ServedWays,
        endAtServices: @escaping @Sendable (Pin) -> Void, log: ServeLog
    ) throws {
        (limits, version) = (options.limits, options.version)
        (trustedProxies, balancers) = (options.trustedProxies, options.balancers)
        (self.log, self.ways, self.endAtServices) = (log, ways, endAtServices)
        (self.link, self.orders, self.news) = (link, orders, news)
        self.devices = devices
        self.pairing = pairing
        (self.resources, self.house, self.guests, self.desk) = (resources, house, guests, desk)
        self.seen = seen
        itself = ApprovedDevice(
            name: hub.settings.name, pin: hub.pin, status: .approved, role: Role.guest.rawValue)
        self.names = names
        certificate = try ServedCertificate(
            identity, authority: authority, names: names.now, installed: names.installedFile, old: old,
            statement: hub.statement)
        let description = hub.description
        trust = TrustPage(hub: description, certificate: authority)
        func reply(_ pin: Pin) -> ServeReply {
            ServeReply(
                .ok,
                json: hub.description(of: pin).serialized(
                    pin: pin, past: hub.past, statement: hub.statement))
        }
        self.hub = reply(hub.pin)
        oldHub = hub.other.map(reply) ?? self.hub
        // A browser may have met a gate of the site where the next key counts already.
        sessions = BrowserSessions(
            hub: description, pin: hub.pin, past: hub.past + [hub.next].compactMap(\.self),
            devices: devices)
        page = description
        router = RequestRouter(
            hasUpstream: link.upstream != nil, maximumBodyByteCount: limits.bodyByteCount,
            crossSite: CrossSiteRule { names.contains($0) },
            devicePin: { ServeVerify.pin(escapedCertificate: $0) })
    }

    var upstream: Upstream? { link.upstream }

    func isTrustedProxy(_ address: NetworkAddress) -> Bool {
        trustedProxies.contains { $0.bytes == address.bytes }
    }

    func isBalancer(_ address: NetworkAddress) -> Bool {
        balancers.contains { $0.bytes == address.bytes }
    }
}

/// Identifies a connection in the table by its channel.
struct ConnectionKey: Hashable, Sendable {
    let channel: any Channel

    static func == (one: ConnectionKey, other: ConnectionKey) -> Bool { one.channel === other.channel }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(channel)) }
}
