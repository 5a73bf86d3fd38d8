/// The table of announced hubs: merges sightings (of several interfaces and address families) into one row a hub.
///
/// A pure value: time comes in as a parameter, what changed comes out. Its size is bounded, because one
/// hostile host can announce thousands of services: whatever is over the bounds is counted and dropped, and no
/// host can take the others' place.
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
        /// More services than ``maximumServicesPerAddress`` are announced at the address of this one; the others are
        /// not in the table. It comes once for each address, at most 64 times.
        case flooded(ResolvedService)
        /// The table, or a row of it, is full: from now on hubs or addresses may be missing. It comes once.
        case overflowed
    }

    /// The most rows.
    public static let maximumRows = 1_024
    /// The most announcements that count in one row, and the most addresses.
    public static let maximumAddresses = 64
    /// The most services at one address. The threat is one host that announces thousands.
    public static let maximumServicesPerAddress = 256
    /// How long a hint stays that nobody confirms: an answer to a one-shot query may live no longer
    /// (RFC 6762 § 6.7).
    public static let hintLifetime = Duration.seconds(10)

    /// What can be a hub's address, and which comes first. A change counts from the next sighting on.
    public var rules: HubAddressRules
    /// How many resolved services found no place.
    public private(set) var overflowCount = 0

    private struct Announcement {
        var service: ResolvedService
        /// When it was hinted at, if it is no more than that.
        var hinted: Duration?
    }

    // A row keeps its announcements in the order in which they came; host and TXT record are the first one's.
    private struct Row {
        var announcements: [Announcement]
        let firstSeen: Duration
        let number: Int

        func index(of instance: ServiceInstance) -> Int? {
            announcements.firstIndex { $0.service.instance == instance }
        }

        func isConfirmed(_ instance: ServiceInstance) -> Bool {
            announcements.contains { $0.service.instance == instance && $0.hinted == nil }
        }
    }

    private struct Host: Hashable {
        let name: String
        let interface: NetworkInterface
    }

    private var rows: [DiscoveredHub.Key: Row] = [:]
    private var keys: [ServiceInstance: DiscoveredHub.Key] = [:]
    private var hosts: [Host: Set<NetworkAddress>] = [:]
    private var serviceCounts: [NetworkAddress: Int] = [:]
    private var flooding: Set<NetworkAddress> = []
    private var nextNumber = 0

    /// An empty table on a machine that is on `networks`.
    public init(networks: [LocalNetwork]) {
        rules = HubAddressRules(networks: networks)
    }

    /// The rows, the first seen first.
    public var hubs: [DiscoveredHub] {
        rows.sorted { $0.value.number < $1.value.number }.compactMap { hub($0.key) }
    }

    /// True if a service is in the table that nothing but a hint speaks for.
    public var hasHints: Bool {
        rows.values.contains { $0.announcements.contains { $0.hinted != nil } }
    }

    /// Takes in what was seen at `time` after the start of the search.
    public mutating func apply(_ sighting: Sighting, at time: Duration) -> [Change] {
        switch sighting {
        case .resolved(let service): return resolve(service, hinted: nil, at: time)
        case .hinted(let service):
            if let key = keys[service.instance], rows[key]?.isConfirmed(service.instance) == true {
                return []
            }
            return resolve(service, hinted: time, at: time)
        case .gone(let instance): return removal(of: instance)
        case .address(let address, let name, let interface):
            return addresses(of: Host(name: name.lowercased(), interface: interface)) { addresses in
                if addresses.count < HubListing.maximumAddresses { addresses.insert(address) }
            }
        case .addressGone(let address, let name, let interface):
            return addresses(of: Host(name: name.lowercased(), interface: interface)) { addresses in
                addresses.remove(address)
            }
        case .began, .withoutDaemon, .unresolved, .settled, .flooded, .pending, .lossy, .interrupted,
            .resumed:
            return []
        }
    }

    /// Drops the hints that nobody has confirmed within ``hintLifetime``.
    public mutating func expireHints(at time: Duration) -> [Change] {
        let old = rows.values.flatMap(\.announcements).filter { announcement in
            announcement.hinted.map { time - $0 >= HubListing.hintLifetime } ?? false
        }
        return old.flatMap { removal(of: $0.service.instance) }
    }

    private mutating func removal(of instance: ServiceInstance) -> [Change] {
        guard let key = keys[instance] else { return [] }
        return changes(of: [key]) { $0.remove(instance) }
    }

    private mutating func addresses(
        of host: Host, change: (inout Set<NetworkAddress>) -> Void
    ) -> [Change] {
        guard hosts[host] != nil || hosts.count < HubListing.maximumRows else { return [] }
        let affected = rows.filter { key, row in
            key.host == host.name
                && row.announcements.contains { $0.service.instance.interface == host.interface }
        }.map(\.key)
        return changes(of: affected) { listing in
            var addresses = listing.hosts[host] ?? []
            change(&addresses)
            listing.hosts[host] = addresses.isEmpty ? nil : addresses
        }
    }

    private mutating func resolve(_ service: ResolvedService, hinted: Duration?, at time: Duration)
        -> [Change]
    {
        let instance = service.instance
        do throws(HubAddressError) {
            try rules.check(service.address, port: service.port, on: instance.interface.name)
        } catch {
            return removal(of: instance) + [.rejected(service, error)]
        }
        let key = DiscoveredHub.Key(service)
        let old = keys[instance]
        if old != key, serviceCounts[service.address, default: 0] >= HubListing.maximumServicesPerAddress {
            let isNews = flooding.count < 64 && flooding.insert(service.address).inserted
            return removal(of: instance) + (isNews ? [.flooded(service)] : [])
        }
        let overflowBefore = overflowCount
        let announcement = Announcement(service: service, hinted: hinted)
        var result = changes(of: old == nil || old == key ? [key] : [old, key].compactMap(\.self)) {
            listing in
            if old != key { listing.remove(instance) }
            listing.insert(announcement, as: key, at: time)
        }
        if overflowBefore == 0, overflowCount > 0 { result.append(.overflowed) }
        return result
    }

    private mutating func insert(_ announcement: Announcement, as key: DiscoveredHub.Key, at time: Duration) {
        let service = announcement.service
        if let index = rows[key]?.index(of: service.instance) {
            if let old = rows[key]?.announcements[index].service { count(old, -1) }
            rows[key]?.announcements[index] = announcement
            count(service, 1)
            return
        }
        guard rows[key]?.announcements.count ?? 0 < HubListing.maximumAddresses,
            rows[key] != nil || rows.count < HubListing.maximumRows
        else {
            overflowCount += 1
            return
        }
        if rows[key] == nil {
            rows[key] = Row(announcements: [], firstSeen: time, number: nextNumber)
            nextNumber += 1
        }
        rows[key]?.announcements.append(announcement)
        keys[service.instance] = key
        count(service, 1)
    }

    private mutating func remove(_ instance: ServiceInstance) {
        guard let key = keys.removeValue(forKey: instance), let index = rows[key]?.index(of: instance),
            let service = rows[key]?.announcements.remove(at: index).service
        else { return }
        count(service, -1)
        if rows[key]?.announcements.isEmpty == true { rows[key] = nil }
    }

    private mutating func count(_ service: ResolvedService, _ change: Int) {
        let count = serviceCounts[service.address, default: 0] + change
        serviceCounts[service.address] = count > 0 ? count : nil
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
        guard let row = rows[key], let first = row.announcements.first?.service else { return nil }
        var addresses = Set(row.announcements.map(\.service.address))
        for interface in Set(row.announcements.map(\.service.instance.interface)) {
            for address in hosts[Host(name: key.host, interface: interface)] ?? []
            where (try? rules.check(address, port: key.port, on: interface.name)) != nil {
                addresses.insert(address)
            }
        }
        return DiscoveredHub(
            key: key, name: first.instance.name, host: first.host, port: first.port,
            addresses: Array(rules.bestFirst(addresses).prefix(HubListing.maximumAddresses)),
            sources: [.mdns],
            id: first.txt.fingerprint, pin: nil, txt: first.txt, firstSeen: row.firstSeen
        )
    }
}
