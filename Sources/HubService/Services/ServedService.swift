import GatewayRules
import Identity
import Synchronization

/// One web service while the hub serves: its rules, the way to its server, and its sessions.
final class ServedService: Sendable {
    /// What holds at one time. An object, so that a request takes one reference and no copies.
    final class Standing: Sendable {
        let record: WebService
        let rule: ServiceRule
        let router: RequestRouter
        /// Who answers, in the figures.
        let answerer: ServeMetrics.Answerer

        init(_ record: WebService, _ maximumBody: Int, _ crossSite: CrossSiteRule) {
            self.record = record
            rule = record.rule
            router = RequestRouter(
                hasUpstream: true, maximumBodyByteCount: maximumBody, crossSite: crossSite, service: rule
            ) { ServeVerify.pin(escapedCertificate: $0) }
            answerer = .service(record.name.description)
        }
    }

    private let current: Mutex<Standing>
    let port: UInt16
    let link: UpstreamLink
    let sessions: ServiceSessions
    /// The most bytes of a request's body.
    let maximumBody: Int
    private let crossSite: CrossSiteRule
    /// How many requests it takes at a time: more than the connections that there may be are no use, and a
    /// long poll holds its place until it is answered.
    private static let concurrency = 512

    init(_ record: WebService, _ shared: ServerContext) throws {
        port = record.port
        link = try UpstreamLink(
            record.upstream, concurrency: ServedService.concurrency, limits: shared.limits, log: shared.log)
        maximumBody = record.maximumBody ?? shared.limits.bodyByteCount
        let names = shared.names
        crossSite = CrossSiteRule { names.contains($0) }
        current = Mutex(Standing(record, maximumBody, crossSite))
        sessions = ServiceSessions(port: record.port, hub: shared.sessions, devices: shared.devices)
    }

    /// What holds now.
    var standing: Standing { current.withLock { $0 } }
    var record: WebService { standing.record }

    /// Takes the rights of the same service, and whether it is announced; what is open has to be held against
    /// the rights afterwards.
    ///
    /// - Returns: false if more than that has changed.
    func take(_ record: WebService) -> Bool {
        var same = self.record
        (same.rights, same.isAnnounced) = (record.rights, record.isAnnounced)
        guard same == record else { return false }
        let new = Standing(record, maximumBody, crossSite)
        current.withLock { $0 = new }
        return true
    }
}
