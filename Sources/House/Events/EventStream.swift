import HubService
import Pairing
import Synchronization

/// Where the events of one kind come from: those from before from the database, new ones from a feed.
protocol EventSource: Sendable {
    var feed: EventFeed { get }

    /// What follows an event.
    ///
    /// - Parameter eventID: the last event that the watcher has; nil if it has none.
    func page(after eventID: EventID?) async throws(DatabaseError) -> EventPage

    /// What a watcher is told while the database cannot be used, before what the feed has from now on.
    ///
    /// - Returns: nil to end the stream.
    func eventsWithoutDatabase() async -> [UInt8]?
}

/// What the database has for a watcher, and where its stream goes on.
enum EventPage: Sendable {
    /// Events, and the last one among them.
    case events([UInt8], last: EventID)
    /// Everything has been sent: the feed goes on from `position`.
    case upToDate(position: Int, last: EventID)
    /// What follows the watcher's last event is not known: an event that says so. The feed goes on from
    /// `position`.
    case reset([UInt8], position: Int, last: EventID)
}

/// The stream of events for one watcher: what it has missed from the database, then what comes from the feed.
final class EventStream<Source: EventSource>: HubEvents {
    private struct Place {
        /// The last event that was sent; nil before the first one.
        var last: EventID?
        /// The position in the feed; nil while the database is read.
        var position: Int?
        /// The number of the last heartbeat that was sent.
        var beat = 0
    }

    private let source: Source
    private let device: Pin
    private let isOwner: Bool
    private let desk: AnswerDesk
    private let place: Mutex<Place>

    /// - Parameters:
    ///   - last: the last event that the client has seen.
    ///   - device: whose stream it is.
    ///   - desk: where what it has missed is read.
    init(_ source: Source, after last: EventID?, for device: ApprovedDevice, at desk: AnswerDesk) {
        (self.source, self.desk) = (source, desk)
        (self.device, isOwner) = (device.pin, device.knownRole == .owner)
        place = Mutex(Place(last: last))
    }

    func next() async -> [UInt8]? {
        while !Task.isCancelled {
            let (last, position, beat) = place.withLock { ($0.last, $0.position, $0.beat) }
            if let position {
                switch await source.feed.next(after: position, beat: beat) {
                case .events(let bytes, let position, let last):
                    place.withLock { ($0.last, $0.position) = (last ?? $0.last, position) }
                    return bytes
                case .beat(let beat, let number):
                    place.withLock { $0.beat = number }
                    return isOwner ? beat.forOwners : beat.forOthers
                case .behind: place.withLock { $0.position = nil }
                case .ended: return nil
                }
                continue
            }
            do throws(DatabaseError) {
                let page = try await desk.inTurn(of: device) { () throws(DatabaseError) in
                    try await source.page(after: last)
                }
                switch page {
                case nil: return nil
                case .events(let bytes, let last):
                    place.withLock { $0.last = last }
                    if !bytes.isEmpty { return bytes }
                case .upToDate(let position, let last):
                    place.withLock { ($0.last, $0.position) = (last, position) }
                case .reset(let bytes, let position, let last):
                    place.withLock { ($0.last, $0.position) = (last, position) }
                    return bytes
                }
            } catch {
                let position = source.feed.end
                place.withLock { $0.position = position }
                return await source.eventsWithoutDatabase()
            }
        }
        return nil
    }
}
