import PinnedTLS
import Synchronization
import Testing

@testable import HubClient

@Suite struct KnownHouseTests {
    /// A hub that tells again and again what was before: it is asked to wait, and otherwise seldom.
    @Test func aSlowHouseIsAskedSeldom() async throws {
        let heads = Mutex<[String]>([])
        let body =
            #"{"states":[],"devices":[],"current":true,"age":9,"upstream":{"kind":"stock","concurrency":1}}"#
        let server = try await TLSServer(
            .respond { head, _, _ in
                heads.withLock { $0.append(head) }
                return Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
            })
        let (connector, address) = (try HubConnector(identity: .random()), server.address)
        let pin = server.identity.pin
        let home = HubHome(
            KeptConnections(atMost: 1) { try await connector.connect(to: [address], expecting: .pin(pin)) })
        let house = try await home.house(patience: .seconds(4))
        #expect(house.absence == KnownHouse.Absence(fault: nil, answers: false, age: 9))
        #expect(house.treatment == KnownHouse.Treatment(kind: "stock", concurrency: 1))
        let asked = heads.withLock { $0 }
        #expect((1...9).contains(asked.count))
        #expect(asked.first?.contains("\r\nPrefer: wait=2\r\n") == true)
        // What is left is less than the hub's usual time.
        #expect(asked.last?.contains("\r\nPrefer: ") == (asked.count == 1))
    }

    @Test func pausesGrowAndEndWithTheTime() {
        var pauses = LookPauses()
        let all = (0..<7).map { _ in pauses.next(within: .seconds(20)) }
        #expect(all == [50, 100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        #expect(pauses.next(within: .milliseconds(3)) == .milliseconds(3))
        #expect(pauses.next(within: .zero) == nil && pauses.next(within: .seconds(-1)) == nil)
    }

    /// What a newer hub may say instead is left out, and the rest is read.
    @Test(arguments: [
        ("null", nil), ("{}", nil), (#"{"kind":"stock","concurrency":0}"#, nil),
        (#"{"concurrency":"x"}"#, nil),
        (#"{"kind":7,"concurrency":3}"#, KnownHouse.Treatment(kind: nil, concurrency: 3)),
    ])
    func whatTheHubSaysOfItsServer(json: String, treatment: KnownHouse.Treatment?) async throws {
        let body = #"{"devices":[],"current":true,"age":0,"upstream":\#(json)}"#
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let server = try await TLSServer(.answer(Array(answer.utf8)))
        let (connector, address) = (try HubConnector(identity: .random()), server.address)
        let home = HubHome(
            KeptConnections(atMost: 1) { try await connector.connect(to: [address], expecting: .any) })
        #expect(try await home.house().treatment == treatment)
    }
}
