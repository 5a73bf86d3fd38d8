// What becomes of the records where no stack follows them.
extension HeardRecords {
    package enum Ended: Hashable, Sendable {
        /// The label of a service, and the family in which it was announced.
        case service([UInt8], NetworkAddress.Family)
        /// 4 or 16 bytes, of a host as ``Found/host`` spells it.
        case address([UInt8], host: String)
    }

    package struct Renewal: Hashable, Sendable {
        package var ended: [Ended] = []
        /// Some service is to be asked for again, by the question for all of them.
        package var asksForServices = false
        /// What else is to be asked for again, a message each.
        package var questions: [[Question]] = []
    }

    /// Ends what is over, and says what is to be asked for again.
    package mutating func renew(at now: ContinuousClock.Instant) -> Renewal {
        var renewal = Renewal()
        var questions: [Question] = []
        budget = min(budget + HeardRecords.questionsPerSecond, HeardRecords.maximumQuestions)
        func ask(_ name: DNSName, _ kind: RecordType) {
            guard budget > 0 else { return }
            budget -= 1
            questions.append(Question(name: name, kind: kind))
        }
        for (name, service) in services {
            if service.place?.life.isOver(at: now) == true { services[name]?.announced = [:] }
            for (family, announcement) in service.announced {
                if services[name]?.announced[family] == nil || announcement.life.isOver(at: now) {
                    services[name]?.announced[family] = nil
                    ended.append(.service(service.label, family))
                } else if services[name]?.announced[family]?.life.isDue(at: now) == true {
                    renewal.asksForServices = true
                }
            }
            guard services[name]?.announced.isEmpty == false else {
                // What announces it may be on its way.
                if service.first + RecordLife.farewell < now { remove(name) }
                continue
            }
            if services[name]?.place?.life.isDue(at: now) == true {
                ask(name, .srv)
                ask(name, .txt)
            }
        }
        let targets = Set(services.values.compactMap { $0.place?.target })
        for (host, known) in addresses {
            for (index, address) in known.enumerated().reversed() {
                if address.life.isOver(at: now) {
                    addresses[host]?.remove(at: index)
                    ended.append(.address(address.bytes, host: host.text))
                } else if addresses[host]?[index].life.isDue(at: now) == true, targets.contains(host) {
                    ask(host, address.bytes.count == 4 ? .a : .aaaa)
                }
            }
            if addresses[host]?.isEmpty == true {
                addresses[host] = nil
                _ = hostOrder.remove(host)
            }
        }
        renewal.questions = HeardRecords.messages(of: questions)
        (renewal.ended, ended) = (ended, [])
        return renewal
    }

    /// All services: what ends with the network.
    package var all: [Ended] { services.values.flatMap(\.ended) }

    /// The labels of the services that need not be said again over `family` (RFC 6762 § 7.1).
    package func known(over family: NetworkAddress.Family, at now: ContinuousClock.Instant) -> [[UInt8]] {
        services.values.filter { $0.announced[family]?.life.isFresh(at: now) == true }.map(\.label)
    }

    mutating func end(_ bytes: [UInt8], of host: DNSName, at now: ContinuousClock.Instant) -> Bool {
        guard let index = addresses[host]?.firstIndex(where: { $0.bytes == bytes }) else { return false }
        addresses[host]?[index].life.endSoon(at: now)
        return true
    }

    /// Ends the addresses of these sizes that were not heard within the last second (RFC 6762 § 10.2): true
    /// if there are any.
    mutating func endOthers(
        of host: DNSName, _ byteCounts: Set<Int>, at now: ContinuousClock.Instant
    ) -> Bool {
        var isChanged = false
        for (index, address) in (addresses[host] ?? []).enumerated()
        where byteCounts.contains(address.bytes.count) && !address.life.isEnding
            && address.life.heard + RecordLife.farewell < now
        {
            addresses[host]?[index].life.endSoon(at: now)
            isChanged = true
        }
        return isChanged
    }
}
