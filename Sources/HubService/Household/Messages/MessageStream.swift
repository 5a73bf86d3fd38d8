import Household
import Synchronization

/// The stream of messages for one watcher: what it has missed from the database, then what comes from the
/// feed.
///
/// Events: `message`, `acknowledged` with the whole message, and `reset` if the client has to list the
/// messages again.
final class MessageStream: HubEvents {
    private struct Place {
        /// The last event that was sent; nil: only new ones are wanted.
        var last: EventID?
        /// The position in the feed; nil while the database is read.
        var position: Int?
    }

    private let log: MessageLog
    private let place: Mutex<Place>

    init(_ log: MessageLog, after last: EventID?) {
        self.log = log
        place = Mutex(Place(last: last))
    }

    func next() async -> [UInt8]? {
        while !Task.isCancelled {
            let (last, position) = place.withLock { ($0.last, $0.position) }
            if let position {
                switch await log.feed.next(after: position) {
                case .events(let bytes, let position, let last):
                    place.withLock { $0 = Place(last: last ?? $0.last, position: position) }
                    return bytes
                case .behind: place.withLock { $0.position = nil }
                case .ended: return nil
                }
                continue
            }
            do throws(DatabaseError) {
                switch try await log.store.page(after: last, of: log.feed) {
                case .events(let bytes, let last):
                    place.withLock { $0.last = last }
                    if !bytes.isEmpty { return bytes }
                case .upToDate(let position, let last):
                    place.withLock { $0 = Place(last: last, position: position) }
                case .reset(let bytes, let position, let last):
                    place.withLock { $0 = Place(last: last, position: position) }
                    return bytes
                }
            } catch {
                // The client comes back, and goes on after the last event that it has seen.
                return nil
            }
        }
        return nil
    }
}
