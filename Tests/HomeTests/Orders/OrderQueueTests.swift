import Home
import JSON
import Testing

@Suite struct OrderQueueTests {
    private func begun(_ queue: inout OrderQueue) -> [Int] {
        var ids: [Int] = []
        while let id = queue.begin() { ids.append(id) }
        return ids
    }

    @Test func asManyBeginAsThereIsRoomFor() {
        var queue = OrderQueue()
        let ids = (0..<20).map { queue.join("\($0)") }
        #expect(begun(&queue) == Array(ids.prefix(OrderQueue.width)))
        queue.end(ids[3])
        queue.end(ids[3])
        #expect(begun(&queue) == [ids[OrderQueue.width]])
    }

    /// Lamps without power at the head of the queue: the others go on once that is noticed.
    @Test func whatIsNotAnsweredKeepsNobodyWaiting() {
        var queue = OrderQueue()
        let ids = (0..<40).map { queue.join("\($0)") }
        let first = begun(&queue)
        for id in first { queue.noteOverdue(id) }
        #expect(begun(&queue).count == OrderQueue.overdueWidth)
        #expect(begun(&queue).isEmpty)
        for id in ids { queue.noteOverdue(id) }
        #expect(begun(&queue).isEmpty, "more than the hub gives connections")
        // One that is answered late makes room at once.
        queue.end(first[0])
        #expect(begun(&queue).count == 1)
        #expect(begun(&queue).isEmpty)
    }

    /// A slow hub gets two at a time, and what is begun is read back before anything else is begun.
    @Test func aSlowHubFinishesWhatIsBegun() {
        var queue = OrderQueue(pace: OrderQueue.slow)
        let ids = (0..<8).map { queue.join("\($0)") }
        #expect(begun(&queue) == Array(ids.prefix(OrderQueue.slowWidth)))
        queue.end(ids[0])
        let reading = queue.join(nil)
        #expect(begun(&queue) == [reading])
        queue.end(reading)
        #expect(begun(&queue) == [ids[2]])
    }

    /// The dimmer of a lamp that does not answer waits for the other lamps, and for nothing else.
    @Test func theSameDeviceComesLast() {
        var queue = OrderQueue()
        let switches = (0..<OrderQueue.width).map { queue.join("\($0)") }
        let dimmers = (0..<OrderQueue.width).map { queue.join("\($0)") }
        let others = (0..<2).map { queue.join("other \($0)") }
        #expect(begun(&queue) == switches)
        for id in switches { queue.noteOverdue(id) }
        #expect(begun(&queue) == others + dimmers.prefix(OrderQueue.overdueWidth - others.count))
    }

    @Test func looksWaitForNoDevice() {
        var queue = OrderQueue()
        let order = queue.join("lamp")
        let dimmer = queue.join("lamp")
        let look = queue.join(nil)
        #expect(begun(&queue) == [order, look, dimmer])
    }
}
