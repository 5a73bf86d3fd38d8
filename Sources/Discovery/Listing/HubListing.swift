/// The table of announced hubs. It merges the sightings of several interfaces and address families into one
/// row per hub.
///
/// A pure value: the time is a parameter, and changes are returned. Its size is bounded, because one hostile
/// host can announce thousands of services. It never goes deaf: what is new takes the place of what was heard
/// of first, at the address with the most.
public struct HubListing: Sendable {
    /// A change of the table that a sighting causes.
    public enum Change: Hashable, Sendable {
        /// A row was added.
        case added(DiscoveredHub)
        /// The row with this key has changed; the new content.
        case changed(DiscoveredHub)
        /// The last announcement of this row has gone; the row's last content.
        case removed(DiscoveredHub)
        /// A service was announced with an address that cannot belong to a hub. It is not in the table.
        case rejected(ResolvedService, HubAddressError)
        /// More services than ``maximumServicesPerAddress`` are announced at this service's address. The
        /// excess is not in the table until others of them are gone. Reported once per address, at most for
        /// 64 addresses.
        case flooded(ResolvedService)
        /// The table or one of its rows is full, so hubs or addresses may be missing from now on: the oldest
        /// rows have made room. Reported once.
        case overflowed
    }

    /// The maximum number of rows, if nothing else is said. The threat is a host that announces ever new
    /// names under ever new addresses.
    public static let maximumRows = 2_048
    /// How many rows make room at a time: to find the oldest means to look at all.
    static let roomAtATime = 64
    /// The maximum number of announcements per row, and of addresses per row.
    public static let maximumAddresses = 64
    /// The maximum number of services at one address. The threat is one host that announces thousands.
    public static let maximumServicesPerAddress = 256
    /// How long an unconfirmed hint stays in the table: a record in an answer to a one-shot query must not be
    /// cached for longer (RFC 6762 § 6.7).
    public static let hintLifetime = Duration.seconds(10)

    /// The rules that accept and sort addresses. A change takes effect with the next sighting.
    public var rules: HubAddressRules
    /// The number of rows and announcements that were dropped because the table was full.
    public private(set) var overflowCount = 0

    private struct Announcement {
        var service: ResolvedService
        /// When the hint arrived; nil once the service is confirmed.
        var hinted: Duration?
    }

    // Announcements are in order of arrival; the row's host and TXT record are those of the first.
    private struct Row {
        var announcements: [Announcement]
        let firstSeen: Duration
        let number: Int
        /// What the announcements make; built again whenever one of them changes, and not for every look.
        var hub: DiscoveredHub?

        func index(of instance: ServiceInstance) -> Int? {
            announcements.firstIndex { $0.service.instance == instance }
        }

        func isConfirmed(_ instance: ServiceInstance) -> Bool {
            announcements.contains { $0.service.instance == instance && $0.hinted == nil }
        }
    }

    /// The addresses of a host on an interface, by its A and AAAA records.
    private struct Records: Equatable {
        var addresses: Set<NetworkAddress> = []
        /// Those that it had: a service may still name one of them.
        var gone: Set<NetworkAddress> = []
    }

    private typealias Host = HostAddresses.Host

    private var rows: [DiscoveredHub.Key: Row] = [:]
    private var keys: [ServiceInstance: DiscoveredHub.Key] = [:]
    private var hosts: [Host: Records] = [:]
    private var keysOfHosts: [String: Set<DiscoveredHub.Key>] = [:]
    private var hostOrder = Queue<Host>()
    /// How many announcements of each row name this address: a hub counts once, in however many families and
    /// on however many interfaces it is announced.
    private var services: [NetworkAddress: [DiscoveredHub.Key: Int]] = [:]
    private var flooding: Set<NetworkAddress> = []
    /// What came last of those that their address has no room for: they come in as soon as it has.
    private var leftOut: [ServiceInstance: Announcement] = [:]
    private var leftOutOrder = Seniority<ServiceInstance>()
    private var nextNumber = 0
    /// No hint is older.
    private var oldestHint: Duration?

