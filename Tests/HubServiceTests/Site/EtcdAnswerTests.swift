import JSON
import TestSupport
import Testing

@testable import HubService

/// What etcd 3.4.23 has answered, and what somebody in its place may answer.
@Suite struct EtcdAnswerTests {
    private static let header =
        #""header":{"cluster_id":"324952591200643719","member_id":"33","revision":"7","raft_term":"2"}"#
    private static let range =
        "{\(header)," + #""kvs":[{"key":"Zm9v","create_revision":"2","mod_revision":"2","version":"1","#
        + #""value":"YmFy"}],"more":true,"count":"2"}"#
    private static let lost =
        "{\(header)," + #""responses":[{"response_range":{"header":{"revision":"2"},"kvs":[{"key":"Zm9v","#
        + #""mod_revision":"2","value":"YmFy"}],"count":"1"}}]}"#
    private static let done =
        "{\(header)," + #""succeeded":true,"responses":[{"response_put":{"header":{"revision":"7"}}}]}"#
    private static let events =
        "{\"result\":{\(header),"
        + #""events":[{"kv":{"key":"Zm9v","mod_revision":"2","value":"YmFy"}},{"type":"DELETE","kv":{"#
        + #""key":"Zm9v","mod_revision":"3"}}]}}"#
    private static let compacted =
        "{\"result\":{\(header)," + #""canceled":true,"compact_revision":"3"}}"#

    @Test func whatEtcdAnswers() throws {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        let range = try EtcdAnswer.Range(parsing: bytes(EtcdAnswerTests.range))
        let entry = EtcdEntry(key: Array("foo".utf8), value: Array("bar".utf8), revision: 2)
        #expect(range.entries == [entry] && range.hasMore && range.header.revision == 7)
        #expect(range.header.cluster == 324_952_591_200_643_719)
        let lost = try EtcdAnswer.Transaction(parsing: bytes(EtcdAnswerTests.lost))
        #expect(!lost.isDone && lost.entries == [entry])
        #expect(try EtcdAnswer.Transaction(parsing: bytes(EtcdAnswerTests.done)).isDone)
        guard case .changed(_, let entries) = try EtcdAnswer.Watch(parsing: bytes(EtcdAnswerTests.events))
        else { return #expect(Bool(false)) }
        #expect(entries == [entry, EtcdEntry(key: Array("foo".utf8), value: nil, revision: 3)])
        #expect(
            try EtcdAnswer.Watch(parsing: bytes(EtcdAnswerTests.compacted)) == .ended(compacted: 3))
        let refused = EtcdAnswer.error(parsing: bytes(#"{"error":"x","message":"no leader","code":14}"#))
        #expect(refused?.words == "no leader" && refused?.code == 14)
    }

    @Test(arguments: [UInt64](1...8)) func nothingThatIsAnsweredTraps(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let samples = [
            EtcdAnswerTests.range, EtcdAnswerTests.lost, EtcdAnswerTests.done, EtcdAnswerTests.events,
            EtcdAnswerTests.compacted,
        ]
        let values = [
            "-1", "\"-1\"", "1e400", "null", "[]", "{}", "\"\"", "18446744073709551616", "\"=\"", "\"Zg\"",
            "\"99999999999999999999\"", "true", "[[]]", "{\"kv\":1}",
        ]
        for _ in 0..<2_000 {
            var text = samples[Int.random(in: 0..<samples.count, using: &random)]
            for _ in 0...Int.random(in: 0...2, using: &random) {
                // A value for another, or a piece less.
                let marks = text.indices.filter { text[$0] == ":" }
                guard let mark = marks.randomElement(using: &random) else { break }
                let start = text.index(after: mark)
                let end = text[start...].firstIndex { ",}]".contains($0) } ?? text.endIndex
                text.replaceSubrange(
                    start..<end, with: values[Int.random(in: 0..<values.count, using: &random)])
            }
            var bytes = Array(text.utf8)
            if Int.random(in: 0..<3, using: &random) == 0, !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8(
                    1 << Int.random(in: 0..<8, using: &random))
            }
            for entry in (try? EtcdAnswer.Range(parsing: bytes))?.entries ?? [] {
                #expect(entry.revision > 0)
            }
            _ = try? EtcdAnswer.Transaction(parsing: bytes)
            _ = try? EtcdAnswer.Watch(parsing: bytes)
            _ = try? EtcdAnswer.Status(parsing: bytes)
            _ = try? EtcdAnswer.Member.list(parsing: bytes)
            _ = EtcdAnswer.error(parsing: bytes)
        }
    }

    @Test func theEndOfARange() {
        #expect(EtcdMessage.end(of: Array("a/".utf8)) == Array("a0".utf8))
        #expect(EtcdMessage.end(of: [1, 0xFF]) == [2])
        #expect(EtcdMessage.end(of: [0xFF]) == [0])
    }
}
