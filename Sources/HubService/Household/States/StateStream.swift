import Household
import Synchronization

/// The stream of states for one watcher: what it has missed from the database, then what comes from the feed.
///
/// Events: `state` with a change; `reset` with all states, at the start and whenever what was missed is not
/// kept any more.
final class StateStream: HubEvents {
    private struct Place {
        /// The last change that was sent; nil before the first event.
        var last: EventID?
        /// The position in the feed; nil while the database is read.
        var position: Int?
    }

    private let store: StateStore
    private let poller: StatePoller
    /// Keeps the poller going.
    private let watching: StatePoller.Watching
    private let place: Mutex<Place>

    /// - Parameter last: the last event that the client has seen.
    init(_ store: StateStore, _ poller: StatePoller, after last: EventID?) {
        (self.store, self.poller) = (store, poller)
        watching = poller.watch()
        place = Mutex(Place(last: last))
    }

    func next() async -> [UInt8]? {
        while !Task.isCancelled {
            let (last, position) = place.withLock { ($0.last, $0.position) }
            if let position {
                switch await store.feed.next(after: position) {
                case .events(let bytes, let position, let last):
                    place.withLock { place in
                        place.position = position
                        place.last = last ?? place.last
                    }
                    return bytes
                case .behind: place.withLock { $0.position = nil }
                case .ended: return nil
                }
                continue
            }
            do throws(DatabaseError) {
                switch try await store.page(after: last) {
                case .events(let bytes, let last):
                    place.withLock { $0.last = last }
                    return bytes
                case .upToDate(let position): place.withLock { $0.position = position }
                case .reset(let bytes, let position, let id):
                    place.withLock { place in
                        place.position = position
                        place.last = id
                    }
                    return bytes
                }
            } catch {
                // Without the database the states are told as they are, and the changes as they come.
                let position = store.feed.end
                place.withLock { $0.position = position }
                return store.allStates(await poller.report().states)
            }
        }
        return nil
    }
}