    private let capacity: Int

    /// Creates an empty table for a machine that is connected to `networks`, of at most `capacity` rows, and
    /// as many hosts whose addresses are kept; the oldest give way.
    public init(networks: [LocalNetwork], capacity: Int = HubListing.maximumRows) {
        (rules, self.capacity) = (HubAddressRules(networks: networks), capacity)
    }

    /// The rows in the order in which they were first seen.
    public var hubs: [DiscoveredHub] {
        rows.values.sorted { $0.number < $1.number }.compactMap(\.hub)
    }

    /// True if the table holds a service that is only hinted at.
    public var hasHints: Bool {
        rows.values.contains { $0.announcements.contains { $0.hinted != nil } }
    }

    package var hintedNames: [String] {
        let hints = rows.values.flatMap(\.announcements).filter { $0.hinted != nil }
        return Array(Set(hints.map(\.service.instance.name)))
    }

    package var unconfirmedNames: Set<String> {
        Set(rows.values.filter { $0.announcements.allSatisfy { $0.hinted != nil } }.compactMap(\.hub?.name))
    }

    /// Applies a sighting; `time` is the time since the start of the search.
    public mutating func apply(_ sighting: Sighting, at time: Duration) -> [Change] {
        switch sighting {
        case .found(let service, .announced): return resolve(service, hinted: nil, at: time)
        case .found(let service, .heard), .found(let service, .direct):
            if let key = keys[service.instance], rows[key]?.isConfirmed(service.instance) == true {
                return []
            }
            return resolve(service, hinted: time, at: time)
        case .gone(.service(let instance)): return removal(of: instance) + comeIn(at: time)
        case .changed(let address, let name, let interface):
            return addresses(of: Host(name: name.lowercased(), interface: interface)) { records in
                records.gone.remove(address)
                if records.addresses.count < HubListing.maximumAddresses { records.addresses.insert(address) }
            }
        case .gone(.address(let address, let name, let interface)):
            return addresses(of: Host(name: name.lowercased(), interface: interface)) { records in
                records.addresses.remove(address)
                if records.gone.count < HubListing.maximumAddresses { records.gone.insert(address) }
            }
        case .proven, .quiet: return []
        }
    }

    /// Removes the hints that were not confirmed within ``hintLifetime``.
    public mutating func expireHints(at time: Duration) -> [Change] {
        guard let oldestHint, time - oldestHint >= HubListing.hintLifetime else { return [] }
        var old: [ServiceInstance] = []
        self.oldestHint = nil
        for announcement in rows.values.flatMap(\.announcements) {
            guard let hinted = announcement.hinted else { continue }
            if time - hinted >= HubListing.hintLifetime {
                old.append(announcement.service.instance)
            } else {
                self.oldestHint = min(self.oldestHint ?? hinted, hinted)
            }
        }
        return old.flatMap { removal(of: $0) }
    }

    private mutating func removal(of instance: ServiceInstance) -> [Change] {
        if leftOutOrder.remove(instance) { leftOut[instance] = nil }
        guard let key = keys[instance] else { return [] }
        return changes(of: [key]) { $0.remove(instance) }
    }

    /// Those that were left out, where there is room for them now.
    private mutating func comeIn(at time: Duration) -> [Change] {
        let ready = leftOut.values.filter { !isFull($0.service.address, without: .init($0.service)) }
        return ready.flatMap { resolve($0.service, hinted: $0.hinted, at: time) }
    }

    private mutating func leaveOut(_ announcement: Announcement) {
        let instance = announcement.service.instance
        leftOutOrder.insert(instance)
        leftOut[instance] = announcement
        if leftOut.count > HubListing.maximumServicesPerAddress, let oldest = leftOutOrder.removeOldest() {
            leftOut[oldest] = nil
        }
    }

