/// The records of one answer by their names, as a resolver gives them: aliases (CNAME) are followed.
///
/// Kept in order of arrival. A name's records are found without a search through all: a message has
/// thousands.
struct DomainRecords {
    /// The most aliases (CNAME) that lead from one name to its records; a circle of them ends there.
    static let maximumAliases = 8

    private var byName: [DNSName: [DNSMessage.RecordData]] = [:]
    private var aliases: [DNSName: DNSName] = [:]

    init() {}

    init(_ message: DNSMessage) {
        for record in message.records {
            if case .alias(let target) = record.data {
                if aliases[record.name] == nil { aliases[record.name] = target }
            } else {
                byName[record.name, default: []].append(record.data)
            }
        }
    }

    /// Each once, in order.
    func pointers(of name: DNSName) -> [DNSName] {
        var seen: Set<DNSName> = []
        return data(of: name).compactMap { data in
            guard case .pointer(let target) = data, seen.insert(target).inserted else { return nil }
            return target
        }
    }

    /// The first SRV record: a hub has one place.
    func service(of name: DNSName) -> (target: DNSName, port: UInt16)? {
        for case .service(let target, let port) in data(of: name) { return (target, port) }
        return nil
    }

    func text(of name: DNSName) -> [[UInt8]]? {
        for case .text(let strings) in data(of: name) { return strings }
        return nil
    }

    func addresses(of name: DNSName) -> [NetworkAddress] {
        let all = data(of: name).lazy.compactMap { if case .address(let bytes) = $0 { bytes } else { nil } }
        return all.prefix(HubListing.maximumAddresses).compactMap { NetworkAddress(bytes: $0) }
    }

    private func data(of name: DNSName) -> [DNSMessage.RecordData] {
        var name = name
        for _ in 0..<DomainRecords.maximumAliases {
            guard let next = aliases[name] else { break }
            name = next
        }
        return byName[name] ?? []
    }
}
