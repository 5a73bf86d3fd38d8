import FoundationEssentials
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// How the house stands, as far as the hub knows.
struct HouseStanding: Sendable {
    /// When the server behind the hub was last read; nil: never.
    var time: Moment?
    /// Why it cannot be read now; nil: it can.
    var fault: String?
}

/// The heartbeat of all streams: an event every two seconds, and at once when the house goes away or comes
/// back and when a file has changed. Whoever hears none for the time of two knows that the hub, or the
/// network, is gone. One timer for all; of what a slow client has missed only the last beat is told.
final class Heartbeat: Sendable {
    static let interval = Duration.seconds(2)

    private let feeds: [EventFeed]
    private let state: HubState
    private let clock: @Sendable () -> Moment
    private let standing: @Sendable () -> HouseStanding
    /// The lock also keeps beats in order.
    private let changes: Mutex<KeptChanges>
    private let timer = Mutex<Task<Void, Never>?>(nil)

    init(
        _ feeds: [EventFeed], of state: HubState, clock: @escaping @Sendable () -> Moment,
        standing: @escaping @Sendable () -> HouseStanding
    ) {
        (self.feeds, self.state, self.clock, self.standing) = (feeds, state, clock, standing)
        changes = Mutex(KeptChanges(Heartbeat.stamps(state), from: clock().wall.milliseconds))
    }

    func start() {
        let task = Task { [weak self] in
            while !Task.isCancelled {
                self?.beat()
                try? await Task.sleep(for: Heartbeat.interval)
            }
        }
        timer.withLock { $0 = task }
    }

    func stop() async {
        let task = timer.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }

    /// Tells all watchers how things stand, at once.
    func beat() { changes.withLock { beat($0) } }

    /// The files in the state directory are others than before, perhaps.
    func filesChanged() {
        let stamps = Heartbeat.stamps(state)
        changes.withLock { if $0.take(stamps) { beat($0) } }
    }

    func devicesChanged() {
        changes.withLock { changes in
            changes.note(.devices)
            beat(changes)
        }
    }

    private func beat(_ changes: KeptChanges) {
        let (now, standing) = (clock(), standing())
        let beat = EventFeed.Beat(
            forOwners: event(standing, changes.json(forOwner: true), now),
            forOthers: event(standing, changes.json(forOwner: false), now))
        for feed in feeds { feed.publish(beat) }
    }

    /// `current`, `time`, `age` and `fault` as `GET states` has them.
    private func event(_ standing: HouseStanding, _ changed: JSONValue, _ now: Moment) -> [UInt8] {
        var members: [String: JSONValue] = ["current": .boolean(standing.fault == nil), "changed": changed]
        if let time = standing.time {
            members["time"] = .string(time.wall.timestampWithMilliseconds)
            members["age"] = .integer(Int64(max(0, now.seconds(since: time)).rounded(.down)))
        }
        members["fault"] = standing.fault.map(JSONValue.string)
        var json: [UInt8] = []
        JSONValue.object(members).write(to: &json)
        return ServerEvent.bytes(type: "alive", id: nil, json: json)
    }

    private static func stamps(_ state: HubState) -> [KeptChanges.Part: FileStamp] {
        guard let directory = try? state.open() else { return [:] }
        var stamps: [KeptChanges.Part: FileStamp] = [:]
        for part in KeptChanges.Part.allCases {
            if let name = part.fileName { stamps[part] = try? directory.stamp(of: name) }
        }
        return stamps
    }
}