    private mutating func addresses(
        of host: Host, change: (inout Records) -> Void
    ) -> [Change] {
        // An answer to a one-shot query and the stack say the same.
        let before = hosts[host]
        var records = before ?? Records()
        change(&records)
        guard records != before else { return [] }
        var oldest: Host?
        if before == nil {
            // The oldest gives way: a new one must not go unheard because there were many.
            if hosts.count >= capacity { oldest = oldestHost() }
            hostOrder.append(host)
        }
        return changes(of: keys(on: host) + (oldest.map { keys(on: $0) } ?? [])) { listing in
            if let oldest { listing.hosts[oldest] = nil }
            listing.hosts[host] = records
        }
    }

    /// Of those without a row, if there are any among the oldest.
    private mutating func oldestHost() -> Host? {
        for _ in 0..<HubListing.roomAtATime {
            guard let host = hostOrder.next() else { return nil }
            guard keysOfHosts[host.name] != nil else { return host }
            hostOrder.append(host)
        }
        return hostOrder.next()
    }

    private func keys(on host: Host) -> [DiscoveredHub.Key] {
        (keysOfHosts[host.name] ?? []).filter { key in
            rows[key]?.announcements.contains { $0.service.instance.interface == host.interface } == true
        }
    }

    private mutating func resolve(_ service: ResolvedService, hinted: Duration?, at time: Duration)
        -> [Change]
    {
        let instance = service.instance
        do throws(HubAddressError) {
            try rules.check(service.address, port: service.port, of: instance)
        } catch {
            return removal(of: instance) + [.rejected(service, error)]
        }
        let key = DiscoveredHub.Key(service)
        let old = keys[instance]
        if old != key, isFull(service.address, without: key) {
            let isNews = flooding.count < 64 && flooding.insert(service.address).inserted
            let removed = removal(of: instance)
            leaveOut(Announcement(service: service, hinted: hinted))
            return removed + (isNews ? [.flooded(service)] : [])
        }
        if leftOutOrder.remove(instance) { leftOut[instance] = nil }
        if let hinted { oldestHint = oldestHint.map { min($0, hinted) } ?? hinted }
        let overflowBefore = overflowCount
        let announcement = Announcement(service: service, hinted: hinted)
        var result = rows[key] == nil ? makeRoom() : []
        result += changes(of: old == nil || old == key ? [key] : [old, key].compactMap(\.self)) { listing in
            if old != key { listing.remove(instance) }
            let host = Host(name: key.host, interface: instance.interface)
            listing.hosts[host]?.gone.remove(service.address)
            listing.insert(announcement, as: key, at: time)
        }
        if overflowBefore == 0, overflowCount > 0 { result.append(.overflowed) }
        return result
    }

    private func isFull(_ address: NetworkAddress, without key: DiscoveredHub.Key) -> Bool {
        guard let there = services[address], there[key] == nil else { return false }
        return there.count >= HubListing.maximumServicesPerAddress
    }

    private mutating func insert(_ announcement: Announcement, as key: DiscoveredHub.Key, at time: Duration) {
        let service = announcement.service
        if let index = rows[key]?.index(of: service.instance) {
            if let old = rows[key]?.announcements[index].service { count(old, -1, of: key) }
            rows[key]?.announcements[index] = announcement
            count(service, 1, of: key)
            return
        }
        guard rows[key]?.announcements.count ?? 0 < HubListing.maximumAddresses else {
            overflowCount += 1
            return
        }
        if rows[key] == nil {
            keysOfHosts[key.host, default: []].insert(key)
            rows[key] = Row(announcements: [], firstSeen: time, number: nextNumber)
            nextNumber += 1
        }
        rows[key]?.announcements.append(announcement)
        keys[service.instance] = key
        count(service, 1, of: key)
    }

    private mutating func remove(_ instance: ServiceInstance) {
        guard let key = keys.removeValue(forKey: instance), let index = rows[key]?.index(of: instance),
            let service = rows[key]?.announcements.remove(at: index).service
        else { return }
        count(service, -1, of: key)
        if rows[key]?.announcements.isEmpty == true { drop(key) }
    }

