import Dispatch
import HubService
import NIOHTTP1
import Synchronization

/// Where a house keeps what the houses of all gates share. Its calls wait for the answer.
protocol HouseRecordStore: Sendable {
    /// - Returns: nil if nobody answers.
    func ask(_ question: SiteRecords.Question) -> SiteRecords.Answer?

    /// Whoever waits now gets no answer.
    func interrupt()
}

/// By the gate, which has the certificate for the site's etcd.
final class GateRecords: HouseRecordStore {
    /// More than the gate waits for a majority.
    private static let time = Duration.seconds(12)
    /// For whoever asks once the house ends.
    private static let lastTime = Duration.seconds(2)
    private static let maximumByteCount = 32 << 20

    private let client: LocalClient
    private let waiting = Mutex<[ObjectIdentifier: Box]>([:])
    private let isEnding = Mutex(false)

    init(_ client: LocalClient) { self.client = client }

    func ask(_ question: SiteRecords.Question) -> SiteRecords.Answer? {
        let box = Box()
        waiting.withLock { $0[ObjectIdentifier(box)] = box }
        let time = isEnding.withLock { $0 } ? GateRecords.lastTime : GateRecords.time
        let task = Task { [client] in
            let answer = await GateRecords.ask(question, client, within: time)
            box.answer.withLock { $0 = answer }
            box.done.signal()
        }
        box.done.wait()
        task.cancel()
        waiting.withLock { $0[ObjectIdentifier(box)] = nil }
        return box.answer.withLock { $0 }
    }

    func interrupt() {
        isEnding.withLock { $0 = true }
        for box in waiting.withLock({ Array($0.values) }) { box.done.signal() }
    }

    private final class Box: Sendable {
        let done = DispatchSemaphore(value: 0)
        let answer = Mutex<SiteRecords.Answer?>(nil)
    }

    private static func ask(
        _ question: SiteRecords.Question, _ client: LocalClient, within time: Duration = time
    ) async -> SiteRecords.Answer? {
        guard
            let reply = try? await client.open(
                .POST, HouseFields.recordsPath, body: question.json, within: time),
            reply.head.status == .ok
        else { return nil }
        return (try? await reply.whole(maximum: maximumByteCount)).flatMap { SiteRecords.Answer($0) }
    }

    /// The gate among those of its site; nil if it is alone. Waits for the gate.
    ///
    /// An older gate takes what it does not know for a request to the server behind it, but for such a
    /// method.
    static func gate(_ client: LocalClient) async throws -> String? {
        while true {
            let reply = try? await client.open(
                .PATCH, HouseFields.recordsPath, body: SiteRecords.Question.gate.json, within: time)
            if reply?.head.status == .badRequest { return nil }
            let bytes = try? await reply?.whole(maximum: maximumByteCount)
            if let answer = bytes.flatMap({ SiteRecords.Answer($0) }), answer.fault == nil {
                return answer.gate
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
