import Glibc
import HubService
import Identity
import NIOHTTP1
import Pairing

/// The files of the hub that the house goes by, as the gate tells them: its settings and its devices. The
/// house keeps copies in its own folder, so that it opens none of the hub's.
struct ToldFiles: Sendable {
    private static let pause = Duration.milliseconds(200)
    private static let time = Duration.seconds(10)

    let client: LocalClient
    let house: HubState

    /// Takes them from the gate; if it is away, those of the last time do. Waits for it without these.
    func begin() async throws {
        while true {
            await take()
            if (try? HubState.settings(in: house.open())) != nil { return }
            try await Task.sleep(for: ToldFiles.pause)
        }
    }

    /// Takes them from the gate, if it is there.
    func take() async {
        for file in HubFile.told {
            do {
                let path = HouseFields.filePath + file.name
                let reply = try await client.open(.GET, path, within: ToldFiles.time)
                guard reply.head.status == .ok else { continue }
                let bytes = try await reply.whole(maximum: ProtectedDirectory.maximumFileByteCount)
                try house.open().withLock { directory in
                    guard try directory.read(file.name) != bytes else { return }
                    try directory.replace(file.name, with: bytes)
                }
            } catch {
                // The gate is away, or the disk is full: the last ones stay. The gate says who is let in.
            }
        }
    }
}
