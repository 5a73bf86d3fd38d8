import NIOCore

/// Reads the file of the names that are given to hubs, on a thread that connections do not wait for. Used on
/// one event loop.
///
/// What is answered was read after it was asked for, so a name that was given a moment ago counts. However
/// many ask, one read is under way.
final class GrantsReader {
    private let files: RelayDirectory
    private let eventLoop: any EventLoop
    private var waiting: [(RelayGrants) -> Void] = []
    private var isReading = false

    init(_ files: RelayDirectory, on eventLoop: any EventLoop) {
        (self.files, self.eventLoop) = (files, eventLoop)
    }

    /// Calls `body` later with what the file says; a file that cannot be read gives no name.
    func read(_ body: @escaping (RelayGrants) -> Void) {
        waiting.append(body)
        readNext()
    }

    private func readNext() {
        guard !isReading, !waiting.isEmpty else { return }
        isReading = true
        let asking = waiting
        waiting = []
        let bound = NIOLoopBound((self, asking), eventLoop: eventLoop)
        Task.detached { [files, eventLoop] in
            let grants = (try? files.grants()) ?? RelayGrants()
            eventLoop.execute {
                let (reader, asking) = bound.value
                reader.isReading = false
                for body in asking { body(grants) }
                reader.readNext()
            }
        }
    }
}
