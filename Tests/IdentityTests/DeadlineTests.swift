import Identity
import Synchronization
import Testing

@Suite struct DeadlineTests {
    private struct Failure: Error {}

    @Test func workThatIsDoneInTime() async throws {
        #expect(try await Deadline(in: .seconds(60)).run { 7 } == 7)
    }

    @Test func lateWorkIsCancelledAndHasStopped() async throws {
        let hasStopped = Mutex(false)
        let result = try await Deadline(in: .milliseconds(10)).run {
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                hasStopped.withLock { $0 = true }
                throw error
            }
            return 7
        }
        #expect(result == nil)
        #expect(hasStopped.withLock { $0 })
    }

    @Test func whatWorkThrowsIsThrown() async {
        await #expect(throws: Failure.self) {
            try await Deadline(in: .seconds(60)).run { throw Failure() }
        }
    }

    /// Work that goes on until it is cancelled gives what it has found by then.
    @Test func whatHasBeenCollectedByTheDeadlineIsKept() async throws {
        let endless: @Sendable () async -> [Int] = {
            var found: [Int] = []
            // Once at least: it may have been cancelled before it begins.
            repeat {
                found.append(found.count)
                try? await Task.sleep(for: .milliseconds(1))
            } while !Task.isCancelled
            return found
        }
        #expect(try await !Deadline(in: .milliseconds(10)).collect(endless).isEmpty)
        #expect(try await Deadline(in: .seconds(60)).collect { 7 } == 7)
        await #expect(throws: Failure.self) {
            try await Deadline(in: .seconds(60)).collect { () async throws -> Int in throw Failure() }
        }
        let cancelled = Task { try await Deadline(in: .seconds(60)).collect(endless) }
        cancelled.cancel()
        _ = try await cancelled.value
    }

    @Test func theFirstOfTwoCancelsTheOther() async throws {
        let slow: @Sendable () async throws -> Int = {
            try await Task.sleep(for: .seconds(60))
            return 2
        }
        #expect(try await first(of: { 1 }, or: slow) == 1)
        #expect(try await first(of: slow, or: { 1 }) == 1)
        await #expect(throws: Failure.self) {
            try await first(of: slow, or: { throw Failure() })
        }
    }

    @Test func aCancelledTaskIsNotKeptWaiting() async {
        let task = Task {
            try await Deadline(in: .seconds(60)).run { try await Task.sleep(for: .seconds(60)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
