import HubService
import NIOHTTP1
import Pairing
import Synchronization

/// The hub's settings and its devices, as the gate tells them: the house opens no file of the hub's, and
/// writes none of it down.
final class ToldFiles: Sendable {
    private static let pause = Duration.milliseconds(200)
    private static let time = Duration.seconds(10)

    private struct State {
        var told: [HubFile: [UInt8]] = [:]
        /// Nil: nobody is let in, since the keyfile has a fault.
        var devices: [ApprovedDevice]?
        var settings: HubSettings?
        var joined: [JoinedServer] = []
        var onDevices: (@Sendable () -> Void)?
        var onJoined: (@Sendable ([JoinedServer]) -> Void)?
    }

    private let client: LocalClient
    private let state = Mutex(State())

    init(_ client: LocalClient) { self.client = client }

    /// The devices; nil while nobody can say.
    var devices: [ApprovedDevice]? { state.withLock { $0.devices } }

    var settings: HubSettings? { state.withLock { $0.settings } }

    /// Calls `body` whenever the devices are others than before.
    func whenDevicesChange(_ body: (@Sendable () -> Void)?) { state.withLock { $0.onDevices = body } }

    /// Calls `body` with the servers that have joined the house, now and whenever they are others.
    func whenServersJoin(_ body: (@Sendable ([JoinedServer]) -> Void)?) {
        let joined = state.withLock { state in
            state.onJoined = body
            return state.joined
        }
        body?(joined)
    }

    /// Takes them from the gate, which it waits for.
    func begin() async throws -> HubSettings {
        while true {
            await take()
            if let settings { return settings }
            try await Task.sleep(for: ToldFiles.pause)
        }
    }

    /// Takes them from the gate; while it is away, the last ones do. Who is let in is the gate's to say.
    func take() async {
        for file in HubFile.told {
            do {
                let path = HouseFields.filePath + file.name
                let reply = try await client.open(.GET, path, within: ToldFiles.time)
                guard reply.head.status == .ok else { continue }
                take(try await reply.whole(maximum: ProtectedDirectory.maximumFileByteCount), of: file)
            } catch {
                // The gate is away.
            }
        }
    }

    private func take(_ bytes: [UInt8], of file: HubFile) {
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.told[file] != bytes else { return nil }
            state.told[file] = bytes
            switch file {
            case .settings:
                // One with a fault changes nothing for a hub that runs.
                if let settings = try? HubSettings(parsing: bytes) { state.settings = settings }
                return nil
            case .devices:
                state.devices = try? ApprovedDevices(parsing: bytes).devices
                return state.onDevices
            case .joined:
                // One with a fault changes nothing, as with the settings.
                let servers = bytes.isEmpty ? [] : try? JoinedServers(parsing: bytes).servers
                guard let servers, servers != state.joined else { return nil }
                state.joined = servers
                guard let tell = state.onJoined else { return nil }
                return { tell(servers) }
            // The gate tells of no other (`HubFile.told`).
            default: return nil
            }
        }
        tell?()
    }
}
