/// A service with all that one message says of it: what a one-shot query (RFC 6762 § 5.1) or a multicast
/// answer brings.
///
/// A hint: one packet from one host, which nobody has asked a second time. A browse confirms it.
package struct ServiceHint: Hashable, Sendable {
    /// The most services that one message can hint at; a responder of DNS-SD sends far fewer.
    package static let maximumServices = 64

    /// The instance's own label: 1–63 bytes.
    package let name: [UInt8]
    /// The SRV record's target, as avahi writes it.
    package let host: String
    package let port: UInt16
    /// The A and AAAA records of the host, 1–64, without scope.
    package let addresses: [[UInt8]]
    package let txt: TXTRecord

    /// The labels of the instances of `type` that an answer names.
    package static func names(in message: DNSMessage, of type: DNSName) -> [[UInt8]] {
        guard message.isAnswer else { return [] }
        return instances(in: message, of: type).compactMap { $0.instance(of: type) }
    }

    private static func instances(in message: DNSMessage, of type: DNSName) -> [DNSName] {
        var instances: [DNSName] = []
        // A record with the time to live 0 says goodbye (RFC 6762 § 10.1).
        for record in message.records where record.timeToLive > 0 && record.name == type {
            guard instances.count < maximumServices else { break }
            guard case .pointer(let name) = record.data, name.instance(of: type) != nil,
                !instances.contains(name)
            else { continue }
            instances.append(name)
        }
        return instances
    }

    /// The services of `type` in an answer. One without SRV record, TXT record (every service has one, RFC
    /// 6763 § 6.1) or address is left out: it did not fit, or somebody else has to be asked; the browse does.
    package static func hints(in message: DNSMessage, of type: DNSName) -> [ServiceHint] {
        guard message.isAnswer else { return [] }
        var services: [DNSName: (target: DNSName, port: UInt16)] = [:]
        var texts: [DNSName: [[UInt8]]] = [:]
        var addresses: [DNSName: [[UInt8]]] = [:]
        for record in message.records where record.timeToLive > 0 {
            switch record.data {
            case .service(let target, let port):
                if services[record.name] == nil { services[record.name] = (target, port) }
            case .text(let strings): if texts[record.name] == nil { texts[record.name] = strings }
            case .pointer, .alias: break  // following an alias is the browse's business
            case .address(let bytes):
                if addresses[record.name]?.count ?? 0 < HubListing.maximumAddresses {
                    addresses[record.name, default: []].append(bytes)
                }
            }
        }
        return instances(in: message, of: type).compactMap { name in
            guard let service = services[name], let text = texts[name],
                let found = addresses[service.target], let label = name.instance(of: type)
            else { return nil }
            return ServiceHint(
                name: label, host: service.target.text, port: service.port, addresses: found,
                txt: TXTRecord(strings: text))
        }
    }
}
