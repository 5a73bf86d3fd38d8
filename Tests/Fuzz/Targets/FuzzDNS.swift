import Discovery
import Dispatch
import Synchronization

/// Parses any bytes as a DNS message and extracts the services; all results must be within their bounds.
func fuzzDNS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    searchDomain(answeredBy: bytes)
    guard let message = try? DNSMessage(parsing: bytes), let type = DNSName(serviceType: "_hestia._tcp")
    else {
        return 0
    }
    precondition(message.records.count <= DNSMessage.Limits.multicast.recordCount)
    for record in message.records {
        precondition(record.name.labels.reduce(1) { $0 + 1 + $1.count } <= 255)
        precondition(record.name.labels.allSatisfy { (1...63).contains($0.count) })
    }
    var records = HeardRecords(type: type, families: [])
    let (names, hints) = records.take(message, over: .ipv4, at: .now)
    precondition(hints.count <= message.records.count && names.count <= message.records.count)
    precondition(names.allSatisfy { (1...63).contains($0.count) })
    precondition(hints.allSatisfy { names.contains($0.name) })
    for hint in hints {
        precondition((1...HubListing.maximumAddresses).contains(hint.addresses.count))
        precondition(hint.host.utf8.count <= 1_014 && hint.txt.entries.count <= message.records.count * 9_000)
    }
    return 0
}

/// A search of a domain to whose questions the same bytes answer; some are not answered.
private func searchDomain(answeredBy bytes: [UInt8]) {
    guard let domain = try? SearchDomain("example") else { return }
    let asked = Mutex(0)
    let told = Mutex(0)
    let isOver = DispatchSemaphore(value: 0)
    let search = DomainSearch(
        types: [.hestia], rules: HubAddressRules(networks: []),
        ask: { _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number % 7 == 6 ? nil : bytes
        },
        report: { _ in told.withLock { $0 += 1 } })
    Task {
        await search.run(domain.name)
        isOver.signal()
    }
    isOver.wait()
    let questions = asked.withLock { $0 }
    precondition(questions <= 1 + DomainSearch.maximumDomains + DomainSearch.maximumInstances * 4)
    precondition(told.withLock { $0 } <= questions * (1 + HubListing.maximumAddresses))
}
