import FoundationEssentials
import Glibc

/// The search of many files, each in a process of its own, with one process per processor at a time.
///
/// The children read the files, so that the memory needed depends on the processors and not on the files. The
/// parent keeps one thread, and waits for all children in one poll(2).
package enum ParallelScan {
    /// The maximum number of outcomes that wait for an earlier one, because they are delivered in order.
    private static let maximumLead = 4096
    /// With fewer files the warm-up takes longer than it saves.
    private static let leastToWarmUp = 20

    /// True if a picture is searched in a process of its own: this one has one thread.
    package static var isIsolated: Bool { IsolatedScan.isPossible }

    /// Calls `finished` once for each of `paths`, in their order. If it throws, the search ends, and no child
    /// is left. `waiting` is called about ten times a second, with the number of files that are done.
    ///
    /// A process with several threads reads the files itself, one after the other: see `IsolatedScan`.
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
        // Loaded once for all children. What is missing, each child reports that needs it. A single file may
        // not need it.
        if paths.count > 1 {
            _ = try? ZBarLibrary.load()
            _ = try? PNGLibrary.load()
            _ = try? TurboJPEGLibrary.load()
            if paths.count >= leastToWarmUp { _ = try? WarmUp.run() }
        }
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
                    break  // cannot start another child until one of them ends
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
        return outcome(of: scan)
    }

    /// Waits for a search.
    static func outcome(of scan: IsolatedScan) -> Result<ImageScanOutcome, any Error> {
        var running = [(index: 0, scan: scan)]
        while true {
            if let ended = wait(for: &running).first { return ended.outcome }
        }
    }

    /// Waits at most a tenth of a second. Removes the scans that have ended, and returns them.
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
