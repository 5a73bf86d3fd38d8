import FoundationEssentials
import Glibc
import Identity

/// The search of many files, each by a `hubpair-picture` of its own, one per processor at a time. Any thread
/// may wait for it.
package enum ParallelScan {
    /// The maximum number of outcomes that wait for an earlier one, because they are delivered in order.
    private static let maximumLead = 4096

    /// True if `hubpair-picture` is where it belongs.
    package static var isPossible: Bool { SiblingProgram.path(of: PictureProgram.name) != nil }

    /// Calls `finished` once for each of `paths`, in their order. If it throws, the search ends, and no
    /// program is left. `waiting` is called about ten times a second, with the number of files that are done;
    /// `busy` if a search has had no processor for long, and goes on.
    package static func run(
        _ paths: [String], _ search: ImageScan, waiting: (Int) -> Void = { _ in }, busy: () -> Void = {},
        finished: (Int, Result<ImageScanOutcome, any Error>) throws -> Void
    ) throws {
        let processors = paths.count < 2 ? 1 : max(1, ProcessInfo.processInfo.activeProcessorCount)
        let forkServer = paths.count < 2 ? nil : PictureForkServer()
        var running: [(index: Int, program: PictureProgram)] = []
        var done: [Int: Result<ImageScanOutcome, any Error>] = [:]
        var started = 0
        var delivered = 0
        var failure: (any Error)?
        func deliver(waitingFor milliseconds: Int32) {
            for (index, outcome) in wait(milliseconds, for: &running, busy: busy) { done[index] = outcome }
            while failure == nil, let outcome = done.removeValue(forKey: delivered) {
                do {
                    try finished(delivered, outcome)
                    delivered += 1
                } catch { failure = error }
            }
            waiting(delivered + done.count)
        }
        while delivered < paths.count {
            while started < paths.count, running.count < processors, started - delivered < maximumLead {
                do {
                    let file = try InputFile.read(paths[started]) { deliver(waitingFor: 0) }
                    running.append((started, try PictureProgram(search, file, from: forkServer)))
                } catch PictureProgramError.notStarted where !running.isEmpty {
                    break  // until one of them ends
                } catch {
                    done[started] = .failure(error)
                }
                started += 1
                if let failure { throw failure }
            }
            deliver(waitingFor: 100)
            if let failure { throw failure }
        }
    }

    /// Searches an image file in memory.
    package static func run(
        _ file: ImageBytes, _ search: ImageScan, busy: () -> Void = {}
    ) -> Result<ImageScanOutcome, any Error> {
        do {
            var running = [(index: 0, program: try PictureProgram(search, file))]
            while true {
                if let ended = wait(100, for: &running, busy: busy).first { return ended.outcome }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Waits at most so long. Removes the programs that have ended, and returns their outcomes.
    private static func wait(
        _ milliseconds: Int32, for running: inout [(index: Int, program: PictureProgram)],
        busy: () -> Void
    ) -> [(index: Int, outcome: Result<ImageScanOutcome, any Error>)] {
        guard !running.isEmpty else { return [] }
        var waiting = running.map { pollfd(fd: $0.program.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&waiting, nfds_t(waiting.count), milliseconds)
        var ended: [(index: Int, outcome: Result<ImageScanOutcome, any Error>)] = []
        for (one, state) in zip(running, waiting) {
            var answer = state.revents != 0 ? one.program.receive() : nil
            if answer == nil {
                switch one.program.look() {
                case .waits: break
                case .starves: busy()
                case .hangs: answer = one.program.expire()
                }
            }
            if let answer { ended.append((one.index, answer.outcome)) }
        }
        running.removeAll { one in ended.contains { $0.index == one.index } }
        return ended
    }
}
