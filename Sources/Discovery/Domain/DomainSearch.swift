/// A search of a domain for services by unicast DNS (RFC 6763 § 4, § 11).
///
/// - `<type>.<domain>` PTR has the instances; each has a SRV and a TXT record, the SRV record's target has A
///   and AAAA records. What an answer brings beside (§ 12) is not asked for again.
/// - `b._dns-sd._udp.<domain>` PTR has the domains to browse in its place (§ 11).
///
/// The domain's owner can be hostile, and so can all on the way: there are bounds on domains, instances and
/// aliases, and each name is asked for once, so that no answer brings questions without end. That answers
/// belong to their questions is the resolver's business.
package actor DomainSearch {
    /// A question of class IN.
    package struct Question: Hashable, Sendable {
        package let name: DNSName
        package let kind: RecordType
    }

    /// Gives the message that answers a question; nil: the name has no such record, or does not exist.
    package typealias Ask = @Sendable (Question) async throws(ResolveError) -> [UInt8]?

    /// Those of an organisation that has cut 10,000 hubs into zones of 100, and some.
    package static let maximumDomains = 128
    package static let maximumInstances = BrowseBook.maximumInstances
    package static let maximumTypes = 8

    private let types: [ServiceType]
    private let rules: HubAddressRules
    private let maximumInstances: Int
    private let ask: Ask
    private let report: @Sendable (Sighting) -> Void
    private var progress: SourceProgress
    private var domains: Set<DNSName> = []
    private var instances: Set<DNSName> = []
    /// Their addresses, and why some may be missing.
    private var hosts: [DNSName: (addresses: [NetworkAddress], fault: ResolveError?)] = [:]
    /// Hosts that are being asked for, and who waits for them, too.
    private var waiting: [DNSName: [CheckedContinuation<Void, Never>]] = [:]
    private var isAnswered = false

    /// Why none of the questions for instances was answered; nil if one was.
    package private(set) var failure: ResolveError?
    /// True if there may be more hubs than were found: an answer did not fit, or was refused.
    package private(set) var isIncomplete = false
    /// What was told to be there.
    package private(set) var present: Set<Sighting.Gone> = []
    /// The instances whose address did not come.
    package private(set) var unresolved: Set<ServiceInstance> = []

    /// - Parameters:
    ///   - types: the service types, at most ``maximumTypes``.
    ///   - rules: which addresses a hub can have.
    ///   - progress: what is said of this source beside the last instance without an address.
    package init(
        types: [ServiceType], rules: HubAddressRules, progress: SourceProgress = SourceProgress(),
        maximumInstances: Int = DomainSearch.maximumInstances,
        ask: @escaping Ask, report: @escaping @Sendable (Sighting) -> Void
    ) {
        (self.types, self.rules) = (Array(types.prefix(DomainSearch.maximumTypes)), rules)
        (self.progress, self.maximumInstances) = (progress, maximumInstances)
        (self.ask, self.report) = (ask, report)
    }

    /// Returns once all is answered, or its task is cancelled and the questions end.
    package func run(_ domain: DNSName) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.browse(domain) }
            let name = DNSName(labels: DNSName.browsing.labels + domain.labels)
            for other in (try? await lookUp(name, .ptr).get())?.pointers(of: name) ?? [] {
                group.addTask { await self.browse(other) }
            }
        }
    }

    private func browse(_ domain: DNSName) async {
        guard !domain.labels.isEmpty, domain != .local, domains.count < DomainSearch.maximumDomains,
            domains.insert(domain).inserted
        else { return }
        await withDiscardingTaskGroup { group in
            for type in types { group.addTask { await self.resolveAll(type.name(in: domain)) } }
        }
    }

    /// The instances that the PTR records of `name` name.
    private func resolveAll(_ name: DNSName) async {
        let records: DomainRecords
        do throws(ResolveError) {
            records = try await lookUp(name, .ptr).get()
        } catch {
            if isAnswered { isIncomplete = true } else { failure = error }
            return
        }
        if failure != nil { isIncomplete = true }
        (isAnswered, failure) = (true, nil)
        await withDiscardingTaskGroup { group in
            for instance in records.pointers(of: name) where !instances.contains(instance) {
                let ofType = types.lazy.compactMap { type in type.instance(instance).map { ($0, type) } }
                guard let ((label, domain), type) = ofType.first else { continue }
                guard instances.count < maximumInstances else { return isIncomplete = true }
                instances.insert(instance)
                let seen = ServiceInstance(
                    nameBytes: label, interface: .none, family: .ipv4, service: type.name(in: domain).text)
                group.addTask { await self.resolve(instance, as: seen, records) }
            }
        }
    }

    private func resolve(_ name: DNSName, as seen: ServiceInstance, _ known: DomainRecords) async {
        do throws(ResolveError) {
            async let text = known.text(of: name) == nil ? lookUp(name, .txt) : .success(known)
            let records = known.service(of: name) == nil ? try await lookUp(name, .srv).get() : known
            guard let service = records.service(of: name) else { throw .noAddress }
            // A target of the root says that the service is not there (RFC 2782).
            guard !service.target.labels.isEmpty else { return }
            // A service without a TXT record has an empty one (RFC 6763 § 6.1 asks for it; not all do it).
            let strings = try await text.get().text(of: name) ?? []
            let (addresses, fault) = await addresses(of: service.target, records)
            let all = rules.bestFirst(Set(addresses))
            // The first that can be a hub's; if none can, its fault is told.
            let usable = all.first { (try? rules.check($0, port: service.port, of: seen)) != nil }
            guard let address = usable ?? all.first else { throw fault ?? .noAddress }
            let host = service.target.text
            // First, so that the row is whole when it appears.
            for other in all where other != address {
                present.insert(.address(other, host: host, interface: .none))
                report(.changed(other, host: host, interface: .none))
            }
            present.insert(.service(seen))
            let resolved = ResolvedService(
                instance: seen, host: host, port: service.port, address: address,
                txt: TXTRecord(strings: strings))
            report(.found(resolved, by: .announced))
        } catch {
            unresolved.insert(seen)
            progress.unresolved = SourceProgress.Unresolved(seen, error)
            report(.quiet(progress))
        }
    }

    /// The addresses of a host, which many services may have: it is asked for once.
    private func addresses(
        of host: DNSName, _ known: DomainRecords
    ) async -> (addresses: [NetworkAddress], fault: ResolveError?) {
        if waiting[host] != nil { await withCheckedContinuation { waiting[host]?.append($0) } }
        if let known = hosts[host] { return known }
        var (found, fault) = (known.addresses(of: host), nil as ResolveError?)
        if found.isEmpty {
            waiting[host] = []
            async let ipv4 = lookUp(host, .a)
            async let ipv6 = lookUp(host, .aaaa)
            for result in await [ipv4, ipv6] {
                switch result {
                case .success(let records): found += records.addresses(of: host)
                case .failure(let error): fault = error
                }
            }
        }
        hosts[host] = (found, fault)
        for other in waiting.removeValue(forKey: host) ?? [] { other.resume() }
        return (found, fault)
    }

    private func lookUp(
        _ name: DNSName, _ kind: RecordType
    ) async -> Result<DomainRecords, ResolveError> {
        do throws(ResolveError) {
            guard let bytes = try await ask(Question(name: name, kind: kind)) else {
                return .success(DomainRecords())
            }
            guard let message = try? DNSMessage(parsing: bytes, within: .unicast), message.isAnswer else {
                return .failure(.unreadable)
            }
            if message.isTruncated, kind == .ptr { isIncomplete = true }
            return .success(DomainRecords(message))
        } catch {
            return .failure(error)
        }
    }
}
