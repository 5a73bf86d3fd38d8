import GatewayRules
import Logging
import NIOPosix
import Pairing

/// Asks a web server what it is.
package struct RecognizeService: Sendable {
    private let upstream: Upstream
    private let hub: Hub
    private let time: Duration

    package init(_ upstream: Upstream, behind hub: Hub, within time: Duration = .seconds(4)) {
        (self.upstream, self.hub, self.time) = (upstream, hub, time)
    }

    /// - Throws: ``UpstreamCallError`` if it does not answer.
    package func run() async throws -> ServiceKind {
        let log = ServeLog(Logger(label: "hubpair.recognize") { _ in SwiftLogNoOpLogHandler() })
        let link = try UpstreamLink(upstream, concurrency: 4, limits: ServeLimits(), log: log)
        let sender = DeviceFields(
            fingerprint: hub.pin.fingerprint.description, name: hub.settings.name.description, role: .guest)
        let calls = try await UpstreamCalls(
            link, as: sender, on: MultiThreadedEventLoopGroup.singleton.next())
        do {
            let kind = try await ask(calls)
            await calls.stop()
            return kind
        } catch {
            await calls.stop()
            throw error
        }
    }

    private func ask(_ calls: UpstreamCalls) async throws -> ServiceKind {
        var answers: [String: String] = [:]
        // Front pages last: a server that has just started takes long for its own.
        let kinds = ServiceKind.allCases.filter { $0.marks?.target != "/" }
        for kind in kinds + ServiceKind.allCases.filter({ $0.marks?.target == "/" }) {
            guard let (target, mark) = kind.marks else { continue }
            if answers[target] == nil {
                answers[target] = try await String(
                    decoding: calls.call("GET", target, within: time).body, as: UTF8.self)
            }
            if answers[target]?.contains(mark) == true { return kind }
        }
        return .plain
    }
}
