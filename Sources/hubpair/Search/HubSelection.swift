import Discovery
import HubClient
import Identity

/// Which hubs of a search are shown: those of a name and an id, or all.
struct HubSelection: Equatable, Sendable {
    /// Their name, in any case, or its beginning.
    var name: String?
    /// What they claim, or the fingerprint of the key that they have proven.
    var id: Fingerprint?

    func fits(_ hub: DiscoveredHub) -> Bool {
        if let name, PeerSelector.rank(name, of: hub.name) == nil { return false }
        return id == nil || hub.id == id || hub.pin?.fingerprint == id
    }

    /// What an event says of them; nil if nothing.
    func of(_ event: SearchState.Event) -> SearchState.Event? {
        switch event {
        case .added(let hub), .changed(let hub), .removed(let hub): fits(hub.hub) ? event : nil
        case .table(let table): .table(table.filter { fits($0.hub) })
        case .over(let hubs): .over(hubs.filter { fits($0.hub) })
        case .unusable, .incomplete, .note, .wait, .progress: event
        }
    }
}
