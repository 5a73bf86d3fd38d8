import Discovery

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
    let hints = records.take(message, over: .ipv4, at: .now).map(\.hint)
    precondition(hints.count <= ServiceHint.maximumServices)
    let names = ServiceHint.names(in: message, of: type)
    precondition(names.count <= ServiceHint.maximumServices)
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
    var search = DomainSearch(domain.name, types: [.hestia], rules: HubAddressRules(networks: []))
    var queue = search.takeQuestions()
    var asked = 0
    while let question = queue.popLast() {
        asked += 1
        let sightings = search.take(asked % 7 == 6 ? .nothing : .message(bytes), of: question)
        precondition(sightings.count <= DomainSearch.maximumInstances * (1 + HubListing.maximumAddresses))
        queue += search.takeQuestions()
    }
    precondition(search.isOver && asked <= DomainSearch.maximumQuestions)
}
