import Testing

@testable import House
@testable import HubService

@Suite struct EventFeedTests {
    private func event(_ number: Int64, _ text: String? = nil) -> EventFeed.Event {
        EventFeed.Event(bytes: Array((text ?? "\(number) ").utf8), id: EventID(tag: "a", number: number))
    }

    private func text(_ next: EventFeed.Next) -> String {
        switch next {
        case .events(let bytes, let position, let last):
            "\(String(decoding: bytes, as: UTF8.self))→\(position) \(last?.text ?? "-")"
        case .beat(let beat, let number): "\(String(decoding: beat.forOthers, as: UTF8.self))#\(number)"
        case .behind: "behind"
        case .ended: "ended"
        }
    }

    @Test func everyWatcherTakesWhatFollows() async {
        let feed = EventFeed()
        feed.publish([event(1), event(2)])
        #expect(text(await feed.next(after: 0)) == "1 2 →2 a-2")
        #expect(text(await feed.next(after: 1)) == "2 →2 a-2")
        async let later = feed.next(after: 2)
        feed.publish([event(3)])
        #expect(text(await later) == "3 →3 a-3")
    }

    /// Only the last heartbeat is told, once, and after the events that were there before it.
    @Test func theLastHeartbeatIsTold() async {
        let feed = EventFeed()
        func beat(_ word: String) -> EventFeed.Beat {
            EventFeed.Beat(forOwners: Array("owners \(word)".utf8), forOthers: Array(word.utf8))
        }
        feed.publish(beat("first"))
        feed.publish([event(1)])
        feed.publish(beat("second"))
        #expect(text(await feed.next(after: 0, beat: 0)) == "1 →1 a-1")
        #expect(text(await feed.next(after: 1, beat: 0)) == "second#2")
        async let later = feed.next(after: 1, beat: 2)
        feed.publish(beat("third"))
        #expect(text(await later) == "third#3")
        async let withoutBeats = feed.next(after: 1)
        feed.publish(beat("fourth"))
        feed.publish([event(2)])
        #expect(text(await withoutBeats) == "2 →2 a-2")
    }

    /// A slow watcher is told that it is behind, and the feed stays small.
    @Test func whatIsOldLeaves() async {
        let feed = EventFeed()
        for number in 1...10_000 { feed.publish([event(Int64(number))]) }
        #expect(text(await feed.next(after: 0)) == "behind")
        #expect(text(await feed.next(after: 9_999)) == "10000 →10000 a-10000")
        let large = String(repeating: "x", count: 300_000)
        for number in 1...5 { feed.publish([event(Int64(number), large)]) }
        #expect(text(await feed.next(after: 9_999)) == "behind")
        #expect(text(await feed.next(after: 10_004)) == "\(large)→10005 a-5")
    }

    @Test func anEventLargerThanAllStays() async {
        let feed = EventFeed()
        feed.publish([event(1, String(repeating: "x", count: 3 << 20))])
        guard case .events(_, 1, _) = await feed.next(after: 0) else {
            Issue.record("lost")
            return
        }
    }

    @Test func waitingEnds() async {
        let feed = EventFeed()
        let cancelled = Task { text(await feed.next(after: 0)) }
        cancelled.cancel()
        #expect(await cancelled.value == "ended")
        let restarted = Task { text(await feed.next(after: 0)) }
        await Task.yield()
        feed.restart()
        #expect(await restarted.value == "behind")
        let closed = Task { text(await feed.next(after: feed.end)) }
        await Task.yield()
        feed.close()
        #expect(await closed.value == "ended")
    }

    @Test(
        arguments: [
            ("5f0c1a2b-17", EventID(tag: "5f0c1a2b", number: 17)),
            ("a-0.3", EventID(tag: "a", number: 0, other: 3)),
            ("", nil), ("17", nil), ("a-", nil), ("-1", nil), ("a--1", nil), ("a-1.", nil), ("a-1.2.3", nil),
            ("A-1", nil), ("123456789-1", nil), ("a-1234567890123456789", nil), ("a-+1", nil), ("a-1\n", nil),
        ] as [(String, EventID?)])
    func idsAreRead(text: String, id: EventID?) {
        #expect(EventID(text) == id)
        if let id { #expect(id.text == text) }
    }
}