    private mutating func drop(_ key: DiscoveredHub.Key) {
        rows[key] = nil
        keysOfHosts[key.host]?.remove(key)
        if keysOfHosts[key.host]?.isEmpty == true { keysOfHosts[key.host] = nil }
    }

    /// If the table is full, the oldest rows go: those of the address with the most, if that has many, so
    /// that a flood takes its own places.
    private mutating func makeRoom() -> [Change] {
        guard rows.count >= capacity else { return [] }
        let most = services.values.max { $0.count < $1.count }.map { Array($0.keys) } ?? []
        let candidates = most.count >= HubListing.roomAtATime ? most : Array(rows.keys)
        let oldest = candidates.compactMap { key in rows[key].map { (key: key, number: $0.number) } }
            .sorted { $0.number < $1.number }.prefix(HubListing.roomAtATime).map { $0.key }
        overflowCount += oldest.count
        return changes(of: oldest) { listing in
            for instance in oldest.flatMap({ key in
                listing.rows[key]?.announcements.map(\.service.instance) ?? []
            }) {
                listing.remove(instance)
            }
        }
    }

    /// How many entries it holds of all kinds: what grows without a bound would be seen here.
    var entryCount: Int {
        rows.values.reduce(0) { $0 + $1.announcements.count } + keys.count + hosts.count + services.count
            + keysOfHosts.values.reduce(0) { $0 + $1.count } + hostOrder.count + flooding.count
            + leftOut.count + leftOutOrder.entryCount
    }

    private mutating func count(_ service: ResolvedService, _ change: Int, of key: DiscoveredHub.Key) {
        let count = services[service.address]?[key] ?? 0
        services[service.address, default: [:]][key] = count + change > 0 ? count + change : nil
        if services[service.address]?.isEmpty == true { services[service.address] = nil }
    }

    /// Runs `body` and returns the changes that it makes to the rows with these keys.
    private mutating func changes(
        of keys: [DiscoveredHub.Key], body: (inout HubListing) -> Void
    ) -> [Change] {
        let before = keys.map { rows[$0]?.hub }
        body(&self)
        return zip(keys, before).compactMap { key, old in
            let new = hub(key)
            rows[key]?.hub = new
            return switch (old, new) {
            case (nil, let new?): .added(new)
            case (let old?, nil): .removed(old)
            case (let old?, let new?): old == new ? nil : .changed(new)
            case (nil, nil): nil
            }
        }
    }

    private func hub(_ key: DiscoveredHub.Key) -> DiscoveredHub? {
        guard let row = rows[key], let first = row.announcements.first?.service else { return nil }
        // A service names the address that it was resolved to, though its host may have another by now.
        let named = Set(row.announcements.map(\.service.address))
        var addresses = Set(
            row.announcements.map(\.service).filter { service in
                let host = Host(name: key.host, interface: service.instance.interface)
                return hosts[host]?.gone.contains(service.address) != true
            }.map(\.address))
        // On each interface that it was seen on, once.
        var interfaces: Set<NetworkInterface> = []
        for instance in row.announcements.map(\.service.instance)
        where interfaces.insert(instance.interface).inserted {
            for address in hosts[Host(name: key.host, interface: instance.interface)]?.addresses ?? []
            where (try? rules.check(address, port: key.port, of: instance)) != nil {
                addresses.insert(address)
            }
        }
        if addresses.isEmpty { addresses = named }
        // This machine has an address of another interface, such as docker's, and so has the host, which
        // tells all of its own: to connect there is to connect to this machine.
        let others = addresses.filter { !rules.isOwn($0, elsewhereThanOn: interfaces) }
        if !others.isEmpty { addresses = others }
        return DiscoveredHub(
            key: key, name: first.instance.name, host: first.host, port: first.port,
            addresses: Array(rules.bestFirst(addresses).prefix(HubListing.maximumAddresses)),
            sources: Set(row.announcements.map { $0.service.instance.isUnicast ? .dns : .mdns }),
            id: first.txt.fingerprint, pin: nil, txt: first.txt, firstSeen: row.firstSeen
        )
    }
}
