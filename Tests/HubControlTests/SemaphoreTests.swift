import Testing

@testable import HubControl

struct SemaphoreTests {
    /// What the bodies did, in order, and how many were inside at once.
    private actor Witness {
        private(set) var entered: [Int] = []
        private(set) var most = 0
        private var inside = 0

        func enter(_ number: Int) {
            entered.append(number)
            inside += 1
            most = max(most, inside)
        }
        func leave() { inside -= 1 }
    }

    @Test func letsInNoMoreThanItsCount() async throws {
        let (semaphore, witness) = (Semaphore(3), Witness())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await semaphore.run {
                        await witness.enter(number)
                        try await Task.sleep(for: .milliseconds(2))
                        await witness.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await witness.most == 3)
        #expect(await witness.entered.sorted() == Array(0..<20))
    }

    @Test func whoIsAheadGoesFirstAndACancelledOneNotAtAll() async throws {
        let (semaphore, witness) = (Semaphore(1), Witness())
        let tasks = try await semaphore.run {
            var tasks: [Task<Void, any Error>] = []
            for (number, isAhead) in [(1, false), (2, false), (3, true)] {
                tasks.append(Task { try await semaphore.run(ahead: isAhead) { await witness.enter(number) } })
                while await semaphore.waitingCount < tasks.count { await Task.yield() }
            }
            tasks[0].cancel()
            while await semaphore.waitingCount == 3 { await Task.yield() }
            #expect(await witness.entered.isEmpty)
            return tasks
        }
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        for task in tasks.dropFirst() { try await task.value }
        #expect(await witness.entered == [3, 2])
    }

    @Test func aBodyThatThrowsLeavesItsPlace() async throws {
        let semaphore = Semaphore(1)
        await #expect(throws: CancellationError.self) {
            try await semaphore.run { throw CancellationError() }
        }
        #expect(try await semaphore.run { true })
    }
}
