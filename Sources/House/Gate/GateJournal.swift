import HubService
import Identity
import NIOHTTP1
import Synchronization

/// The journal of the hub, as the house writes it: its files are the gate's, which takes the lines.
///
/// What the gate cannot take, or is not there for, waits for the next time.
final class GateJournal: Sendable {
    /// The most notes that wait; the oldest go.
    private static let maximumWaiting = 500
    private static let time = Duration.seconds(10)
    private static let maximumByteCount = 65_536

    private let client: LocalClient
    private let waiting = Mutex<[Journal.Note]>([])

    init(_ client: LocalClient) { self.client = client }

    /// Writes down what happened; returns once it is written, or waits.
    func note(_ notes: [Journal.Note]) async { try? await write(notes) }

    /// The same.
    ///
    /// - Throws: why it waits.
    func write(_ notes: [Journal.Note] = []) async throws {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting + notes
        }
        guard !all.isEmpty else { return }
        do {
            let reply = try await client.open(
                .POST, HouseFields.journalPath, body: all.flatMap(\.line), within: GateJournal.time)
            guard reply.head.status == .noContent else {
                let words = try await reply.whole(maximum: GateJournal.maximumByteCount)
                throw HouseToolError(String(decoding: words, as: UTF8.self))
            }
        } catch {
            waiting.withLock { $0 = Array((all + $0).suffix(GateJournal.maximumWaiting)) }
            throw error
        }
    }
}
