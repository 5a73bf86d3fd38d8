import GatewayRules

/// One web service while the hub serves: its rules, the way to its server, and its sessions.
final class ServedService: Sendable {
    let record: WebService
    let rule: ServiceRule
    let router: RequestRouter
    let link: UpstreamLink
    let sessions: ServiceSessions
    /// The most bytes of a request's body.
    let maximumBody: Int
    /// How many requests it takes at a time: more than the connections that there may be are no use, and a
    /// long poll holds its place until it is answered.
    private static let concurrency = 512

    init(_ record: WebService, _ shared: ServerContext) throws {
        self.record = record
        rule = record.rule
        link = try UpstreamLink(
            record.upstream, concurrency: ServedService.concurrency, limits: shared.limits, log: shared.log)
        maximumBody = record.maximumBody ?? shared.limits.bodyByteCount
        let names = shared.names
        router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: maximumBody,
            crossSite: CrossSiteRule { names.contains($0) }, service: rule
        ) { _ in nil }
        sessions = ServiceSessions(port: record.port, hub: shared.sessions, devices: shared.devices)
    }
}
