/// A service with all that one message says of it: what a one-shot query (RFC 6762 § 5.1) or a multicast
/// answer brings.
///
/// A hint: one packet from one host, which nobody has asked a second time. A browse confirms it.
package struct ServiceHint: Hashable, Sendable {
    /// The most services that one message can hint at: each takes a record.
    package static let maximumServices = DNSMessage.Limits.multicast.recordCount

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
        var names: [[UInt8]] = []
        var seen: Set<DNSName> = []
        // A record with the time to live 0 says goodbye (RFC 6762 § 10.1).
        for record in message.records where record.timeToLive > 0 && record.name == type {
            guard names.count < maximumServices else { break }
            guard case .pointer(let name) = record.data, let label = name.instance(of: type),
                seen.insert(name).inserted
            else { continue }
            names.append(label)
        }
        return names
    }
}
