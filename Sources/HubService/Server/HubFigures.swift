import FoundationEssentials
import Pairing
import Synchronization

/// All figures of a hub, as they stand.
struct HubFigures: Sendable {
    let shared: ServerContext
    let program: String
    let began: Moment
    let clock: @Sendable () -> Moment

    func text() -> String {
        var text = PrometheusText()
        text.add("hubpair_build_info", .gauge, "Always 1.", [([("version", program)], 1)])
        text.add(
            "process_start_time_seconds", .gauge, "When the gate began, in seconds since 1970.",
            began.wall.timeIntervalSince1970)
        ProcessFigures.now()?.write(to: &text)
        text.add(
            "hubpair_connections", .gauge, "Open connections.",
            Double(shared.connections.withLock { $0.total }))
        if shared.upstream != nil {
            text.add(
                "hubpair_upstream_up", .gauge, "1 while the server behind the hub answers.",
                shared.link.isReachable ? 1 : 0)
        }
        text.add(
            "hubpair_house_up", .gauge, "1 while the house answers.",
            shared.house.isReachable ? 1 : 0)
        if let devices = try? shared.devices.register.devices() {
            let now = clock()
            let counts = Dictionary(
                devices.map { (HubFigures.word($0.verdict(at: now)), 1) }, uniquingKeysWith: +)
            text.add(
                "hubpair_devices", .gauge, "Devices that the keyfile knows, by how they stand.",
                counts.map { ([("status", $0)], Double($1)) })
        }
        shared.metrics.write(to: &text)
        text.add(
            "hubpair_events_total", .counter, "What the log warns of, and what it leaves out of that.",
            shared.log.totals.map { ([("kind", $0)], Double($1)) })
        return text.text
    }

    private static func word(_ verdict: DeviceVerdict) -> String {
        switch verdict {
        case .approved: "approved"
        case .pending: "pending"
        case .revoked: "revoked"
        case .expired: "expired"
        case .unknownRole: "role_unknown"
        case .unknown: "unknown"
        }
    }
}
