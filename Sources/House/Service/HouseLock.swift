import Glibc
import HubService
import Identity
import Pairing

/// One house at a time has the household's files: an older one, whose gate is gone, may still be writing when
/// the next begins. It is the lock of the hub directory itself (flock(2)), so it ends with the process.
final class HouseLock: Sendable {
    private static let pause = Duration.milliseconds(20)

    private let folder: Int32

    /// Waits until no other house has it.
    init(_ state: HubState, log: ServeLog) async throws {
        let folder = open(state.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw FileError.system(errno, operation: "open", path: state.path) }
        self.folder = folder
        var isTold = false
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FileError.system(errno, operation: "lock", path: state.path)
            }
            if !isTold { log.notice("another process has the household of \(state.path); waits for its end") }
            isTold = true
            try await Task.sleep(for: HouseLock.pause)
        }
    }

    deinit { close(folder) }

    func release() { flock(folder, LOCK_UN) }
}
