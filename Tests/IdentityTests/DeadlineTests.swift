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
