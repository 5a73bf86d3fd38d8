import GatewayRules
import Synchronization

/// One web service while the hub serves: its rules, the way to its server, and its sessions.
final class ServedService: Sendable {
    private struct Standing: Sendable {
        var record: WebService
        var rule: ServiceRule
        var router: RequestRouter
    }

    private let standing: Mutex<Standing>
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
        standing = Mutex(ServedService.standing(record, maximumBody, crossSite))
        sessions = ServiceSessions(port: record.port, hub: shared.sessions, devices: shared.devices)
    }

    private static func standing(
        _ record: WebService, _ maximumBody: Int, _ crossSite: CrossSiteRule
    ) -> Standing {
        let rule = record.rule
        let router = RequestRouter(
            hasUpstream: true, maximumBodyByteCount: maximumBody, crossSite: crossSite, service: rule
        ) { _ in nil }
        return Standing(record: record, rule: rule, router: router)
    }

    var record: WebService { standing.withLock { $0.record } }
    var rule: ServiceRule { standing.withLock { $0.rule } }
    var router: RequestRouter { standing.withLock { $0.router } }

    /// Takes the rights of the same service; what is open has to be held against them afterwards.
    ///
    /// - Returns: false if more than the rights has changed.
    func take(_ record: WebService) -> Bool {
        var same = self.record
        same.rights = record.rights
        guard same == record else { return false }
        let new = ServedService.standing(record, maximumBody, crossSite)
        standing.withLock { $0 = new }
        return true
    }
}
