import GatewayRules
package import Home
import Logging
import NIOPosix
package import Pairing

/// Asks the server behind a hub that does not serve what it is, with one request. Beside a hub that serves,
/// and asks it too, nobody else does: the database of a stock server breaks when two requests overlap.
package struct RecognizeUpstream: Sendable {
    package enum Answer: Sendable {
        case house([ControlledDevice], UpstreamTreatment)
        /// An answer that is no list of appliances; why.
        case other(ServerError, UpstreamTreatment)
        /// None; why.
        case silent(String)
    }

    private let settings: HubSettings
    private let pin: Pin
    private let time: Duration

    /// - Parameters:
    ///   - pin: of the hub's key.
    ///   - time: how long the server may take.
    package init(_ settings: HubSettings, pin: Pin, within time: Duration = .seconds(4)) {
        (self.settings, self.pin, self.time) = (settings, pin, time)
    }

    /// - Returns: nil if no upstream is set.
    package func run() async throws -> Answer? {
        guard settings.upstream != nil else { return nil }
        let log = ServeLog(Logger(label: "hubpair.recognize") { _ in SwiftLogNoOpLogHandler() })
        let link = try UpstreamLink(
            settings.upstream, concurrency: settings.concurrency, limits: ServeLimits(), log: log)
        let sender = DeviceFields(
            fingerprint: pin.fingerprint.description, name: settings.name.description, role: .owner)
        let calls = try await UpstreamCalls(
            link, as: sender, on: MultiThreadedEventLoopGroup.singleton.next())
        let answer = await ask(calls, link)
        await calls.stop()
        return answer
    }

    private func ask(_ calls: UpstreamCalls, _ link: UpstreamLink) async -> Answer {
        do throws(UpstreamCallError) {
            let reply = try await calls.call("GET", ControlRequest.devices.target, within: time)
            let kind = UpstreamKind(reply)
            let treatment = UpstreamTreatment(
                kind: kind, concurrency: settings.concurrency ?? kind.concurrency)
            if reply.isSuccess {
                return ControlledDevice.list(parsing: reply.body).map { .house($0, treatment) }
                    ?? .other(.unreadable("it is no list of appliances"), treatment)
            }
            return .other(ServerError(status: reply.status, contentType: nil, body: reply.body), treatment)
        } catch {
            return .silent(error.description)
        }
    }
}
