/// What the messages of one interface say of the services of one type, joined: a host with many services says
/// them in many messages, and its address in one of them, which counts for all (RFC 6762 § 10: records are of
/// a name, whichever message brings them). What a service still lacks then is to be asked for.
///
/// Anybody on the link can say anything: there are bounds on services, hosts and questions, and what is the
/// oldest gives way.
///
/// A pure value: messages and times come in, services and questions come out.
package struct HeardRecords: Sendable {
    /// The type of a record that is asked for.
    package typealias Question = DomainSearch.Question

    /// A service that is complete, and how it came.
    package struct Found: Hashable, Sendable {
        package let hint: ServiceHint
        package let family: NetworkAddress.Family
        /// It is new, or other than before.
        package let isNews: Bool
    }

    /// The most services of an interface, in a family, and the most hosts.
    static let maximumServices = 4_096
    /// When a record that lacks is asked for, since the service was first heard: the messages of one host
    /// come within some milliseconds of each other; then the answer may have been lost, again and again. A
    /// search that lasts longer than that has asked often enough.
    static let askingTimes: [Duration] = [
        .milliseconds(40), .milliseconds(160), .milliseconds(400), .milliseconds(1_000), .milliseconds(2_200),
    ]
    /// A service whose TXT record nobody tells after so many questions, and the time for an answer (RFC 6762
    /// § 6), has none, though it should (RFC 6763 § 6.1).
    static let questionsForText = 3
    static let answerTime = Duration.milliseconds(150)
    /// So often the address in the other family is asked for: most that lack it have none.
    static let questionsForFamily = 2
    /// The most questions in all; the threat is a host that names thousands of services.
    static let maximumQuestions = 8_192
    /// In one message: so many answers fit into one.
    static let questionsPerMessage = 8

    private struct Service {
        let name: DNSName
        let label: [UInt8]
        let first: ContinuousClock.Instant
        var place: (target: DNSName, port: UInt16)?
        var text: [[UInt8]]?
        var rounds = 0
        var lastAsked: ContinuousClock.Instant?
        /// What was told of it, by the family of the messages that announced it.
        var told: [NetworkAddress.Family: ServiceHint?] = [:]
    }

    private let type: DNSName
    /// The families in which this machine can connect there.
    private let families: Set<NetworkAddress.Family>
    private var services: [DNSName: Service] = [:]
    private var addresses: [DNSName: [[UInt8]]] = [:]
    /// Those of the services that are announced and lack something.
    private var lacking: Set<DNSName> = []
    private var order = Queue<DNSName>()
    private var hostOrder = Queue<DNSName>()
    private var askedCount = 0

    package init(type: DNSName, families: Set<NetworkAddress.Family>) {
        (self.type, self.families) = (type, families)
    }

    /// Reads a message that came over `family`: the complete services that it says something of.
    package mutating func take(
        _ message: DNSMessage, over family: NetworkAddress.Family, at now: ContinuousClock.Instant
    ) -> [Found] {
        guard message.isAnswer else { return [] }
        var touched: [DNSName] = []
        var hosts: Set<DNSName> = []
        var seen: Set<DNSName> = []
        func touch(_ name: DNSName) { if seen.insert(name).inserted { touched.append(name) } }
        // Within a message the first record of a kind counts.
        var said: Set<Question> = []
        for record in message.records {
            switch record.data {
            case .pointer(let name):
                guard record.name == type, let label = name.instance(of: type) else { continue }
                guard record.timeToLive > 0 else {
                    services[name]?.told[family] = nil
                    continue
                }
                keep(name, label, at: now)
                if services[name]?.told[family] == nil { services[name]?.told[family] = .some(nil) }
                touch(name)
            case .service(let target, let port):
                guard let label = record.name.instance(of: type),
                    said.insert(Question(name: record.name, kind: .srv)).inserted
                else { continue }
                keep(record.name, label, at: now)
                services[record.name]?.place = record.timeToLive > 0 ? (target, port) : nil
                touch(record.name)
            case .text(let strings):
                guard let label = record.name.instance(of: type),
                    said.insert(Question(name: record.name, kind: .txt)).inserted
                else { continue }
                keep(record.name, label, at: now)
                services[record.name]?.text = record.timeToLive > 0 ? strings : nil
                touch(record.name)
            case .absence(let types):
                guard !types.contains(RecordType.txt), let service = services[record.name],
                    service.text == nil
                else { continue }
                services[record.name]?.text = []
                touch(record.name)
            case .address(let bytes):
                if note(bytes, of: record.name, isGone: record.timeToLive == 0) { hosts.insert(record.name) }
            case .alias: continue  // following an alias is the stack's business
            }
        }
        if !hosts.isEmpty {
            for (name, service) in services where service.place.map({ hosts.contains($0.target) }) == true {
                touch(name)
            }
        }
        let complete = touched.flatMap { found($0) }
        touched.forEach { check($0) }
        return complete
    }

    private mutating func check(_ name: DNSName) {
        if services[name].flatMap({ time(of: $0) }) == nil {
            lacking.remove(name)
        } else {
            lacking.insert(name)
        }
    }

    /// When something is to be asked or given up next; nil if nothing is.
    package var nextTime: ContinuousClock.Instant? {
        lacking.lazy.compactMap { name in services[name].flatMap { time(of: $0) } }.min()
    }

    /// What is to be asked at `now`, a message each, and what became complete as its TXT record is given up.
    package mutating func pursue(at now: ContinuousClock.Instant) -> (questions: [[Question]], found: [Found])
    {
        var all: [Question] = []
        var asked: Set<Question> = []
        var found: [Found] = []
        for name in lacking {
            guard let service = services[name], let time = time(of: service) else {
                lacking.remove(name)
                continue
            }
            guard time <= now else { continue }
            defer { check(name) }
            if service.text == nil, service.place != nil, isTextGivenUp(service, at: now) {
                services[name]?.text = []
                found += self.found(name)
            }
            guard service.rounds < HeardRecords.askingTimes.count,
                service.first + HeardRecords.askingTimes[service.rounds] <= now
            else { continue }
            services[name]?.rounds += 1
            services[name]?.lastAsked = now
            for question in lacks(service) where askedCount < HeardRecords.maximumQuestions {
                guard asked.insert(question).inserted else { continue }
                all.append(question)
                askedCount += 1
            }
        }
        let messages = stride(from: 0, to: all.count, by: HeardRecords.questionsPerMessage).map {
            Array(all[$0..<min($0 + HeardRecords.questionsPerMessage, all.count)])
        }
        return (messages, found)
    }

    private func isTextGivenUp(_ service: Service, at now: ContinuousClock.Instant) -> Bool {
        service.rounds >= HeardRecords.questionsForText
            && service.lastAsked.map { now >= $0 + HeardRecords.answerTime } == true
    }

    private func time(of service: Service) -> ContinuousClock.Instant? {
        guard !service.told.isEmpty, !lacks(service).isEmpty else { return nil }
        let next =
            service.rounds < HeardRecords.askingTimes.count
            ? service.first + HeardRecords.askingTimes[service.rounds] : nil
        let end =
            service.rounds >= HeardRecords.questionsForText && service.text == nil && service.place != nil
            ? service.lastAsked.map { $0 + HeardRecords.answerTime } : nil
        return [next, end].compactMap(\.self).min()
    }

    /// What is not known of a service, as questions. A host with an address in one family only is asked for
    /// the other one, too: that it has none cannot be told from the loss of a packet.
    private func lacks(_ service: Service) -> [Question] {
        var lacking: [Question] = []
        if service.text == nil { lacking.append(Question(name: service.name, kind: .txt)) }
        guard let target = service.place?.target else {
            return lacking + [Question(name: service.name, kind: .srv)]
        }
        let sizes = Set((addresses[target] ?? []).map(\.count))
        guard sizes.isEmpty || service.rounds < HeardRecords.questionsForFamily else { return lacking }
        if !sizes.contains(4), families.contains(.ipv4) { lacking.append(Question(name: target, kind: .a)) }
        if !sizes.contains(16), families.contains(.ipv6) {
            lacking.append(Question(name: target, kind: .aaaa))
        }
        return lacking
    }

    private mutating func keep(_ name: DNSName, _ label: [UInt8], at now: ContinuousClock.Instant) {
        guard services[name] == nil else { return }
        while services.count >= HeardRecords.maximumServices, let oldest = order.next() {
            services[oldest] = nil
            lacking.remove(oldest)
        }
        order.append(name)
        services[name] = Service(name: name, label: label, first: now)
    }

    /// True if that is news.
    private mutating func note(_ bytes: [UInt8], of host: DNSName, isGone: Bool) -> Bool {
        if isGone {
            let before = addresses[host]
            addresses[host]?.removeAll { $0 == bytes }
            return addresses[host] != before
        }
        if addresses[host] == nil {
            while addresses.count >= HeardRecords.maximumServices, let oldest = hostOrder.next() {
                addresses[oldest] = nil
            }
            hostOrder.append(host)
        }
        let known = addresses[host] ?? []
        guard known.count < HubListing.maximumAddresses, !known.contains(bytes) else { return false }
        addresses[host, default: []].append(bytes)
        return true
    }

    /// The service of this name as far as it is complete, once for each family that announced it.
    private mutating func found(_ name: DNSName) -> [Found] {
        guard let service = services[name], let place = service.place, let text = service.text,
            let known = addresses[place.target], !known.isEmpty
        else { return [] }
        let hint = ServiceHint(
            name: service.label, host: place.target.text, port: place.port, addresses: known,
            txt: TXTRecord(strings: text))
        return service.told.keys.sorted { $0 == .ipv4 && $1 != .ipv4 }.map { family in
            let isNews = service.told[family] != .some(hint)
            services[name]?.told[family] = .some(hint)
            return Found(hint: hint, family: family, isNews: isNews)
        }
    }
}
