import Crypto
import Discovery

/// Parses any bytes as each of the UDP datagrams and as a TXT record. What is accepted must be serialised to
/// the same bytes; everything else must be refused without a trap.
func fuzzDatagrams(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let probe = try? Probe(parsing: bytes) {
        precondition(probe.bytes == bytes, "a probe has exactly one form")
        let name = try? PeerName("Hub")
        let reply = name.flatMap {
            try? ProbeReply.bytes(to: probe, name: $0, port: 1, isPairingOpen: true, key: fuzzKey)
        }
        precondition(reply.map { $0.count < bytes.count } == true, "a reply is smaller than its probe")
        precondition((try? ProbeReply(verifying: reply ?? []))?.nonce == probe.nonce)
    }
    if let notice = try? Notice(parsing: bytes) { precondition(notice.bytes == bytes) }
    if let reply = try? ProbeReply(verifying: bytes) {
        precondition(ProbeReply.byteCounts.contains(bytes.count) && reply.port != 0)
        precondition(bytes.count == 121 + reply.name.description.utf8.count)
    } else if ProbeReply.byteCounts.contains(count), bytes.starts(with: Array("HPA1".utf8)) {
        // A fuzzer cannot find a valid signature, so sign its bytes here.
        let end = count - 97
        let signed = bytes[..<end] + Array(fuzzKey.publicKey.compressedRepresentation)
        guard let signature = try? fuzzKey.signature(for: signed) else { return 0 }
        _ = try? ProbeReply(verifying: Array(signed + signature.rawRepresentation))
    }

    // The strings of a record as on the wire, each after its length (RFC 1035 § 3.3.14).
    var strings: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.popFirst() {
        strings.append(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
    let record = TXTRecord(strings: strings)
    precondition(record.entries.count <= strings.count)
    for entry in record.entries {
        precondition((1...255).contains(entry.key.utf8.count) && entry.value?.count ?? 0 <= 254)
        precondition(record[entry.key] == entry, "the first of a key counts, and there is no second")
    }
    _ = (record.fingerprint, record.text("api_level"))
    return 0
}

private let fuzzKey = P256.Signing.PrivateKey()
