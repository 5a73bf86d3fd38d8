import GatewayRules
import HubService
import JSON
import NIOHTTP1
import Synchronization

/// What the house knows of the gate: how the server behind it stands, and what has happened there. The gate
/// says so with each request, and in a stream that is followed as long as the house runs.
final class GateLink: Sendable {
    private static let pause = Duration.milliseconds(200)
    private static let time = Duration.seconds(10)
    private static let maximumLineByteCount = 65_536
    private static let maximumAuthorsByteCount = 1 << 20

    private struct State {
        var standing: GateStanding?
        var onArrival: (@Sendable () -> Void)?
        var records: HouseholdRecords?
        var guests: GuestRights?
        var onRecords: (@Sendable () -> Void)?
        var taking: Task<Void, Never>?
        /// One that has not begun takes all that has changed until then.
        var isTakeQueued = false
    }

    let calls: GateCalls
    let journal: GateJournal
    let files: ToldFiles
    /// The gate among those of its site when the house began; nil: it was alone.
    private let site: String?
    private let onSite: @Sendable () -> Void
    private let client: LocalClient
    private let state = Mutex(State())
    private let following = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - files: the gate's, which are taken again when they are others.
    ///   - onSite: called once the gate has joined a site, or left it.
    init(
        _ client: LocalClient, _ files: ToldFiles, site: String? = nil,
        onSite: @escaping @Sendable () -> Void = {}
    ) {
        (self.client, self.files, self.site, self.onSite) = (client, files, site, onSite)
        calls = GateCalls(client)
        journal = GateJournal(client)
    }

    /// False while the server behind the hub does not answer, as far as is known.
    var isReachable: Bool { state.withLock { $0.standing?.outage == nil } }

    /// True while the gate tells of each change of what the houses of its site share.
    var tellsOfRecords: Bool { state.withLock { $0.standing?.records != nil } }

    /// `body` is called for each of them.
    func whenRecordsChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onRecords = body }
    }

    /// How it is treated; nil without one.
    var treatment: UpstreamTreatment? { state.withLock { $0.standing?.treatment } }

    /// Tells the gate that the household's files are others than before.
    func tellChange() async {
        _ = try? await client.open(.POST, HouseFields.changedPath, within: GateLink.time)
    }

    /// - Parameter onArrival: is called whenever the gate is there again.
    func observe(
        _ records: HouseholdRecords, _ guests: GuestRights, onArrival: @escaping @Sendable () -> Void
    ) {
        state.withLock { ($0.records, $0.guests, $0.onArrival) = (records, guests, onArrival) }
    }

    /// False while the gate is away.
    func answers() async -> Bool {
        let path = HouseFields.filePath + HubFile.settings.name
        return (try? await client.open(.GET, path, within: GateLink.time)) != nil
    }

    /// Takes what the gate says, unless it is older than what is known.
    func take(_ standing: GateStanding) {
        let (before, standing, records, guests, onRecords) = state.withLock { state in
            let before = state.standing.flatMap { $0.run == standing.run ? $0 : nil }
            if let before, standing.number < before.number {
                let nobody: (@Sendable () -> Void)? = nil
                return (standing, standing, HouseholdRecords?.none, GuestRights?.none, nobody)
            }
            let known = state.standing
            if known?.run != standing.run || known?.files != standing.files {
                queueTake(&state)
            }
            // A gate that has just begun knows nothing of an outage that goes on.
            let now = standing.isHeard ? standing : standing.with(outage: known?.outage)
            state.standing = now
            // Of another process nobody knows what came before; but an outage that goes on is no news.
            return (
                before ?? now.with(outage: known?.outage), now, state.records, state.guests,
                known?.records == now.records ? nil : state.onRecords
            )
        }
        onRecords?()
        // While nobody can say, all stays as it is.
        if standing.site != site, standing.site != "" { onSite() }
        if standing.changes != before.changes { guests?.forget() }
        if standing.orders != before.orders { records?.orderPassed() }
        if standing.outage != before.outage { records?.upstreamChanged(standing.outage) }
        if standing.refusals > before.refusals {
            for _ in 0..<min(standing.refusals - before.refusals, 1_000) {
                records?.alerts.noteRefusal(from: standing.lastRefusal)
            }
        }
    }

    private func queueTake(_ state: inout State) {
        guard !state.isTakeQueued else { return }
        state.isTakeQueued = true
        let last = state.taking
        state.taking = Task { [files, weak self] in
            await last?.value
            self?.state.withLock { $0.isTakeQueued = false }
            await files.take()
        }
    }

    /// Follows the gate, whenever it is there.
    func start() {
        let task = Task { [weak self] in
            while !Task.isCancelled {
                await self?.follow()
                try? await Task.sleep(for: GateLink.pause)
            }
        }
        following.withLock { $0 = task }
    }

    private func follow() async {
        do {
            let reply = try await client.open(.GET, HouseFields.standingPath, within: GateLink.time)
            state.withLock { $0.onArrival }?()
            // What was told of meanwhile.
            await journal.note([])
            var line: [UInt8] = []
            while let piece = try await reply.next() {
                line += piece
                while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                    let standing = GateStanding(JSONValue(parsing: Array(line[..<end])))
                    line.removeFirst(end + 1)
                    if let standing { take(standing) }
                }
                guard line.count <= GateLink.maximumLineByteCount else { return }
            }
        } catch {
            // The gate is away; what asks for something says so.
        }
    }

    /// By whom the devices were let in or kept out last, and since when the gate runs; nil while it is away.
    func authors() async -> (authors: [String: String], began: Int64)? {
        do {
            let reply = try await client.open(.GET, HouseFields.authorsPath, within: GateLink.time)
            let bytes = try await reply.whole(maximum: GateLink.maximumAuthorsByteCount)
            guard let members = JSONValue(parsing: bytes)?.asObject,
                let authors = members["authors"]?.asObject,
                case .integer(let began)? = members["began"]
            else { return nil }
            return (authors.compactMapValues(\.asString), began)
        } catch {
            return nil
        }
    }

    func stop() async {
        let task = following.withLock { $0.take() }
        task?.cancel()
        await task?.value
        let taking = state.withLock { state in
            (state.records, state.guests) = (nil, nil)
            (state.onArrival, state.onRecords) = (nil, nil)
            return state.taking
        }
        await taking?.value
        files.whenDevicesChange(nil)
    }
}
