import FoundationEssentials
import Glibc

/// The reading of many files, a process each, as many at once as there are processors.
///
/// The children read the files, so that memory grows with the processors and not with the files. This process
/// keeps one thread, and waits for all of them in one poll(2).
package enum ParallelScan {
    /// How many outcomes may wait for the one before them.
    private static let maximumLead = 4096

    /// Calls `finished` once for each of `paths`, in their order; what it throws ends everything, and no child
    /// is left. `waiting` is called ten times a second or so, with the number of files that are done.
    ///
    /// A process with several threads reads the files here, one after the other: `IsolatedScan` says why.
    package static func run(
        _ paths: [String], _ search: ImageScan, waiting: (Int) -> Void = { _ in },
        finished: (Int, Result<ImageScanOutcome, any Error>) throws -> Void
    ) throws {
        guard IsolatedScan.isPossible else {
            for (index, path) in paths.enumerated() {
                try finished(index, Result { try search.run(try InputFile.read(path)) })
            }
            return
        }
        // Here, once for all children; where it is missing, each of them says so.
        _ = try? ZBarLibrary.load()
        let processors = paths.count < 2 ? 1 : max(1, ProcessInfo.processInfo.activeProcessorCount)
        var running: [(index: Int, scan: IsolatedScan)] = []
        var done: [Int: IsolatedScan.Outcome] = [:]
        var started = 0
        var delivered = 0
        while delivered < paths.count {
            while started < paths.count, running.count < processors, started - delivered < maximumLead {
                let path = paths[started]
                if let scan = IsolatedScan(
                    search, usesStandardInput: path == "-", read: { try InputFile.read(path) })
                {
                    running.append((started, scan))
                } else if running.isEmpty {
                    done[started] = .failure(QRScanError.outOfMemory)
                } else {
                    break  // no room now; there will be when one of them ends
                }
                started += 1
            }
            for (index, outcome) in wait(for: &running) { done[index] = outcome }
            while let outcome = done.removeValue(forKey: delivered) {
                try finished(delivered, outcome)
                delivered += 1
            }
            waiting(delivered + done.count)
        }
    }

    /// Searches an image file in memory, in a child process if that is possible.
    package static func run(_ file: ImageBytes, _ search: ImageScan) -> Result<ImageScanOutcome, any Error> {
        guard IsolatedScan.isPossible else { return Result { try search.run(file) } }
        guard let scan = IsolatedScan(search, usesStandardInput: false, read: { file }) else {
            return .failure(QRScanError.outOfMemory)
        }
        var running = [(index: 0, scan: scan)]
        while true {
            if let ended = wait(for: &running).first { return ended.outcome }
        }
    }

    /// Waits a tenth of a second at most; those that have ended, which are no longer running.
    private static func wait(
        for running: inout [(index: Int, scan: IsolatedScan)]
    ) -> [(index: Int, outcome: IsolatedScan.Outcome)] {
        guard !running.isEmpty else { return [] }
        var waiting = running.map { pollfd(fd: $0.scan.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&waiting, nfds_t(waiting.count), 100)
        let now = ContinuousClock.now
        var ended: [(index: Int, outcome: IsolatedScan.Outcome)] = []
        for (one, state) in zip(running, waiting) {
            let outcome = state.revents != 0 ? one.scan.receive() : nil
            if let outcome = outcome ?? one.scan.expire(now: now) { ended.append((one.index, outcome)) }
        }
        running.removeAll { one in ended.contains { $0.index == one.index } }
        return ended
    }
}
