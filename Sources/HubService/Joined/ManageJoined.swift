package import GatewayRules
import Logging
import NIOPosix
import Pairing

/// The owner's decisions about which servers join the house: they count at once, also at a hub that serves.
package struct ManageJoined {
    private static let time = Duration.seconds(10)

    private let state: HubState

    package init(state: HubState) { self.state = state }

    package func list() throws -> [JoinedServer] {
        let directory = try state.open()
        _ = try HubState.hub(in: directory)
        return try HubState.joined(in: directory).servers
    }

    /// Lets a server's things into the house, once its token was tried; the one of its kind before goes.
    ///
    /// - Throws: ``JoinError``, and then nothing has changed.
    package func join(_ server: JoinedServer) async throws {
        try await ask(server)
        try change { $0.put(server) }
    }

    package func leave(_ kind: JoinedKind) throws {
        try change { servers throws(JoinError) in
            guard servers.server(kind) != nil else { throw .notJoined(kind) }
            servers.remove(kind)
        }
    }

    /// Asks a server whether it is one of its kind, and takes the token.
    ///
    /// - Throws: ``JoinError``
    package func ask(_ server: JoinedServer) async throws {
        switch server.kind {
        case .homeAssistant: try await askHomeAssistant(server)
        case .mqtt: try AskBroker.ask(server)
        }
    }

    private func askHomeAssistant(_ server: JoinedServer) async throws {
        let hub = try HubState.hub(in: state.open())
        let log = ServeLog(Logger(label: "hubpair.join") { _ in SwiftLogNoOpLogHandler() })
        let link = try UpstreamLink(server.url, concurrency: 1, limits: ServeLimits(), log: log)
        let sender = DeviceFields(
            fingerprint: hub.pin.fingerprint.description, name: hub.settings.name.description, role: .guest)
        let calls = try await UpstreamCalls(
            link, as: sender, on: MultiThreadedEventLoopGroup.singleton.next())
        let reply: UpstreamReply
        do {
            reply = try await calls.call(
                "GET", "/api/", within: ManageJoined.time, authorization: "Bearer \(server.token)")
            await calls.stop()
        } catch {
            await calls.stop()
            throw JoinError.silent(server.kind, server.url.text, "\(error)")
        }
        switch reply.status {
        case 200 where String(decoding: reply.body, as: UTF8.self).contains("API running"): return
        case 401, 403: throw JoinError.refused(server.kind)
        case let status: throw JoinError.other(server.kind, server.url.text, status)
        }
    }

    private func change(_ body: (inout JoinedServers) throws -> Void) throws {
        try state.open().withLock { directory in
            _ = try HubState.hub(in: directory)
            let before = try HubState.joined(in: directory)
            var servers = before
            try body(&servers)
            if servers != before {
                try directory.replace(JoinedServers.fileName, with: servers.serialized)
            }
        }
    }
}
