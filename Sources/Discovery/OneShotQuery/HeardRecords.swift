/// What the messages of one interface say of the services of one type, joined: a host with many services says
/// them in many messages, and its address in one of them, which counts for all (RFC 6762 § 10: records are of
/// a name, whichever message brings them). What a service still lacks then is to be asked for.
///
/// Who follows learns what ends, too: what was said farewell to, or was not heard again in time, though it
/// was asked for (§ 5.2, § 10).
///
/// Anybody on the link can say anything: there are bounds on services, hosts and questions, and what is the
/// oldest gives way.
///
/// A pure value: messages and times come in, services and questions come out.
package struct HeardRecords: Sendable {
    package typealias Question = DomainSearch.Question

    /// A service with all that was said of it, in the family of the messages that announced it.
    ///
    /// A hint: what one host has said, which nobody has asked a second time. A browse confirms it.
    package struct Found: Hashable, Sendable {
        /// The instance's own label: 1–63 bytes.
        package let name: [UInt8]
        /// The SRV record's target, as avahi writes it.
        package let host: String
        package let port: UInt16
        /// The A and AAAA records of the host, 1–64, without scope.
        package let addresses: [[UInt8]]
        package let txt: TXTRecord
        package let family: NetworkAddress.Family
        package var isNews = true
    }

    /// The most services of an interface, in a family, and the most hosts.
    package static let maximumServices = 4_096
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
    /// The most questions at first, and how many more every second of a search that goes on; the threat is a
    /// host that names thousands of services.
    static let (maximumQuestions, questionsPerSecond) = (8_192, 256)
    /// In one message: so many answers fit into one.
    static let questionsPerMessage = 8

    struct Announcement {
        var life: RecordLife
        var told: Found?
    }

    struct Service {
        let name: DNSName
        let label: [UInt8]
        let first: ContinuousClock.Instant
        var place: (target: DNSName, port: UInt16, life: RecordLife)?
        var text: [[UInt8]]?
        var rounds = 0
        var lastAsked: ContinuousClock.Instant?
        /// By the family of the messages that announced it.
        var announced: [NetworkAddress.Family: Announcement] = [:]

        /// It, in each family, as what is gone.
        var ended: [Ended] { announced.keys.map { .service(label, $0) } }

        var families: [NetworkAddress.Family] {
            announced.filter { !$0.value.life.isEnding }.map(\.key)
        }
    }

    struct Address {
        let bytes: [UInt8]
        var life: RecordLife
    }

    private let type: DNSName
    /// The families in which this machine can connect there.
    private let families: Set<NetworkAddress.Family>
    /// What ends is told, by ``renew(at:)``, which is then to be called every second.
    let follows: Bool
    var services: [DNSName: Service] = [:]
    var addresses: [DNSName: [Address]] = [:]
    private var lacking: Set<DNSName> = []
    var order = Seniority<DNSName>()
    var hostOrder = Seniority<DNSName>()
    var budget = HeardRecords.maximumQuestions
    var ended: [Ended] = []

    private let maximum: Int

    package init(
        type: DNSName, families: Set<NetworkAddress.Family>, follows: Bool = false,
        maximum: Int = HeardRecords.maximumServices
    ) {
        (self.type, self.families, self.follows, self.maximum) = (type, families, follows, maximum)
    }

    /// How many entries it holds of all kinds: what grows without a bound would be seen here.
    var entryCount: Int {
        services.count + addresses.values.reduce(addresses.count) { $0 + $1.count } + lacking.count
            + order.entryCount + hostOrder.entryCount + ended.count
    }

    /// Reads a message that came over `family`: the labels of the instances that it announces, and the
    /// complete services that it says something of.
    package mutating func take(
        _ message: DNSMessage, over family: NetworkAddress.Family, at now: ContinuousClock.Instant
    ) -> (names: [[UInt8]], found: [Found]) {
        guard message.isAnswer else { return ([], []) }
        var names: [[UInt8]] = []
        var touched: [DNSName] = []
        var hosts: Set<DNSName> = []
        var seen: Set<DNSName> = []
        func touch(_ name: DNSName) { if seen.insert(name).inserted { touched.append(name) } }
        // Within a message the first record of a kind counts.
        var said: Set<Question> = []
        func isFirst(_ name: DNSName, _ kind: RecordType) -> Bool {
            guard let label = name.instance(of: type), said.insert(Question(name: name, kind: kind)).inserted
            else { return false }
            keep(name, label, at: now)
            touch(name)
            return true
        }
        // What hosts say all addresses of in this message, by their bytes' count.
        var whole: [DNSName: Set<Int>] = [:]
        for record in message.records {
            let life = RecordLife(timeToLive: record.timeToLive, at: now)
            switch record.data {
            case .pointer(let name):
                guard record.name == type, let label = name.instance(of: type) else { continue }
                guard record.timeToLive > 0 else {
                    services[name]?.announced[family]?.life.endSoon(at: now)
                    continue
                }
                if said.insert(Question(name: name, kind: .ptr)).inserted { names.append(label) }
                keep(name, label, at: now)
                services[name]?.announced[family, default: Announcement(life: life)].life = life
                touch(name)
            case .service(let target, let port):
                guard isFirst(record.name, .srv) else { continue }
                if record.timeToLive > 0 {
                    services[record.name]?.place = (target, port, life)
                } else {
                    services[record.name]?.place?.life.endSoon(at: now)
                }
            case .text(let strings):
                guard isFirst(record.name, .txt) else { continue }
                services[record.name]?.text = record.timeToLive > 0 ? strings : nil
            case .absence(let types):
                guard !types.contains(RecordType.txt.rawValue), let service = services[record.name],
                    service.text == nil
                else { continue }
                services[record.name]?.text = []
                touch(record.name)
            case .address(let bytes):
                let isChanged =
                    record.timeToLive == 0
                    ? end(bytes, of: record.name, at: now) : note(bytes, of: record.name, life)
                if isChanged { hosts.insert(record.name) }
                if record.isUnique { whole[record.name, default: []].insert(bytes.count) }
            case .alias: continue  // following an alias is the stack's business
            }
        }
        // Not where one looks only once: two servers may bear one host name, and both count.
        if follows {
            for (host, counts) in whole where endOthers(of: host, counts, at: now) { hosts.insert(host) }
        }
        if !hosts.isEmpty {
            for (name, service) in services where service.place.map({ hosts.contains($0.target) }) == true {
                touch(name)
            }
        }
        let complete = touched.flatMap { found($0) }
        touched.forEach { check($0) }
        return (names, complete)
    }

    private mutating func check(_ name: DNSName) {
        if services[name].flatMap({ time(of: $0) }) == nil {
            lacking.remove(name)
        } else {
            lacking.insert(name)
        }
    }

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
            for question in lacks(service) where budget > 0 {
                guard asked.insert(question).inserted else { continue }
                all.append(question)
                budget -= 1
            }
        }
        return (HeardRecords.messages(of: all), found)
    }

    static func messages(of questions: [Question]) -> [[Question]] {
        stride(from: 0, to: questions.count, by: questionsPerMessage).map {
            Array(questions[$0..<min($0 + questionsPerMessage, questions.count)])
        }
    }

    private func isTextGivenUp(_ service: Service, at now: ContinuousClock.Instant) -> Bool {
        service.rounds >= HeardRecords.questionsForText
            && service.lastAsked.map { now >= $0 + HeardRecords.answerTime } == true
    }

    private func time(of service: Service) -> ContinuousClock.Instant? {
        guard !service.families.isEmpty, !lacks(service).isEmpty else { return nil }
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
        guard let place = service.place, !place.life.isEnding else {
            return lacking + [Question(name: service.name, kind: .srv)]
        }
        let target = place.target
        let sizes = Set(live(target).map(\.count))
        guard sizes.isEmpty || service.rounds < HeardRecords.questionsForFamily else { return lacking }
        if !sizes.contains(4), families.contains(.ipv4) { lacking.append(Question(name: target, kind: .a)) }
        if !sizes.contains(16), families.contains(.ipv6) {
            lacking.append(Question(name: target, kind: .aaaa))
        }
        return lacking
    }

    private mutating func keep(_ name: DNSName, _ label: [UInt8], at now: ContinuousClock.Instant) {
        guard services[name] == nil else { return }
        while services.count >= maximum, let oldest = order.removeOldest() {
            remove(oldest)
        }
        order.insert(name)
        services[name] = Service(name: name, label: label, first: now)
    }

    mutating func remove(_ name: DNSName) {
        guard let service = services.removeValue(forKey: name) else { return }
        lacking.remove(name)
        _ = order.remove(name)
        if follows { ended += service.ended }
    }

    /// True if that is news.
    private mutating func note(_ bytes: [UInt8], of host: DNSName, _ life: RecordLife) -> Bool {
        if addresses[host] == nil {
            while addresses.count >= maximum, let oldest = hostOrder.removeOldest() {
                let known = addresses.removeValue(forKey: oldest) ?? []
                if follows { ended += known.map { .address($0.bytes, host: oldest.text) } }
            }
            hostOrder.insert(host)
        }
        if let index = addresses[host]?.firstIndex(where: { $0.bytes == bytes }) {
            let wasEnding = addresses[host]?[index].life.isEnding == true
            addresses[host]?[index].life = life
            return wasEnding
        }
        guard addresses[host, default: []].count < HubListing.maximumAddresses else { return false }
        addresses[host, default: []].append(Address(bytes: bytes, life: life))
        return true
    }

    private func live(_ host: DNSName) -> [[UInt8]] {
        (addresses[host] ?? []).filter { !$0.life.isEnding }.map(\.bytes)
    }

    /// The service of this name as far as it is complete, once for each family that announced it.
    private mutating func found(_ name: DNSName) -> [Found] {
        guard let service = services[name], let place = service.place, !place.life.isEnding,
            let text = service.text
        else { return [] }
        let known = live(place.target)
        guard !known.isEmpty else { return [] }
        let (host, txt) = (place.target.text, TXTRecord(strings: text))
        return service.families.sorted { $0 == .ipv4 && $1 != .ipv4 }.map { family in
            var found = Found(
                name: service.label, host: host, port: place.port, addresses: known, txt: txt, family: family)
            let told = services[name]?.announced[family]?.told
            services[name]?.announced[family]?.told = found
            found.isNews = told != found
            return found
        }
    }
}
