/// A search of a domain for services by unicast DNS (RFC 6763 § 4, § 11): which questions to ask next, and
/// what the answers say.
///
/// - `<type>.<domain>` PTR has the instances; each has a SRV and a TXT record, the SRV record's target has A
///   and AAAA records. What an answer brings beside (§ 12) is not asked for again.
/// - `b._dns-sd._udp.<domain>` PTR has the domains to browse in its place (§ 11).
///
/// The domain's owner can be hostile, and so can all on the way: there are bounds on domains, instances,
/// hosts and aliases, so that no answer brings more than ``maximumQuestions`` questions. That answers belong
/// to their questions is the resolver's business.
///
/// A pure value: answers come in, questions and sightings come out.
package struct DomainSearch: Sendable {
    /// A question of class IN.
    package struct Question: Hashable, Sendable {
        package enum Kind: UInt8, Hashable, Sendable {
            case a = 1
            case ptr = 12
            case txt = 16
            case aaaa = 28
            case srv = 33
        }

        package let name: DNSName
        package let kind: Kind
    }

    package enum Answer: Hashable, Sendable {
        case message([UInt8])
        /// The name has no such record, or does not exist.
        case nothing
        case failure(ResolveError)
    }

    package static let maximumDomains = 16
    /// The most instances: as many as a table has rows.
    package static let maximumInstances = 1_024
    package static let maximumQuestions = maximumDomains * 9 + maximumInstances * 4
    package static let maximumTypes = 8

    private struct Instance {
        let seen: ServiceInstance
        var service: (target: DNSName, port: UInt16)?
        var text: [[UInt8]]?
        var isOver = false
    }

    private let types: [ServiceType]
    private let rules: HubAddressRules
    private var questions: [Question] = []
    private var open: Set<Question> = []
    private var domains: Set<DNSName> = []
    private var instances: [DNSName: Instance] = [:]
    private var addresses: [DNSName: [NetworkAddress]] = [:]
    private var faults: [DNSName: ResolveError] = [:]
    private var waiting: [DNSName: [DNSName]] = [:]

    /// Why none of the questions for instances was answered; nil if one was.
    package private(set) var failure: ResolveError?
    private var isAnswered = false
    /// True if there may be more hubs than were found: an answer did not fit, or was refused.
    package private(set) var isIncomplete = false
    /// The instances that were given up since this was emptied.
    package var unresolved: [SourceProgress.Unresolved] = []

    /// - Parameters:
    ///   - types: the service types, at most ``maximumTypes``.
    ///   - rules: which addresses a hub can have.
    package init(_ domain: DNSName, types: [ServiceType], rules: HubAddressRules) {
        (self.types, self.rules) = (Array(types.prefix(DomainSearch.maximumTypes)), rules)
        browse(domain)
        ask(DNSName(labels: DNSName.browsing.labels + domain.labels), .ptr)
    }

    /// The questions to ask now, each once. Each needs its ``take(_:of:)``.
    package mutating func takeQuestions() -> [Question] {
        defer { questions = [] }
        return questions
    }

    package var openCount: Int { open.count }

    package var isOver: Bool { open.isEmpty }

    package mutating func take(_ answer: Answer, of question: Question) -> [Sighting] {
        guard open.remove(question) != nil else { return [] }
        var records = DomainRecords()
        var fault: ResolveError?
        switch answer {
        case .nothing: break
        case .failure(let error): fault = error
        case .message(let bytes):
            if let message = try? DNSMessage(parsing: bytes, within: .unicast), message.isAnswer {
                records = DomainRecords(message)
                if message.isTruncated, question.kind == .ptr { isIncomplete = true }
            } else {
                fault = .unreadable
            }
        }
        switch question.kind {
        case .ptr:
            guard DNSName(labels: Array(question.name.labels.prefix(3))) == .browsing else {
                return announced(records, by: question.name, fault)
            }
            for domain in records.pointers(of: question.name) { browse(domain) }
            return []
        case .srv, .txt:
            guard fault == nil else { return close(question.name, fault) }
            note(question.name, records)
            // A service without a TXT record has an empty one (RFC 6763 § 6.1 asks for it; not all do it).
            if question.kind == .txt, instances[question.name]?.text == nil {
                instances[question.name]?.text = []
            }
            if question.kind == .srv, instances[question.name]?.service == nil {
                return close(question.name, .noAddress)
            }
            return advance(question.name, records)
        case .a, .aaaa:
            addresses[question.name, default: []] += found(question.name, in: records)
            if let fault { faults[question.name] = fault }
            return hostIsAnswered(question.name)
        }
    }

    private mutating func ask(_ name: DNSName, _ kind: Question.Kind) {
        let question = Question(name: name, kind: kind)
        if open.insert(question).inserted { questions.append(question) }
    }

    private mutating func browse(_ domain: DNSName) {
        guard !domain.labels.isEmpty, domain != .local, domains.count < DomainSearch.maximumDomains,
            domains.insert(domain).inserted
        else { return }
        for type in types { ask(type.name(in: domain), .ptr) }
    }

    /// The answer to a question for instances.
    private mutating func announced(
        _ records: DomainRecords, by name: DNSName, _ fault: ResolveError?
    ) -> [Sighting] {
        if let fault {
            if !isAnswered { failure = fault } else { isIncomplete = true }
            return []
        }
        if failure != nil { isIncomplete = true }
        (isAnswered, failure) = (true, nil)
        var sightings: [Sighting] = []
        for instance in records.pointers(of: name) where instances[instance] == nil {
            let ofType = types.lazy.compactMap { type in type.instance(instance).map { ($0, type) } }.first
            guard let ((label, domain), type) = ofType else { continue }
            guard instances.count < DomainSearch.maximumInstances else {
                isIncomplete = true
                break
            }
            instances[instance] = Instance(
                seen: ServiceInstance(
                    nameBytes: label, interface: .none, family: .ipv4,
                    service: type.name(in: domain).text))
            note(instance, records)
            if instances[instance]?.service == nil { ask(instance, .srv) }
            if instances[instance]?.text == nil { ask(instance, .txt) }
            sightings += advance(instance, records)
        }
        return sightings
    }

    private mutating func note(_ name: DNSName, _ records: DomainRecords) {
        if instances[name]?.service == nil { instances[name]?.service = records.service(of: name) }
        if instances[name]?.text == nil { instances[name]?.text = records.text(of: name) }
    }

    /// Asks for what an instance still lacks, or tells of it.
    private mutating func advance(_ name: DNSName, _ records: DomainRecords) -> [Sighting] {
        guard let instance = instances[name], !instance.isOver, let target = instance.service?.target
        else { return [] }
        // A target of the root says that the service is not there (RFC 2782).
        guard !target.labels.isEmpty else { return close(name, nil) }
        if addresses[target] == nil, waiting[target] == nil {
            let known = found(target, in: records)
            if known.isEmpty {
                ask(target, .a)
                ask(target, .aaaa)
            } else {
                addresses[target] = known
            }
        }
        guard instance.text != nil, !isOpen(target) else {
            waiting[target, default: []].append(name)
            return []
        }
        return tell(name)
    }

    private func isOpen(_ host: DNSName) -> Bool {
        open.contains(Question(name: host, kind: .a)) || open.contains(Question(name: host, kind: .aaaa))
    }

    private mutating func hostIsAnswered(_ host: DNSName) -> [Sighting] {
        guard !isOpen(host) else { return [] }
        return (waiting.removeValue(forKey: host) ?? []).flatMap { name in
            instances[name]?.text == nil ? [] : tell(name)
        }
    }

    /// Tells of an instance whose records are all there.
    private mutating func tell(_ name: DNSName) -> [Sighting] {
        guard let instance = instances[name], !instance.isOver, let service = instance.service else {
            return []
        }
        let all = rules.bestFirst(Set(addresses[service.target] ?? []))
        // The first that can be a hub's; if none can, its fault is told.
        let usable = all.first { (try? rules.check($0, port: service.port, of: instance.seen)) != nil }
        guard let address = usable ?? all.first else {
            return close(name, faults[service.target] ?? .noAddress)
        }
        instances[name]?.isOver = true
        let host = service.target.text
        let resolved = Sighting.found(
            ResolvedService(
                instance: instance.seen, host: host, port: service.port, address: address,
                txt: TXTRecord(strings: instance.text ?? [])), by: .announced)
        // First, so that the row is whole when it appears.
        return all.filter { $0 != address }.map { .changed($0, host: host, interface: .none) } + [resolved]
    }

    private mutating func close(_ name: DNSName, _ error: ResolveError?) -> [Sighting] {
        guard let instance = instances[name], !instance.isOver else { return [] }
        instances[name]?.isOver = true
        if let error { unresolved.append(SourceProgress.Unresolved(instance.seen, error)) }
        return []
    }

    private func found(_ host: DNSName, in records: DomainRecords) -> [NetworkAddress] {
        records.addresses(of: host).prefix(HubListing.maximumAddresses).compactMap {
            NetworkAddress(bytes: $0)
        }
    }
}
