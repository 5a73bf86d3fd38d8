/// The table of hubs: merges sightings (of several interfaces and address families) into one row a hub.
///
/// A pure value: time comes in as a parameter, what changed comes out. Its size is bounded, because one
/// hostile host can announce thousands of services: whatever is over the bounds is counted and dropped.
public struct HubListing: Sendable {
    /// What a sighting did to the table.
    public enum Change: Hashable, Sendable {
        /// A new row.
        case added(DiscoveredHub)
        /// The row with this key looks like this now.
        case changed(DiscoveredHub)
        /// The last announcement of this row is gone.
        case removed(DiscoveredHub)
        /// Somebody announces an address that cannot be a hub's; it is not in the table.
        case rejected(ResolvedService, HubAddressError)
        /// The table, or a row of it, is full: from now on hubs or addresses may be missing. It comes once.
        case overflowed
    }

    /// The most rows.
    public static let maximumRows = 1_024
    /// The most announcements that count in one row, and so the most addresses.
    public static let maximumAddresses = 64

    /// What can be a hub's address, and which comes first. A change counts from the next sighting on.
    public var rules: HubAddressRules
    /// How many resolved services found no place.
    public private(set) var overflowCount = 0

    // A row keeps its announcements in the order in which they came; host and TXT record are the first one's.
    private struct Row {
        var services: [ResolvedService]
        let firstSeen: Duration
        let number: Int
    }

    private var rows: [DiscoveredHub.Key: Row] = [:]
    private var keys: [ServiceInstance: DiscoveredHub.Key] = [:]
    private var nextNumber = 0

    /// An empty table on a machine that is on `networks`.
    public init(networks: [LocalNetwork]) {
        rules = HubAddressRules(networks: networks)
    }

    /// The rows, the first seen first.
    public var hubs: [DiscoveredHub] {
        rows.sorted { $0.value.number < $1.value.number }.compactMap { hub($0.key) }
    }

    /// Takes in what was seen at `time` after the start of the search.
    public mutating func apply(_ sighting: Sighting, at time: Duration) -> [Change] {
        switch sighting {
        case .resolved(let service): return resolve(service, at: time)
        case .gone(let instance): return removal(of: instance)
        case .unresolved, .settled, .flooded: return []
        }
    }

    private mutating func removal(of instance: ServiceInstance) -> [Change] {
        guard let key = keys[instance] else { return [] }
        return changes(of: [key]) { $0.remove(instance) }
    }

    private mutating func resolve(_ service: ResolvedService, at time: Duration) -> [Change] {
        let instance = service.instance
        do throws(HubAddressError) {
            try rules.check(service.address, port: service.port, on: instance.interface.name)
        } catch {
            return removal(of: instance) + [.rejected(service, error)]
        }
        let key = DiscoveredHub.Key(service)
        let old = keys[instance]
        let overflowBefore = overflowCount
        var result = changes(of: old == nil || old == key ? [key] : [old, key].compactMap(\.self)) {
            listing in
            if old != key { listing.remove(instance) }
            listing.insert(service, as: key, at: time)
        }
        if overflowBefore == 0, overflowCount > 0 { result.append(.overflowed) }
        return result
    }

    private mutating func insert(_ service: ResolvedService, as key: DiscoveredHub.Key, at time: Duration) {
        if let index = rows[key]?.services.firstIndex(where: { $0.instance == service.instance }) {
            rows[key]?.services[index] = service
            return
        }
        guard rows[key]?.services.count ?? 0 < HubListing.maximumAddresses,
            rows[key] != nil || rows.count < HubListing.maximumRows
        else {
            overflowCount += 1
            return
        }
        if rows[key] == nil {
            rows[key] = Row(services: [], firstSeen: time, number: nextNumber)
            nextNumber += 1
        }
        rows[key]?.services.append(service)
        keys[service.instance] = key
    }

    private mutating func remove(_ instance: ServiceInstance) {
        guard let key = keys.removeValue(forKey: instance) else { return }
        rows[key]?.services.removeAll { $0.instance == instance }
        if rows[key]?.services.isEmpty == true { rows[key] = nil }
    }

    /// Compares the rows with these keys before and after `body`.
    private mutating func changes(
        of keys: [DiscoveredHub.Key], body: (inout HubListing) -> Void
    ) -> [Change] {
        let before = keys.map { hub($0) }
        body(&self)
        return zip(keys, before).compactMap { key, old in
            switch (old, hub(key)) {
            case (nil, let new?): .added(new)
            case (let old?, nil): .removed(old)
            case (let old?, let new?): old == new ? nil : .changed(new)
            case (nil, nil): nil
            }
        }
    }

    private func hub(_ key: DiscoveredHub.Key) -> DiscoveredHub? {
        guard let row = rows[key], let first = row.services.first else { return nil }
        return DiscoveredHub(
            key: key, name: first.instance.name, host: first.host, port: first.port,
            addresses: rules.bestFirst(Set(row.services.map(\.address))), sources: [.mdns],
            id: first.txt.fingerprint, txt: first.txt, firstSeen: row.firstSeen
        )
    }
}
