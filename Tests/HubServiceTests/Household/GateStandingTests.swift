import FoundationEssentials
import GatewayRules
import Identity
import JSON
import NIOPosix
import Synchronization
import Testing

@testable import House
@testable import HubService

/// What the gate tells the house of the server behind it.
struct GateStandingTests {
    /// As it comes out at the other end of the socket.
    private func told(_ news: GateNews) throws -> GateStanding {
        try #require(GateStanding(JSONValue(parsing: news.standing.json)))
    }

    @Test func whatIsToldIsRead() throws {
        let news = GateNews { UpstreamTreatment(kind: .stock, concurrency: 1) }
        news.noteOrder()
        news.noteRefusal(from: "192.0.2.1")
        news.note(UpstreamBreaker.Outage(since: Date(milliseconds: 1_000), words: "no response in time"))
        let standing = try told(news)
        #expect(standing == news.standing)
        #expect(standing.isHeard && standing.outage?.words == "no response in time")
    }

    @Test func aHouseIsToldOfRecords() throws {
        let client = LocalClient("none", in: "/nonexistent", on: MultiThreadedEventLoopGroup.singleton)
        let link = GateLink(client, ToldFiles(client))
        let calls = Mutex(0)
        link.whenRecordsChange { calls.withLock { $0 += 1 } }
        let news = GateNews { nil }
        link.take(try told(news))
        #expect(!link.tellsOfRecords)
        for count in 1...2 {
            news.noteRecords(isTold: true)
            link.take(try told(news))
            link.take(try told(news))
            #expect(link.tellsOfRecords && calls.withLock { $0 } == count)
        }
        // An order changes nothing about it.
        news.noteOrder()
        link.take(try told(news))
        #expect(calls.withLock { $0 } == 2)
        news.noteRecords(isTold: false)
        link.take(try told(news))
        #expect(!link.tellsOfRecords && calls.withLock { $0 } == 3)
    }

    @Test func aGateThatHasJustBegunEndsNoOutage() throws {
        let client = LocalClient("none", in: "/nonexistent", on: MultiThreadedEventLoopGroup.singleton)
        let link = GateLink(client, ToldFiles(client))
        let first = GateNews { nil }
        first.note(UpstreamBreaker.Outage(since: Date(milliseconds: 1_000), words: "no connection in time"))
        link.take(try told(first))
        #expect(!link.isReachable)
        let next = GateNews { nil }
        link.take(try told(next))
        #expect(!link.isReachable)
        next.noteOrder()
        link.take(try told(next))
        #expect(!link.isReachable)
        next.note(nil)
        link.take(try told(next))
        #expect(link.isReachable)
    }
}
